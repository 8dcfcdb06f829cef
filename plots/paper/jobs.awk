# The plan's runs as shell commands, a line each; with -v what=traces the recordings that they need.
# Each writes a file that is there only when it is whole, and leaves its complaint beside it if it
# fails. What is there already is skipped.
BEGIN { FS = "\t" }
function have(file,  line, status) {
	status = (getline line <file) >= 0
	close(file)
	return status
}
function quoted(text) {
	gsub(/'/, "'\\''", text)
	return "'" text "'"
}
function job(command, file) {
	if (!(file in done) && !have(file))
		print "{", command, "-q -o", quoted(file), source "; } 2>" quoted(file ".err"), \
			"&& rm -f", quoted(file ".err")
	done[file]
}
{ trace = "traces/" $2 ".wt" }
what == "traces" {
	source = quoted($4)
	job(quoted(bin "/trace-gen") ($5 == "-" ? "" : " --set " quoted($5)), trace)
	next
}
{
	options = " -m " quoted($6)
	if ($7 != "-")
		options = options " -s " quoted($7)
	if ($8 != "-")
		options = options " -w " quoted($8)
	n = $9 == "-" ? 0 : split($9, word, " ")
	for (i = 1; i <= n; i++)
		options = options " " quoted((word[i] ~ /^--/ ? "" : "--set=") word[i])
	source = quoted(trace)
	replay = quoted(bin "/trace-replay") options
	if ($10 == "belady") {
		# What is cut off on its way has no end, and trace-belady refuses it.
		replay = replay " -q --access-stream=- " source
		source = ""
		job(replay " | " quoted(bin "/trace-belady") " --format=tsv", "runs/" $1 ".tsv")
		next
	}
	job(replay " --format=tsv --stats=" stats, "runs/" $1 ".tsv")
}
