# Turns branches of PTX around, as assemblers do and clang's back end for PTX cannot:
#
#	@%p1 bra A;		@!%p1 bra B;
#	bra.uni B;		A:
#	A:
#
# Where A stands elsewhere, and B but not A leads back here, B and A change places. So a loop takes
# one branch a trip. A branch to the block that follows it is left out.

# The next line that is an instruction or begins a block.
function after(i)
{
	do i++
	while (i <= NR && line[i] ~ /^(\t\.|\t*\/\/|L(tmp|func)|$)/)
	return i
}

# Whether the block of that label begins at line i.
function begins(i, label)
{
	return index(line[i], label ":") == 1
}

function target(i)
{
	match(line[i], /[^ \t]+;/)
	return substr(line[i], RSTART, RLENGTH - 1)
}

# Branch i with its guard the other way, to label to.
function turned(i, to,  sense)
{
	sense = line[i] ~ /@!/ ? "@" : "@!"
	match(line[i], /%p[0-9]+/)
	return "\t" sense substr(line[i], RSTART, RLENGTH) " bra \t" to ";"
}

# Whether control gets from label `from` to the code under label `to` without passing `around`.
function leads(from, to, around,  seen, queue, n, i, k, next_labels)
{
	queue[n = 1] = from
	seen[from] = seen[around] = 1
	for (i = 1; i <= n; i++) {
		if (queue[i] == to)
			return 1
		split(goes[queue[i]], next_labels)
		for (k in next_labels)
			if (!(next_labels[k] in seen)) {
				seen[next_labels[k]] = 1
				queue[++n] = next_labels[k]
			}
	}
	return 0
}

{ line[NR] = $0 }
/^[^ \t]+:/ && !/^L(tmp|func)/ {
	at = substr($1, 1, length($1) - 1)
	if (here != "")
		goes[here] = goes[here] " " at
	here = at
}
/^\t(@[^ ]+ )?bra/ { goes[here] = goes[here] " " target(NR) }
/^\t(bra.uni|ret)/ { here = "" }

END {
	for (i = 1; i <= NR; i++) {
		j = after(i)
		if (line[i] ~ /^[^ \t]+:/ && line[i] !~ /^L(tmp|func)/)
			here = substr(line[i], 1, index(line[i], ":") - 1)
		if (line[i] ~ /^\t@.*bra/ && line[j] ~ /^\tbra\.uni/) {
			a = target(i)
			b = target(j)
			if (begins(after(j), a) ||
			    (!begins(after(j), b) && leads(b, here, a) && !leads(a, here, b))) {
				line[i] = turned(i, b)
				line[j] = "\tbra.uni \t" a ";"
			}
		}
		if (line[i] !~ /^\tbra\.uni/ || !begins(j, target(i)))
			print line[i]
	}
}
