#!/usr/bin/env bats
# plots/bars, lines and stack: what they draw, what they refuse, and the manual's examples.
load helper

# runs: three tables on end, as a loop over a tool writes them, of two launches and their total.
runs() {
	for run in "bfs gto 4" "bfs lrr 1" "gc gto 2" "gc lrr 1"; do
		set -- $run
		printf '# trace-gen 0.1.0 %s --set a=b\n' "$1"
		printf 'kernel\tscheduler\tipc\tissued\tidle\n'
		printf 'first\t%s\t9\t1\t1\n' "$2"
		printf 'total\t%s\t%s\t30\t10\n' "$2" "$3"
	done >runs.tsv
}

# pivot [NAME=VALUE]...: the table that the figure is drawn from.
pivot() {
	local setting set=()
	for setting; do
		set+=(-v "$setting")
	done
	awk "${set[@]}" -f "$root/plots/pivot.awk" runs.tsv
}

# texts [SVG]: what is written in a picture, a line a text.
texts() {
	sed -n 's|.*<text>\(.*\)</text>.*|\1|p' "$@" | sed 's/^ *//; s/&quot;/"/g; s/&#39;/'"'"'/g; s/&amp;/\&/g'
}

# height SVG TEXT: at which pixel from the top a text stands, the first of several.
height() {
	awk -v text="<text>$2</text>" '
		sub(/.*translate\(/, "") { split($0, part, /[,)]/); at = int(part[2]) }
		{ sub(/<text> */, "<text>") }
		index($0, text) && !n++ { print at }' "$1"
}

@test "long tables become wide ones: totals, normalized, and their mean" {
	runs
	pivot x=workload y=ipc g=scheduler last=1 base=gto mean=harmonic >wide
	diff wide - <<-END
		position	label	gto	lrr
		0	bfs	1	0.25
		1	gc	1	0.5
		2.4	harmonic mean	1	0.333333333333333
	END
	pivot x=workload,scheduler y=issued,idle last=1 mean=arithmetic >wide
	diff wide - <<-END
		position	label	issued	idle
		0	bfs gto	30	10
		1	bfs lrr	30	10
		2	gc gto	30	10
		3	gc lrr	30	10
		4.4	mean	30	10
	END
	where=kernel=first pivot x=workload,scheduler y=ipc >wide
	[ "$(column wide ipc | paste -s -d ' ')" = "9 9 9 9" ]
	pivot x=workload y=ipc g=scheduler last=1 mean=geometric >wide
	[ "$(column wide gto | tail -n 1)" = 2.82842712474619 ]
}

@test "-T takes one total for each record, machine, scheduler and policy" {
	trace-gen -q bfs --set nodes=64,degree=3 -o several.wt
	trace-gen -q kmeans --set points=256 -o one.wt
	# cycles FILE OPTION...: of all its launches.
	cycles() {
		trace-replay -q --format=tsv --no-header --columns cycles "${@:2}" "$1" | tail -n 1
	}
	trace-replay -q --format=tsv several.wt one.wt >runs.tsv
	pivot x=record y=cycles last=1 >wide
	diff wide - <<-END
		position	label	cycles
		0	several.wt	$(cycles several.wt)
		1	one.wt	$(cycles one.wt)
	END
	# As does the choice of the total by its name.
	where=launch=total pivot x=record y=cycles | diff wide -
	trace-plot bars -x record -y cycles -T runs.tsv >f.svg
	[ "$(texts f.svg | grep -c '\.wt$')" = 2 ]
	trace-replay -q --format=tsv --sort cycles several.wt one.wt >runs.tsv
	pivot x=record y=cycles last=1 | sed 1d | cut -f 2- | sort | diff <(sed 1d wide | cut -f 2- | sort) -
	trace-replay -q --compare gto,lrr --format=tsv several.wt one.wt >runs.tsv
	pivot x=record y=cycles g=scheduler last=1 >wide
	[ "$(column wide gto | tr '\n' ' ')" = "$(cycles several.wt -s gto) $(cycles one.wt -s gto) " ]
	[ "$(column wide lrr | tr '\n' ' ')" = "$(cycles several.wt -s lrr) $(cycles one.wt -s lrr) " ]
	# The axes of a sweep, whose rows are launches and totals.
	trace-sweep -q --launches -V machine=ccws,tbc -V l1d.size=16K,32K -o runs.tsv several.wt one.wt
	pivot x=workload,machine y=cycles g=l1d.size last=1 >wide
	[ "$(column wide label | tr '\n' ' ')" = "bfs ccws bfs tbc kmeans ccws kmeans tbc " ]
	[ "$(column wide 16K | tail -n 1)" = "$(cycles one.wt -m tbc --set l1d.size=16K)" ]
	[ "$(column wide 32K | head -n 1)" = "$(cycles several.wt -m ccws --set l1d.size=32K)" ]
}

@test "a cell that is absent is left out, and so is its group's mean" {
	printf 'a\tb\tv\nx\tp\t1\nx\tq\t2\ny\tp\t-\ny\tq\t4\n' >runs.tsv
	pivot x=a y=v g=b mean=arithmetic >wide
	[ "$(column wide p | paste -s -d ' ')" = "1 - -" ]
	[ "$(column wide q | paste -s -d ' ')" = "2 4 3" ]
	"$root/plots/bars" -x a -y v -g b -m arithmetic -o f.svg runs.tsv
}

@test "the same table gives the same picture, from a file or a pipe, in each format" {
	runs
	"$root/plots/bars" -x workload -y ipc -g scheduler -T -t "it's a_b" runs.tsv >a.svg
	"$root/plots/bars" -x workload -y ipc -g scheduler -T -t "it's a_b" -o b.svg - <runs.tsv
	cmp a.svg b.svg
	grep -q "it's a_b\|it&#39;s a_b" a.svg
	for text in bfs gc gto lrr; do
		grep -q "$text" a.svg
	done
	"$root/plots/stack" -x workload,scheduler -y issued,idle -T -p runs.tsv >c.svg
	"$root/plots/stack" -x workload,scheduler -y issued,idle -T -p runs.tsv | cmp - c.svg
	printf 'n\tv\n4\t1\n1\t2\n2\t3\n' >n.tsv
	"$root/plots/lines" -x n -y v -L n.tsv >d.svg
	{ echo n$'\t'v; tail -n +2 n.tsv | sort -n; } | "$root/plots/lines" -x n -y v -L | cmp - d.svg
	"$root/plots/lines" -x n -y v -o f.png n.tsv
	[ "$(head -c 4 f.png | tail -c 3)" = PNG ]
	"$root/plots/lines" -x n -y v -o f.pdf n.tsv
	[ "$(head -c 4 f.pdf)" = %PDF ]
}

@test "marks stand on the bars that they name" {
	runs
	printf 'workload\tscheduler\tipc\nharmonic mean\tlrr\t0.3\ngc\tgto\t1\n' >marks.tsv
	pivot x=workload y=ipc g=scheduler last=1 base=gto mean=harmonic marks=marks.tsv \
		markfile=marks >/dev/null
	diff marks - <<-END
		2.4	2	0.3
		1	1	1
	END
	"$root/plots/bars" -x workload -y ipc -g scheduler -T -n gto -m harmonic -k marks.tsv runs.tsv |
		grep -q '>paper<'
	# The highest lies below the upper end of the axis.
	"$root/plots/bars" -x workload -y ipc -g scheduler -T -n gto -m harmonic -k marks.tsv runs.tsv |
		grep -q '> *1.2</text>\|>1.2<'
	printf 'workload\tscheduler\tipc\nbfs\tccws\t0.3\n' >marks.tsv
	expect 1 "bars: no bar for the mark of 'bfs', 'ccws'" \
		"$root/plots/bars" -x workload -y ipc -g scheduler -T -k marks.tsv runs.tsv
}

@test "rows stand apart, and gather in clusters" {
	printf 'w\ts\tv\tu\nbfs\tgto\t1\t2\nAVG\tgto\t1\t2\ngc\tgto\t1\t2\n' >runs.tsv
	pivot x=w y=v,u apart=AVG >wide
	[ "$(column wide position | paste -s -d ' ')" = "0 1.4 2.8" ]
	printf 'w\tv\tu\ngc\t-\t3\n' >marks.tsv
	pivot x=w y=v,u apart=AVG marks=marks.tsv markfile=marks >/dev/null
	[ "$(cat marks)" = $'2.8\t2\t3' ]
	printf 'w\ts\tv\tu\nbfs\tgto\t1\t2\nbfs\tlrr\t1\t2\ngc\tgto\t1\t2\n' >runs.tsv
	pivot x=w,s y=v,u cluster=1 clusterfile=clusters >wide
	diff wide - <<-END
		position	label	v	u
		0	gto	1	2
		1	lrr	1	2
		2.7	gto	1	2
	END
	printf '0.5\tbfs\t2\n2.7\tgc\t1\n' | diff clusters -
	"$root/plots/stack" -x w,s -y v,u -c runs.tsv >f.svg
	[ "$(grep -c '>bfs<\|>gc<\|>gto<' f.svg)" = 4 ]
	# Longer labels that stand make the picture taller, and no others do.
	sed 's/lrr/detected-daws/' runs.tsv | "$root/plots/stack" -x w,s -y v,u -c >g.svg
	"$root/plots/stack" -x w,s -y v,u runs.tsv | grep -q 'height="450"'
	[ "$(for file in f g; do sed -n 's/.* height="\([0-9]*\)"$/\1/p' $file.svg; done | paste -s -d ' ')" = \
		"470 537" ]
	# So do longer names of clusters with the breadth, as far as they would run into each other.
	sed 's/^gc/leukocyte/; s/^bfs/streamcluster/' runs.tsv | "$root/plots/stack" -x w,s -y v,u -c >g.svg
	grep -q '^ width="800"' g.svg
	names="leukocyte mergesort streamcluster storegpu heartwall facedetect backprop coulomb libor \
hotspot gaussian pathfinder"
	for w in $names; do
		for s in PDOM DWF TBC; do
			printf '%s\t%s\t1\t2\n' "$w" "$s"
		done
	done | cat <(head -n 1 runs.tsv) - >many.tsv
	"$root/plots/stack" -x w,s -y v,u -c many.tsv >g.svg
	grep -q '^ width="1[0-9]*"' g.svg
	# At 8 a letter no two names meet.
	sed -n 's/.*translate(\([0-9.]*\),.*/\1/p; s/.*<text>\([a-z]*\)<.*/\1/p' g.svg |
		awk -v names="$names" '
			/^[0-9]/ { at = $1; next }
			index(" " names " ", " " $0 " ") {
				if (n++ && at - before < 4 * (length($0) + length(last)))
					bad = 1
				before = at
				last = $0
			}
			END { exit bad || n != 12 }'
}

@test "labels slant where they would meet, and stand where slanting ones would" {
	for n in 7 20 40; do
		{
			printf 'w\tv\n'
			for ((i = 0; i < n; i++)); do
				printf 'workload%d\t1\n' "$i"
			done
		} >runs.tsv
		"$root/plots/bars" -x w -y v -o "$n.svg" runs.tsv
	done
	! grep -q 'rotate(-30' 7.svg || false
	grep -q 'rotate(-30' 20.svg
	! grep -q 'rotate(-30' 40.svg || false
	[ "$(grep -c 'rotate(-90' 40.svg)" -ge 40 ]
}

@test "points may stand at one place" {
	printf 'n\ta\tb\n4\t1\t-\n1\t2\t-\n4\t-\t3\n' >runs.tsv
	pivot x=n y=a,b points=1 numeric=1 >wide
	[ "$(cut -f 2 wide | paste -s -d ' ')" = "label 4 1 4" ]
	"$root/plots/lines" -x n -y a,b -P -o f.svg runs.tsv
	expect 1 "lines: two rows for '4', 'a'" "$root/plots/lines" -x n -y a -o g.svg - \
		< <(printf 'n\ta\n4\t1\n4\t2\n')
}

@test "a group has the look that it is given" {
	printf 'w\ta\tb\nbfs\t1\t2\n' >runs.tsv
	"$root/plots/bars" -x w -y a,b runs.tsv >f.svg
	"$root/plots/bars" -x w -y a,b -s 1,2 runs.tsv | cmp - f.svg
	"$root/plots/bars" -x w -y a,b -s 9 runs.tsv >g.svg
	grep -qi 'rgb(17,17,17)' g.svg
	! cmp -s f.svg g.svg || false
}

@test "what it cannot draw it says in a sentence, and it writes nothing" {
	runs
	bars="$root/plots/bars"
	expect 2 "bars: -x is missing" "$bars" -y ipc runs.tsv
	expect 2 "bars: -y is missing" "$bars" -x workload runs.tsv
	expect 2 "bars: -x wants a value" "$bars" -y ipc -x
	expect 2 "bars: there is no option -p" "$bars" -p -x workload -y ipc runs.tsv
	expect 2 "bars: -m: there is no mean 'median'" "$bars" -x a -y b -m median runs.tsv
	expect 2 "bars: -w: 'kernel' is no COLUMN=VALUE" "$bars" -x a -y b -w kernel runs.tsv
	expect 2 "bars: -g wants one column in -y, not 'a,b'" "$bars" -x a -y a,b -g c runs.tsv
	expect 2 "bars: -n wants groups by -g" "$bars" -x a -y b -n gto runs.tsv
	expect 2 "bars: one FILE, not 2" "$bars" -x a -y b runs.tsv runs.tsv
	expect 2 "bars: 'f.jpg' ends neither in .svg nor .png nor .pdf" \
		"$bars" -x a -y b -o f.jpg runs.tsv
	expect 1 "bars: cannot read 'none'" "$bars" -x a -y b none
	expect 1 "bars: the table is empty" "$bars" -x a -y b /dev/null
	expect 1 "bars: the table has no column 'cpi'" "$bars" -x workload -y cpi -o f.svg runs.tsv
	expect 1 "bars: two rows for 'bfs', 'gto': choose with -w or -T" \
		"$bars" -x workload -y ipc -g scheduler -o f.svg runs.tsv
	expect 1 "bars: 'total' for 'bfs' is no number" \
		"$bars" -x workload -y kernel -g scheduler -T -o f.svg runs.tsv
	expect 1 "bars: no group 'ccws' to normalize to" \
		"$bars" -x workload -y ipc -g scheduler -T -n ccws -o f.svg runs.tsv
	expect 1 "bars: no row is left to draw" \
		"$bars" -x workload -y ipc -w scheduler=ccws -o f.svg runs.tsv
	expect 1 "lines: 'bfs' along x is no number" \
		"$root/plots/lines" -x workload -y ipc -g scheduler -T -o f.svg runs.tsv
	awk 'BEGIN { print "a\tv"; for (i = 0; i < 13; i++) print "g" i "\t1" }' >many.tsv
	expect 1 "bars: 13 groups are too many to tell apart, 12 are the most" \
		"$bars" -x v -y v -g a -o f.svg many.tsv
	expect 2 "bars: -c wants two columns in -x, not 'a'" "$bars" -x a -y b -c runs.tsv
	expect 2 "bars: -s: '0,1' is no list of numbers from 1 to 12" "$bars" -x a -y b -s 0,1 runs.tsv
	expect 1 "bars: no row 'HMEAN' to set apart" \
		"$bars" -x workload -y ipc -g scheduler -T -a HMEAN -o f.svg runs.tsv
	expect 1 "bars: cannot write 'none/f.svg'" \
		"$bars" -x workload -y ipc -g scheduler -T -o none/f.svg runs.tsv
	mkdir d.svg
	expect 1 "bars: cannot write 'd.svg': Is a directory" \
		"$bars" -x workload -y ipc -g scheduler -T -o d.svg runs.tsv
	[ -z "$(ls d.svg)" ]
	bash -c '"$0" -x workload -y ipc -g scheduler -T runs.tsv >/dev/full' "$bars" 2>stderr && false
	grep -q 'bars: cannot write standard output: No space left on device' stderr
	[ ! -e f.svg ]
}

@test "a picture goes where its name leads: a link stays one, a pipe is written as it is" {
	runs
	bars() {
		"$root/plots/bars" -x workload -y ipc -g scheduler -T -o "$1" runs.tsv
	}
	bars want.svg
	echo old >real.svg
	chmod 640 real.svg
	ln -s real.svg link.svg
	bars link.svg
	[ -L link.svg ]
	[ "$(stat -c %a real.svg)" = 640 ]
	cmp real.svg want.svg
	mkfifo pipe.svg
	timeout 20 cat pipe.svg >got &
	bars pipe.svg
	[ -p pipe.svg ]
	wait
	cmp got want.svg
	bars -a.svg
	cmp ./-a.svg want.svg
	[ -z "$(ls ./*.part 2>/dev/null)" ]
}

@test "-h and the manual have the same options" {
	for script in bars lines stack; do
		"$root/plots/$script" -h | sed -n 's/^  -\(.\).*/\1/p'
	done | sort -u >options
	sed -n 's/^\.BI* \\-\(.\).*/\1/p' "$root/plots/trace-plots.7" | sort -u | diff options -
}

# example N: the manual's example runs, and has drawn what it names last.
example() {
	ln -sfn "$root/plots" plots
	awk -v n="$1" '/^\.EX$/ { on = ++i == n; next } /^\.EE$/ { on = 0 }
		on { gsub(/\\e/, "\\"); print }' "$root/plots/trace-plots.7" >example
	[ -s example ]
	bash -eu -o pipefail example
	[ -s "$(grep -o '[a-z]*\.\(svg\|png\)' example | tail -n 1)" ]
}

@test "the manual's first example draws" {
	example 1
}

@test "the manual's second example draws" {
	example 2
}

@test "the manual's third example draws" {
	example 3
}

@test "the manual's fourth example draws" {
	example 4
}

@test "the manual's fifth example draws" {
	[ "$(grep -cx '\.EX' "$root/plots/trace-plots.7")" = 7 ]
	example 5
}

@test "the manual's other examples draw" {
	example 6
	[ -s sizes.svg ]
	example 7
}

@test "every picture opens in librsvg: those that are there, and one of each kind" {
	command -v rsvg-convert >/dev/null || skip "there is no rsvg-convert here"
	cp $(sources | sed -n "s|.*\.svg\$|$root/&|p") .
	[ "$(ls ./*.svg | wc -l)" -ge 5 ]
	runs
	trace-plot bars -x workload -y ipc -g scheduler -T -m harmonic -o 1.svg runs.tsv
	trace-plot bars -x workload,scheduler -y ipc -c -T -o 2.svg runs.tsv
	trace-plot stack -x workload,scheduler -y issued,idle -T -p -o 3.svg runs.tsv
	printf 'n\tv\tu\n1\t2\t3\n2\t5\t1\n4\t3\t2\n' >n.tsv
	trace-plot lines -x n -y v,u -L -o 4.svg n.tsv
	trace-plot lines -x n -y v,u -P -o 5.svg n.tsv
	trace-plot area -x n -y v,u -o 6.svg n.tsv
	trace-plot area -x n -y v,u -p -o 7.svg n.tsv
	trace-plot scatter -x n -y v -o 8.svg n.tsv
	trace-plot heat -x workload -g scheduler -y ipc -T -o 9.svg runs.tsv
	[ "$(ls [1-9].svg | wc -l)" = 9 ]
	for picture in *.svg; do
		rsvg-convert "$picture" -o p.png || { echo "$picture does not open"; false; }
		! grep -q 'scale(0' "$picture" || false
	done
}

@test "a heat map of many fields has colours alone, and room for its labels" {
	{
		printf 'clock\tsm\tipc\n'
		for t in $(seq 40); do
			for sm in $(seq 0 29); do printf '%d\t%d\t%d\n' $((1000 * t)) "$sm" $(((t * sm) % 7)); done
		done
	} >t.tsv
	trace-plot heat -x clock -g sm -y ipc -o m.svg t.tsv
	rsvg-convert m.svg -o m.png
	[ "$(grep -c '<text' m.svg)" -lt 60 ]
	[ "$(grep -c '>28</text>\|>28<' m.svg)" -ge 1 ]
	expect 1 "bars: 30 groups are too many to tell apart, 12 are the most" \
		trace-plot bars -x clock -g sm -y ipc -o b.svg t.tsv
}

@test "areas are as wide as their intervals; a heat map has all fields; points have their correlation" {
	printf 'clock\ta\tb\n10\t1\t2\n20\t3\t2\n25\t0\t4\n' >n.tsv
	trace-plot area -x clock -y a,b -o a.svg n.tsv
	rsvg-convert a.svg -o a.png
	printf 'x\tg\tv\n1\tp\t1\n2\tp\t2\n1\tq\t3\n2\tq\t4\n' >h.tsv
	trace-plot heat -x x -g g -y v -o h.svg h.tsv
	for v in 1 2 3 4; do
		grep -q ">$v<" h.svg
	done
	expect 2 "a heat map wants its rows by -g" trace-plot heat -x x -y v h.tsv
	printf 'x\ty\n1\t2\n2\t4\n3\t6\n' >p.tsv
	trace-plot scatter -x x -y y p.tsv | grep -q 'r = 1.000, n = 3'
	printf 'x\ty\n1\t6\n2\t5\n3\t1\n4\t1\n' >p.tsv
	# By hand: sums 10, 13, squares 30, 63, products 23.
	r=$(awk 'BEGIN { printf "%.3f", (4 * 23 - 130) / sqrt((4 * 30 - 100) * (4 * 63 - 169)) }')
	trace-plot scatter -x x -y y p.tsv | grep -qF -- "r = $r, n = 4"
}

@test "values below zero are drawn, and the axis begins below them" {
	printf 'x\ty\tz\n1\t-3\t1\n2\t4\t2\n3\t-5\t-2\n' >n.tsv
	# Six bars, and two in the key.
	trace-plot bars -x x -y y,z -o b.svg n.tsv
	[ "$(texts b.svg | grep -cx -e '-[2345]')" = 4 ]
	[ "$(grep -c '<polygon' b.svg)" = 8 ]
	trace-plot lines -x x -y y,z -o l.svg n.tsv
	texts l.svg | grep -qx -e -5
	# A mark alone may be the lowest.
	printf 'x\ty\tz\n1\t4\t1\n' >p.tsv
	printf 'x\ty\tz\n1\t-\t-6\n' >m.tsv
	trace-plot bars -x x -y y,z -k m.tsv p.tsv | texts | grep -qx -e -6
	# The names of clusters stay below the bars: lower than where the axis ends.
	printf 'w\ts\tv\na\tp\t-1\na\tq\t2\nb\tp\t-2\n' >c.tsv
	trace-plot bars -x w,s -y v -c -o c.svg c.tsv
	[ "$(height c.svg a)" -gt "$(height c.svg -2)" ]
	# Where nothing is negative the axis begins at zero.
	trace-plot bars -x x -y y,z p.tsv | texts | grep -x -e '[-0-9.]*' | head -n 1 | grep -qx 0
}

@test "a negative part of a whole is told by its row" {
	printf 'x\ty\tz\n1\t3\t1\n2\t4\t-2\n' >n.tsv
	for share in '' -p; do
		for kind in stack area; do
			expect 1 "$kind: '-2' for '2', 'z' is negative" trace-plot $kind $share -x x -y y,z -o f.svg n.tsv
		done
	done
	printf 'w\ts\ty\tz\na\tb\t3\t-1\n' >c.tsv
	expect 1 "stack: '-1' for 'a b', 'z' is negative" trace-plot stack -x w,s -c -y y,z -o f.svg c.tsv
	[ ! -e f.svg ]
}

@test "a logarithmic axis refuses what has no logarithm" {
	printf 'x\ty\n0\t5\n1\t3\n2\t2\n4\t1\n' >z.tsv
	expect 1 "lines: '0' along x has no logarithm" trace-plot lines -L -x x -y y -o f.svg z.tsv
	expect 1 "scatter: '0' along x has no logarithm" trace-plot scatter -L -x x -y y -o f.svg z.tsv
	expect 1 "lines: '-1' along x has no logarithm" trace-plot lines -L -x x -y y -o f.svg \
		- < <(sed 's/^0/-1/' z.tsv)
	[ ! -e f.svg ]
	trace-plot lines -x x -y y -o f.svg z.tsv
	sed 's/^0\t5/0\t-/' z.tsv | trace-plot lines -L -x x -y y -o f.svg
}

@test "a heat map of one place along x is drawn, and a field without a value has no number" {
	printf 'x\tg\ty\na\tg\t1\na\th\t2\n' >h.tsv
	trace-plot heat -x x -g g -y y -o h.svg h.tsv
	[ "$(texts h.svg | grep -x '[12]' | head -n 2 | paste -s -d ' ')" = "1 2" ]
	printf 'x\tg\ty\na\tg\t1\n' | trace-plot heat -x x -g g -y y -o h.svg
	# Light fields alone, and one that is dark.
	printf 'x\tg\ty\na\tg\t1\nb\th\t2\nb\tg\t-\n' >h.tsv
	trace-plot heat -x x -g g -y y h.tsv | texts >said
	grep -qx 1 said
	! grep -qi nan said || false
}

@test "columns are groups in the order that they were asked for" {
	printf 'x\ty\tz\n1\t-\t1\n2\t3\t-\n' >runs.tsv
	pivot x=x y=y,z >wide
	[ "$(head -n 1 wide)" = $'position\tlabel\ty\tz' ]
	# The only bar above the first place has the second look, and so has its place in the key.
	trace-plot stack -x x -y y,z -s 9,3 -w x=1 -o f.svg runs.tsv
	[ "$(grep -c 'fill:rgb(185,216,238)' f.svg)" = 2 ]
	[ "$(grep -c 'fill:rgb(17,17,17)' f.svg)" = 1 ]
	[ "$(texts f.svg | grep -x '[yz]' | paste -s -d ' ')" = "y z" ]
}

@test "names are written as they are, in every place of a figure" {
	printf 'x\tg\ty\na_b{c}^2\tg#1\t1\nx"y\tg"2\t2\nback\\slash\t#g3\t3\n%%s @x\tq'"'"'4\t4\n"0\t\t5\n' >h.tsv
	tail -n +2 h.tsv | cut -f 1,2 | tr '\t' '\n' | grep . | sort >names
	for kind in heat bars; do
		trace-plot $kind -x x -g g -y y -o f.svg h.tsv
		texts f.svg | sort >there
		[ "$(comm -23 names there)" = "" ]
	done
	# A row's name stands at the row's height, also below one without a name.
	printf 'x\tg\ty\na\t#g\t1\na\t\t2\na\tlast\t3\nb\tlast\t4\n' >h.tsv
	trace-plot heat -x x -g g -y y -o f.svg h.tsv
	for pair in '#g 1' 'last 3'; do
		set -- $pair
		[ $(($(height f.svg "$1") - $(height f.svg "$2"))) -ge -3 ]
		[ $(($(height f.svg "$1") - $(height f.svg "$2"))) -le 3 ]
	done
	printf 'w\ts\ta"1\tb\\n\nc"1\tx\t1\t2\nc\\t\ty\t1\t2\n' >c.tsv
	trace-plot stack -x w,s -c -y 'a"1,b\n' -o f.svg c.tsv
	for name in 'c"1' 'c\t' 'a"1' 'b\n'; do
		texts f.svg | grep -qxF -- "$name"
	done
}

@test "files are found by their names, whatever is in these" {
	printf 'x\ty\na\t1\n' >'m\ark'
	cp 'm\ark' t.tsv
	trace-plot bars -x x -y y -k 'm\ark' t.tsv | grep -q '>paper<'
	mkdir "it's"
	TMPDIR=$PWD/"it's" trace-plot bars -x x -y y -o f.svg -k t.tsv t.tsv
	[ -s f.svg ]
	trace-plot bars -x x -y y -k t.tsv t.tsv | cmp - f.svg
}

@test "large numbers keep their digits" {
	printf 'x\tg\ty\na\tg\t123456789012\nb\tg\t2147483649\na\th\t0.1234567890123456789\n' >runs.tsv
	pivot x=x g=g y=y >wide
	diff wide - <<-END
		position	label	g	h
		0	a	123456789012	0.1234567890123456789
		1	b	2147483649	-
	END
	printf 'x\ty\ta\n1\t123456789012\t123456789014\n2\t123456789012\t123456789015\n' >runs.tsv
	pivot x=x y=y,a mean=arithmetic >wide
	[ "$(tail -n 1 wide | cut -f 3-)" = $'123456789012\t123456789014.5' ]
	# An area's first interval begins where it would with small numbers.
	printf 'x\ty\tz\n11\t1\t2\n12\t2\t3\n13\t3\t1\n' >a.tsv
	trace-plot area -x x -y y,z a.tsv | grep polygon >small
	[ -s small ]
	sed 's/^1/12345678901/' a.tsv | trace-plot area -x x -y y,z | grep polygon | cmp - small
}

@test "the correlation is that of numbers that lie close, however large" {
	for y in "1 2 3 4" "6 5 1 1"; do
		for from in 0 1000000000 -5000000000000; do
			set -- $y
			{
				printf 'x\ty\n'
				for i in 1 2 3 4; do
					printf '%d\t%d\n' $((from + i)) "$1"
					shift
				done
			} >p.tsv
			trace-plot scatter -x x -y y p.tsv | grep -o 'r = [-0-9.]*, n = 4' >>said
		done
	done
	[ "$(sort said | uniq -c | awk '{ print $1 }' | paste -s -d ' ')" = "3 3" ]
	grep -q 'r = 1.000' said
	# A number that does not vary has none.
	printf 'x\ty\n0.1\t1\n0.1\t2\n0.1\t4\n' | trace-plot scatter -x x -y y | grep -q '>n = 3<'
}

@test "trace-plot names its kinds, and hands its options on" {
	runs
	trace-plot bars -x workload -y ipc -g scheduler -T runs.tsv >a.svg
	"$root/plots/bars" -x workload -y ipc -g scheduler -T runs.tsv | cmp - a.svg
	expect 2 "there is no kind 'pie'" trace-plot pie
	expect 2 "name a KIND" trace-plot
	trace-plot --help | grep -q scatter
	trace-plot --version | grep -q '^trace-plot (warptrace) [0-9]'
}

@test "launches over time: those that wait, and CTAs on the SMs, are those of the tables" {
	trace-gen bfs-dyn --set form=dyn,nodes=600 -o d.wt
	for mode in cdp dtbl; do
		trace-replay -q -m k20c --launch $mode --stats=launches --format=tsv --events e.tsv d.wt >l
		awk -f "$root/plots/launches.awk" l e.tsv >data
		# A row for each launch by a thread, in the order of their calls; nobody begins too early.
		awk -F '\t' '$1 == "row" { n = NR } n && NR > n' data >rows
		[ "$(wc -l <rows)" = "$(column l parent | grep -vc '^-$')" ]
		[ "$(wc -l <rows)" -gt 0 ]
		awk -F '\t' '$2 < last || $3 < $2 || $4 < $3 { exit 1 } { last = $2 }' rows
		# Nothing waits or runs before the first call or after the end.
		awk -F '\t' '$1 == "waiting" || $2 == "waiting" { in_it = 1; next } /^row/ { exit }
			in_it && NF == 2 && !n++ { exit $2 != 0 }' data
		[ "$(head -n 1 data)" = "cycle	bfs_expand_dyn	bfs_copy	bfs_contract" ]
		awk -F '\t' 'NR > 1 && NF == 4 && $1 ~ /^[0-9]/ && ($3 < $2 || $4 < $3) { exit 1 }
			/waiting/ { exit }' data
		# A window holds its launches alone.
		awk -v from=1 -v to=2 -f "$root/plots/launches.awk" l e.tsv >data
		[ "$(tail -n 1 data)" = "row	called	began	ended" ]
	done
	command -v gnuplot >/dev/null || skip "gnuplot is not installed"
	awk -f "$root/plots/launches.awk" l e.tsv >data
	local here=$PWD
	cd "$root"
	gnuplot -e "term='svg'; out='$here/l.svg'; data='$here/data'; run='r'" plots/launches.gp
	grep -q 'launches by threads' "$here/l.svg"
}
