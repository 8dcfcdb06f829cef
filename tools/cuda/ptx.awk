# What trace-nvcc mends in the PTX of clang 14.
#
# usage: awk -v arch=N [-v file=ID] -f ptx.awk IR PTX
#
# - It does not know __cluster_dims__. IR is its intermediate code, in whose annotations the numbers
#   are; kernels get .reqnctapercluster. PTX that is compiled for sm_90, or has clusters, says so, since
#   both are of PTX 7.8 and sm_90.
# - Where device code of several files is linked, it gives static kernels and variables
#   that the host names the names that other files may have, too. They get ID, and the first line
#   says so, for the runtime, which the host's side tells the names without it.

# The words of an annotation: who has it, what it is called, and where its numbers are.
function annotated(text,  names, word) {
	while (match(text, /@("[^"]+"|[-a-zA-Z$._0-9]+)/)) {
		word = substr(text, RSTART + 1, RLENGTH - 1)
		text = substr(text, RSTART + RLENGTH)
		gsub(/"/, "", word)
		names[++names[0]] = word
	}
	if (names[0] == 4 && says[names[2]] == "wt_cluster_dims")
		dims[names[1]] = numbers[names[4]]
}

FILENAME == ARGV[1] {
	name = substr($1, 2)
	if (/^@[^ ]+ = private .*c"wt_cluster_dims\\00", section "llvm.metadata"/)
		says[name] = "wt_cluster_dims"
	else if (/^@[^ ]+ = private .*section "llvm.metadata"/ && match($0, /[{] i[0-9]+ [0-9][^}]*[}]/)) {
		n = split(substr($0, RSTART + 1, RLENGTH - 2), part, ",")
		list = ""
		for (i = 1; i <= n; i++) {
			split(part[i], word, " ")
			list = list (i > 1 ? ", " : "") word[2]
		}
		numbers[name] = list
	} else if (/^@llvm.global.annotations = /) {
		n = split($0, one, /[}], [{] i8[*]/)
		for (i = 1; i <= n; i++)
			annotated(i > 1 ? one[i] : substr(one[1], index(one[1], "[{")))
	}
	next
}

# Behind the parameters of a kernel with a body, before it; kernels are also declared.
/^[{]/ && kernel in dims {
	line[++lines] = ".reqnctapercluster " dims[kernel]
	clustered = 1
}
/^[{;]/ { kernel = "" }
{ line[++lines] = $0 }
/^\.version/ { version = lines }
/^\.target/ { target = lines }
/\.entry / {
	kernel = $0
	sub(/.*\.entry /, "", kernel)
	sub(/[ (].*/, "", kernel)
}

# The line with the names that variables have, for those that they were declared by.
function renamed(text,  out, word) {
	while (match(text, /[A-Za-z_$%][A-Za-z0-9_$]*/)) {
		word = substr(text, RSTART, RLENGTH)
		out = out substr(text, 1, RSTART - 1) (word in full ? full[word] : word)
		text = substr(text, RSTART + RLENGTH)
	}
	return out text
}

file && /^(\.visible |\.weak )?(\.global|\.const|\.entry) / &&
	match($0, /[ \t](_ZL|_ZN12_GLOBAL__N_1)[A-Za-z0-9_$]*/) {
	name = substr($0, RSTART + 1, RLENGTH - 1)
	full[name] = name "$" file
}

END {
	if (clustered || arch >= 90) {
		line[version] = ".version 7.8"
		sub(/sm_[0-9]+/, "sm_90", line[target])
	}
	if (file)
		print "// file " file
	for (i = 1; i <= lines; i++)
		print line[i] ~ /_ZL|_GLOBAL__N_1/ ? renamed(line[i]) : line[i]
}
