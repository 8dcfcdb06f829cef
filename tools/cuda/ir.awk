# What trace-nvcc mends in the intermediate code of clang 14, before it is optimized.
#
# - The host copies to and from device variables. Of static ones that it names clang knows so, of those
#   in a namespace without a name it does not, and takes them for what device code alone makes of
#   them. They become visible, as the others are.
# - Of a struct that a function returns, what nobody has set (padding, or a member) becomes poison,
#   since an insertvalue of undef is left out. Where all of the struct is then copied as one integer,
#   every member is poison, and what compares it is undefined. So what the caller takes out of such
#   a struct is frozen. Structs of one member, or of floating-point numbers alone, have no padding,
#   and a frozen product would not be contracted with the sum that it is a part of: they stay as
#   they are.
# - The `new` of device code gives null where the heap is full. clang takes it for one that throws
#   instead, and for one that may be left out: so it loses its nonnull, and its calls the attributes
#   of an allocation.
# - Functions of clang's headers and of ours (in the folder `headers`) lose their lines. What is
#   inlined of them then has the line of the call, which is the program's: a record and a fault name
#   where the program says atomicAdd, not where a header does. PTX of clang 14 says nothing of
#   inlining.
#
# usage: ir.awk -v headers=FOLDER FILE FILE: what is known of files and functions stands at the end.

# `!7 = !DIFile(filename: "x.h", directory: "d")`, `!9 = distinct !DISubprogram(..., file: !7, ...)`.
FNR == NR {
	if (/^![0-9]+ = (distinct )?!DIFile\(/) {
		path = $0
		sub(/^.*filename: "/, "", path)
		sub(/".*/, "", path)
		# What lies below a folder that is also above the current one is told from there.
		if (path !~ /^\// && match($0, /directory: "[^"]*/))
			path = substr($0, RSTART + 12, RLENGTH - 12) "/" path
		if (path ~ /\/clang\/[0-9.]+\/include\// || (headers != "" && index(path, headers "/") == 1))
			own[$1]
	} else if (/^![0-9]+ = (distinct )?!DISubprogram\(/ && match($0, / file: ![0-9]+/)) {
		file_of[$1] = substr($0, RSTART + 7, RLENGTH - 7)
	}
	next
}
/^define / {
	lineless = match($0, / !dbg ![0-9]+/) && \
		file_of[substr($0, RSTART + 6, RLENGTH - 6)] in own
}
lineless { gsub(/,? !dbg ![0-9]+/, "") }
/^}/ { lineless = 0 }

/^@_ZN12_GLOBAL__N_1[^ ]* = internal .*addrspace\([14]\)/ { sub(/ = internal /, " = ") }

/^%.* = type / {
	type = $0
	sub(/ = type .*/, "", type)
	holds[type] = substr($0, length(type) + 9)
}

/ nonnull i8[*] @_Zn[wa]m/ {
	sub(/ nonnull i8[*] @_Zn/, " i8* @_Zn")
	if (/ = call /)
		sub(/[)] #[0-9]+/, ")")
}

# `  %12 = extractvalue %struct.pair %10, 0` and, in the next line, `  store i32 %12, i32* %11`.
taken != "" {
	element = $0
	if (sub(/^  store /, "", element) && (at = index(element, " " name ", ")) > 1) {
		print "  %taken." substr(name, 2) substr(taken, length(name) + 3)
		print "  " name " = freeze " substr(element, 1, at - 1) " %taken." substr(name, 2)
	} else {
		print taken
	}
	taken = ""
}
/^  %[0-9]+ = extractvalue %/ {
	name = $1
	type = $0
	sub(/^.* = extractvalue /, "", type)
	sub(/ %[0-9]+, [0-9]+(,.*)?$/, "", type)
	if (type in holds && holds[type] ~ /%|,.*(i[0-9]|[*])|(i[0-9]|[*]).*,/) {
		taken = $0
		next
	}
}

{ print }
