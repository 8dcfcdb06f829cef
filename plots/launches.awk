# From the table of trace-replay --stats=launches and that of --events, of one run: launches over
# time, in three blocks that two blank lines part. With -v from=CYCLE and -v to=CYCLE of a part.
#   CTAs on the SMs: `cycle`, then a column a kernel that is there, each on top of those before it
#   launches by threads that were called for and have not begun: `cycle`, `waiting`
#   each launch by a thread, in the order of the calls: `row`, `called`, `began`, `ended`
BEGIN {
	FS = OFS = "\t"
	STEPS = 600
}
FNR == 1 { files++ }
/^#/ { next }
!((files, "launch") in column) {
	for (i = 1; i <= NF; i++)
		column[files, $i] = i
	next
}
function cell(name) {
	return $column[files, name]
}
files == 1 {
	launch = cell("launch")
	kernel[launch] = cell("kernel")
	parent[launch] = cell("parent")
	called[launch] = cell("called")
	began[launch] = cell("began")
	ended[launch] = cell("ended")
	if (!(cell("kernel") in place)) {
		place[cell("kernel")] = ++kernels
		name[kernels] = cell("kernel")
	}
	order[++launches] = launch
	next
}
# Cycles of the table count from the begin of the host's launch.
cell("event") == "launch_begin" { begin[cell("launch")] = cell("at") }
cell("event") ~ /^cta_(in|out)$/ {
	at[++changes] = cell("at") + 0
	which[changes] = place[kernel[cell("launch")]]
	by[changes] = cell("event") == "cta_in" ? 1 : -1
	last = at[changes] > last ? at[changes] : last
}
function step(cycle,  n) {
	n = int((cycle - from) * STEPS / (to - from))
	return n < 0 ? 0 : n > STEPS ? STEPS : n
}
function root(launch) {
	while (parent[launch] != "-")
		launch = parent[launch]
	return launch
}
END {
	from += 0
	to = to == "" ? last + 1 : to + 0
	for (i = 1; i <= changes; i++) {
		change[which[i], step(at[i])] += by[i]
		if (at[i] >= from && at[i] < to)
			there[which[i]]
	}
	line = "cycle"
	for (k = 1; k <= kernels; k++)
		if (k in there)
			line = line OFS name[k]
	print line
	for (s = 0; s < STEPS; s++) {
		line = sprintf("%.0f", from + s * (to - from) / STEPS)
		sum = 0
		for (k = 1; k <= kernels; k++) {
			if (!(k in there))
				continue
			on[k] += change[k, s]
			line = line OFS (sum += on[k])
		}
		print line
	}
	for (i = 1; i <= launches; i++) {
		launch = order[i]
		if (parent[launch] == "-" || !(root(launch) in begin))
			continue
		start = begin[root(launch)]
		if (ended[launch] + start <= from || called[launch] + start >= to)
			continue
		drawn[++rows] = launch
		zero[launch] = start
		waiting[step(start + called[launch])]++
		waiting[step(start + began[launch])]--
	}
	printf "\n\ncycle\twaiting\n"
	for (s = 0; s < STEPS; s++) {
		held += waiting[s]
		printf "%.0f\t%d\n", from + s * (to - from) / STEPS, held
	}
	printf "\n\nrow\tcalled\tbegan\tended\n"
	sort_rows()
	for (i = 1; i <= rows; i++) {
		launch = drawn[i]
		print i, zero[launch] + called[launch], zero[launch] + began[launch], zero[launch] + ended[launch]
	}
}
# By call, then by number: a shell sort, since the tables are of some thousand launches.
function sort_rows(  gap, i, j, x) {
	for (gap = int(rows / 2); gap; gap = int(gap / 2))
		for (i = gap + 1; i <= rows; i++) {
			x = drawn[i]
			for (j = i; j > gap && after(drawn[j - gap], x); j -= gap)
				drawn[j] = drawn[j - gap]
			drawn[j] = x
		}
}
function after(a, b,  x, y) {
	x = zero[a] + called[a]
	y = zero[b] + called[b]
	return x != y ? x > y : a + 0 > b + 0
}
