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

/^@_ZN12_GLOBAL__N_1[^ ]* = internal .*addrspace\([14]\)/ { sub(/ = internal /, " = ") }

/^%.* = type / {
	type = $0
	sub(/ = type .*/, "", type)
	holds[type] = substr($0, length(type) + 9)
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
