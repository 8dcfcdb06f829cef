# The plan's runs as shell commands, a line each; with -v what=traces what they need: recordings,
# and for the scheduler daws:profile its profiles, which are of another input, that of seed 2. Runs
# of swl:best are there once best.awk's answer is, which -v best names.
# Each writes a file that is there only when it is whole, and leaves its complaint beside it if it
# fails. What is there already is skipped; with -v tasks=1 by the command itself, behind the number
# of the trace. A workload that is a file of PTX, beside this one in `here`, is launched as `launch`
# says. WORKLOAD:NAME is WORKLOAD, with an input of its own. On CROWN's machines every run says what
# threads did.
BEGIN {
	FS = "\t"
	launch["example-1.ptx"] = "--entry=example_1 --grid=1 --block=8 --arg=buf:32"
	launch["example-18.ptx"] = "--entry=example_18 --grid=1 --block=8 --arg=buf:32"
	stats = "ipc,stalls,unit,lanes,l1d,memory,divergence,sync,policy,energy,fetch"
	# What is cut off on its way has no end, and these refuse it.
	reads["belady"] = "trace-belady"
	reads["locality"] = "trace-locality --by=class --cache=unbounded"
	reads["loops"] = "trace-locality --by=loop"
	reads["pcs"] = "trace-locality --by=pc"
	reads["loads"] = "trace-locality --divergence"
	while (best && (getline line <best) > 0) {
		split(line, word)
		limit[word[1]] = word[2]
	}
}
function have(file,  line, status) {
	status = (getline line <file) >= 0
	close(file)
	return status
}
function quoted(text) {
	gsub(/'/, "'\\''", text)
	return "'" text "'"
}
function tool(words,  name) {
	name = words
	sub(/ .*/, "", name)
	return quoted(bin "/" name) substr(words, length(name) + 1) " -q"
}
function job(command, file,  there) {
	if (file in done)
		return
	done[file]
	there = tasks ? task "\t[ -e " quoted(file) " ] || " : ""
	if (tasks || !have(file))
		print there "{ " command (events ? "" : " -o " quoted(file)) source "; } 2>" \
			quoted(file ".err") " && rm -f " quoted(file ".err")
}
{
	trace = "traces/" $2 ".wt"
	workload = $2 # of trace-gen: $4 may be an input that a paper names
	sub(/[,:].*/, "", workload)
	# A comma would end the file's name in a policy's parameter.
	profile = $2 "." $6 ".profile"
	gsub(/,/, "+", profile)
	gsub(/\//, "-", profile)
	profile = "traces/" profile
	if ($4 in launch)
		record = " --ptx=" quoted(here "/" $4) " " launch[$4]
	else
		record = ($5 == "-" ? "" : " --set " quoted($5)) " " quoted(workload)
	if ($2 != last)
		task++
	last = $2
}
what == "traces" {
	source = ""
	events = 0
	job(tool("trace-gen") record, trace)
	if ($7 == "daws:profile")
		job(tool("trace-gen") " --seed=2" record " | " tool("trace-replay") " -m " quoted($6) \
			" --access-stream=- | " tool("trace-locality") " --daws-profile", profile)
	next
}
{
	if ($7 == "swl:best") {
		if (!($1 in limit))
			next
		$7 = "swl:limit=" limit[$1]
	}
	options = " -m " quoted($6)
	if ($7 != "-")
		options = options " -s " quoted($7 == "daws:profile" ? $7 "=" profile : $7)
	if ($8 != "-")
		options = options " -w " quoted($8)
	n = $9 == "-" ? 0 : split($9, word, " ")
	for (i = 1; i <= n; i++)
		options = options " " quoted((word[i] ~ /^--/ ? "" : "--set=") word[i])
	replay = tool("trace-replay") options
	events = $10 == "events" || $10 == "timeline"
	source = " " quoted(trace)
	if ($10 == "events") {
		job(replay " --events=" quoted("runs/" $1 ".tsv") " -o /dev/null", "runs/" $1 ".tsv")
	} else if ($10 == "replay" || $10 == "lats") {
		job(replay " --format=tsv --stats=" ($10 == "lats" ? "pc" : stats \
			($6 ~ /^(quick\/)?crown/ ? ",threads" : "") ($5 ~ /(^|,)form=/ ? ",launch" : "")), \
			"runs/" $1 ".tsv")
	} else if ($10 == "timeline") {
		job(replay " --timeline=" quoted("runs/" $1 ".tsv") " -o /dev/null", "runs/" $1 ".tsv")
	} else {
		source = ""
		job(replay " --access-stream=- " quoted(trace) " | " tool(reads[$10]) " --format=tsv", \
			"runs/" $1 ".tsv")
	}
}
