# What trace-nvcc puts into the PTX of a kernel with __cluster_dims__, which clang 14 does not know.
#
# usage: awk -v arch=N -f clusters.awk [IR] PTX
# IR: clang's intermediate code, in whose annotations the numbers are. Kernels get .reqnctapercluster;
# PTX that is compiled for sm_90, or has clusters, says so, since both are of PTX 7.8 and sm_90.

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

FILENAME == ARGV[1] && ARGC > 2 {
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

END {
	if (clustered || arch >= 90) {
		line[version] = ".version 7.8"
		sub(/sm_[0-9]+/, "sm_90", line[target])
	}
	for (i = 1; i <= lines; i++)
		print line[i]
}
