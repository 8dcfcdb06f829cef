#!/usr/bin/env bats
# The papers' figures and the page that shows them, on runs of tiny inputs.
load helper

# Runs of a few figures, not all of them whole.
setup_file() {
	cd "$BATS_FILE_TMPDIR" || return 1
	printf '%s\n' 'thesis replay bfs nodes=500 ccws lrr;gto;ccws - -' \
		'thesis replay kmeans points=512 ccws lrr;gto;ccws - -' \
		'thesis replay memcached requests=512,items=1K ccws lrr;gto;ccws - -' \
		'thesis replay gc objects=1000,roots=64 ccws lrr;gto;ccws - -' \
		'swl replay bfs nodes=500 ccws swl:limit=2;swl:limit=4;swl:limit=32 - -' \
		'tbc replay bfs nodes=500 tbc - fixed:32;dwf -' | tr ' ' '\t' >recipe.tsv
	grep '^crown-example' "$BATS_TEST_DIRNAME/../../plots/paper/recipe.tsv" >>recipe.tsv
	root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	"$root/plots/paper/run" -j 2 -o p -r recipe.tsv "${WARPTRACE_TOOLS:-${WARPTRACE_BUILD:-$root/build}}" \
		>/dev/null
}

draw() {
	[ -d p ] || cp -r "$BATS_FILE_TMPDIR/p" .
	"$root/plots/paper/draw" "$@" p
}

@test "every figure has a table and a picture, and the page shows it" {
	draw
	[ "$(sed 1d p/figures/list.tsv | wc -l)" -ge 5 ]
	sed 1d p/figures/list.tsv | while IFS=$'\t' read -r id script _; do
		[ -s "p/figures/$id.tsv" ]
		grep -q "href=\"figures/$id.tsv\"" p/index.html
		[ "$script" = table ] && continue
		grep -q "^</svg>" "p/figures/$id.svg"
		grep -q "src=\"figures/$id.svg\"" p/index.html
	done
	[ -z "$(cut -f 1 p/figures/list.tsv | grep dwr)" ]
}

@test "bars are normalized, means are of what stands before them, the fastest is found" {
	draw
	gto=$(awk -F '\t' '$1 == "thesis" && $2 == "bfs" && $5 == "gto"' p/runs.tsv | cut -f 8)
	lrr=$(awk -F '\t' '$1 == "thesis" && $2 == "bfs" && $5 == "lrr"' p/runs.tsv | cut -f 8)
	best=$(awk -F '\t' '$1 == "swl" { print $8 }' p/runs.tsv | sort -n | head -n 1)
	# The first column after a run's settings is its cycles, and its instructions are the same.
	[ "$(head -n 1 p/runs.tsv | cut -f 8)" = cycles ]
	awk -F '\t' -v gto="$gto" -v lrr="$lrr" -v best="$best" '
		FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$1 != "HMEAN-HCS" { n++; sum += 1 / $at["LRR"] }
		$1 == "bfs" { bad = off($at["LRR"], gto / lrr) || off($at["Best-SWL"], gto / best) }
		$at["GTO"] != 1 { bad = 1 }
		$1 == "HMEAN-HCS" { seen = 1; bad = bad || off($at["LRR"], n / sum) || $at["Best-SWL"] != "-" }
		END { exit bad || !seen || n != 4 }
		function off(a, b) { return a - b > 1e-4 || b - a > 1e-4 }' p/figures/thesis-3.8.tsv
	awk -F '\t' '$1 == "thesis-3.8"' p/figures/list.tsv | grep -q '	2LVL-GTO$'
	# A mean of some of its workloads is none.
	[ -z "$(grep HMEAN p/figures/tbc-12.tsv p/figures/tbc-6.tsv | grep -v DIVG)" ]
	! grep HMEAN p/figures/thesis-3.18.tsv p/figures/thesis-3.3a.tsv || false
}

# Eight steps under stacks, a warp for B and two for C under CROWN (test_slide_18 knows their threads).
@test "the example of CROWN's slide 18, step by step" {
	draw
	sed 1d p/figures/slides-18.tsv | awk -F '\t' -v OFS= '
		$5 == 0 && NR > 1 { print line }
		$5 == 0 { line = $1 " " $4 " " }
		{ line = line $6 }
		END { print line }' >steps
	grep -v DWF steps | diff - <(printf '%s\n' 'SBR A 1111' 'SBR A 1111' 'SBR C 1001' 'SBR C 1110' \
		'SBR B 0110' 'SBR B 0001' 'SBR D 1111' 'SBR D 1111' 'CROWN A 1111' 'CROWN A 1111' \
		'CROWN B 0111' 'CROWN C 1111' 'CROWN C 1000' 'CROWN D 1111' 'CROWN D 1111')
	grep -q "^slides-18	crown-example	" p/figures/runs.tsv
	grep -q -- "--events='runs/example-18" <(sed 's/&#39;/'"'"'/g' p/index.html)
}

@test "known answers: every mechanism in a row" {
	{
		echo family workload input machine scheduler warp settings ipc_thread simd_efficiency \
			l1d_misses thread_cycles threads_{ready,pipeline,memory,inactive,meet,barrier}
		for w in fixed:32 fixed:32,lcp=1 dualpath dwf dwf:wb=1 tbc tbc:capri=32 lwm crown dwr vws \
			vws:reform=1; do
			case $w in
			crown) # twice and four times as fast; no misses on a, whose PDOM has none either
				echo "mechanisms a - crown - $w - 2 1 0 50 25 5 5 0 10 5"
				echo "mechanisms b - crown - $w - 4 0.5 30 200 50 50 50 0 50 0"
				;;
			*)
				echo "mechanisms a - crown - $w - 1 0.25 0 100 20 20 20 20 10 10"
				echo "mechanisms b - crown - $w - 1 0.25 10 400 100 100 50 50 100 0"
				;;
			esac
		done
	} | tr ' ' '\t' >runs.tsv
	awk -f "$root/plots/paper/mechanisms.awk" runs.tsv >table
	[ "$(wc -l <table)" = 13 ]
	grep -x "PDOM	fixed:32	1.000	0.250	1.000	22.5	22.5	16.2	16.2	17.5	5.0" table
	# 2 / (1/2 + 1/4); 3 times the misses where there are some
	grep -x "CROWN	crown	2.667	0.750	3.000	37.5	17.5	17.5	0.0	22.5	5.0" table
	awk -v cycles=1 -f "$root/plots/paper/mechanisms.awk" runs.tsv >stack
	grep -x "CROWN	0.1875	0.0875	0.0875	0.0000	0.1125	0.0250" stack
	awk -F '\t' '$1 == "PDOM" { exit $2 + $3 + $4 + $5 + $6 + $7 != 1 }' stack
	grep -v 'b - crown - lwm' runs.tsv | sed '/b	-	crown	-	lwm	/d' >fewer.tsv
	[ -z "$(awk -f "$root/plots/paper/mechanisms.awk" fewer.tsv)" ]
}

@test "a stack's base has the height 1" {
	draw
	awk -F '\t' '$1 == "PDOM" { for (i = 2; i <= NF; i++) sum += $i; seen = 1 }
		END { exit !seen || sum < 0.9999 || sum > 1.0001 }' p/figures/tbc-13a.tsv
}

# made FILE LINE...: a table of a tool, made up, its columns between blanks.
made() {
	mkdir -p p
	printf '%s\n' "${@:2}" | tr ' ' '\t' >"p/$1.tsv"
}

# A folder of made-up tables: two workloads under two schedulers.
made_up() {
	made plan
	made scoreboard 'id paper ours ratio verdict' 'ccws.ci 1.00 1 1 met'
	made runs 'family workload input machine scheduler warp settings ipc_thread a b' \
		'f bfs - ccws gto - - 1 1 3' 'f bfs - ccws x:1 - - 2 3 3' 'f bfs - ccws x:2 - - 4 2 2' \
		'f gc - ccws gto - - 2 2 2' 'f gc - ccws x:1 - - 2 6 6' 'f gc - ccws x:2 - - 1 2 6'
}

# table ID: what draw made of the figure in f.ini, commas for tabs.
table() {
	draw -f f.ini >/dev/null
	tr '\t' ',' <"p/figures/$1.tsv"
}

@test "known answers: bars and their means" {
	made_up
	printf '%s\n' '[m]' 'draw = bars' 'rows = bfs, HMEAN-a, sssp, gc, AVG' 'value = ipc_thread' \
		'series = G = f/gto; X = f/x:1; B = f/x:*; N = f/none' 'base = G' >f.ini
	# Over gto, of all that stands before them, or none; the fastest of x is another on each.
	diff <(table m) - <<-END
		workload,G,X,B
		bfs,1,2,4
		HMEAN-a,1,2,4
		gc,1,1,1
	END
	sed -i 's/HMEAN-a, sssp, gc, AVG/gc, HMEAN/' f.ini
	# 2 and 1, 4 and 1.
	[ "$(table m | tail -n 1)" = HMEAN,1,1.33333,1.6 ]
	sed -i 's/HMEAN/GMEAN/' f.ini
	[ "$(table m | tail -n 1)" = GMEAN,1,1.41421,2 ]
	sed -i 's/GMEAN/AVG/' f.ini
	[ "$(table m | tail -n 1)" = AVG,1,1.5,2.5 ]
}

@test "known answers: stacks, shares, sums, products and quotients" {
	made_up
	printf '%s\n' '[m]' 'draw = stack' 'rows = bfs, gc, AVG' 'only = AVG' 'value = a = a; b = b' \
		'series = G = f/gto; X = f/x:1' 'base = G' '[s]' 'draw = stack' 'rows = bfs, gc, AVG' \
		'series = G = f/gto' 'value = a = a; b = b' 'share = 1' '[e]' 'draw = table' 'rows = bfs' \
		'series = X = f/x:2' 'value = v = a + a * b / b; w = none ? ipc_thread; n = none' >f.ini
	# Means 1.5 and 2.5 of 4 high, 4.5 and 4.5; shares 1/4 and 1/2; (2 + 2 * 2) / 2.
	diff <(table m) <(printf '%s\n' series,a,b G,0.375,0.625 X,1.125,1.125)
	diff <(table s) <(printf '%s\n' workload,a,b bfs,0.25,0.75 gc,0.5,0.5 AVG,0.375,0.625)
	diff <(table e) <(printf '%s\n' workload,v,w,n bfs,3,4,-)
}

@test "known answers: lines, and series that make rows and columns" {
	made_up
	printf '%s\n' '[l]' 'draw = lines' 'rows = bfs, gc, AVG' 'only = AVG, gc' 'value = a' 'x = n' \
		'series = 1 = f/x:1; 2 = f/x:2; 3 = f/gto' 'hide = 3' '[f]' 'draw = bars' \
		'rows = bfs, gc, AVG' 'only = AVG' 'series = p|1 = f/x:1; p|2 = f/x:2; q|2 = f/gto' \
		'value = a' '[not]' 'draw = bars' 'rows = bfs' 'value = a' 'needs = N' \
		'series = G = f/gto; N = f/none' >f.ini
	diff <(table l) <(printf '%s\n' n,gc,AVG 1,6,4.5 2,2,2)
	diff <(table f) <(printf '%s\n' case,1,2 p,4.5,2 q,-,1.5)
	[ ! -e p/figures/not.tsv ]
}

@test "the page says which figures are left out, and what a set lacks" {
	made_up
	made runs 'family workload input machine scheduler warp settings simd_efficiency' \
		'tbc bfs - tbc - fixed:32 - 0.5' 'f gc - ccws gto - - 1'
	printf '%s\n' '[thesis-1]' 'draw = bars' 'rows = gc' 'value = simd_efficiency' \
		'series = G = f/gto' '[tbc-1]' 'draw = bars' 'rows = @LACKS' 'value = simd_efficiency' \
		'series = P = tbc//fixed:32' '[tbc-2a]' 'title = Not there' 'draw = bars' 'rows = bfs' \
		'value = simd_efficiency' 'series = P = tbc//dwf' >f.ini
	# The sets that there are lack nothing: here is one that does.
	mkdir tree
	cp -r "$root/plots" tree
	ln -s "$root/datasets" tree
	printf 'LACKS\tbfs\tmiss,lack\n' >>tree/plots/paper/sets.tsv
	tree/plots/paper/draw -f f.ini p
	[ "$(cut -f 1-3 p/figures/runs.tsv | sed 1d | tr '\t\n' '  ')" = "thesis-1 f gc tbc-1 tbc bfs " ]
	diff p/figures/left.tsv <(printf 'id\ttitle\ntbc-2a\tNot there\n')
	grep -qxF '<li>Thread block compaction, figure 2 (a). Not there' p/index.html
	grep -qF "Without miss; lack: not measured" p/index.html
	sed -i '/tbc-2a/,$d' f.ini
	tree/plots/paper/draw -f f.ini p
	! grep 'Left out' p/index.html || false
}

@test "known answers: rows by class, by loop and by instruction" {
	made_up
	head='family workload input machine scheduler warp settings'
	made locality "$head class pki" 'c bfs - ccws gto - - cold 3' 'c bfs - ccws gto - - warp 4'
	made loops "$head loop hits" 'l bfs - ccws gto - - - 3' 'l bfs - ccws gto - - 0 4'
	made pcs "$head pc accesses hits kernel loop" 'i bfs - ccws gto - - 88 5 1 k 0' \
		'i bfs - ccws gto - - 16 5 2 k -' 'i bfs - ccws gto - - 24 9 3 other -' \
		'i bfs - ccws gto - - 32 0 0 k -'
	made loads "$head pc active requests count kernel loop" 'd bfs - ccws gto - - 16 2 1 9 k -' \
		'd bfs - ccws gto - - 88 3 1 9 k 0' 'd bfs - ccws gto - - 88 3 2 9 k 0'
	printf '%s\n' '[c]' 'draw = table' 'rows = bfs' 'series = A = c/gto' \
		'value = v = cold.pki + warp.pki' '[l]' 'draw = table' 'rows = bfs' 'series = A = l/gto' \
		'value = hits' '[i]' 'draw = stack' 'by = pc' 'rows = bfs' 'series = A = i/gto' \
		'value = h = hits; a = accesses' '[d]' 'draw = points' 'by = pc' 'rows = bfs' \
		'series = A = d/gto' 'value = requests' 'x = lanes = active' >f.ini
	[ "$(table c | tail -n 1)" = bfs,7 ]
	[ "$(table l | tail -n 1)" = bfs,7 ]
	diff <(table i) <(printf '%s\n' workload,pc,h,a bfs,16,2,5 'bfs,88*,1,5')
	diff <(table d) <(printf '%s\n' lanes,PC=88 3,1 3,2)
}

@test "marks are the values of claims.tsv, and stand on bars that there are" {
	draw
	[ "$(column p/figures/thesis-3.8.marks.tsv CCWS)" = \
		"$(awk -F '\t' '$1 == "ccws.hcs.gto" { print $6 }' "$root/datasets/papers/claims.tsv")" ]
	grep -q '>paper<' p/figures/thesis-3.8.svg
	# Every mark of the list is a claim.
	sed ':a; /\\$/ { N; s/\\\n//; ba }' "$root/plots/paper/figures.ini" |
		sed -n 's/^marks = //p' | tr ';' '\n' | sed 's/.* = //; s/[:%].*//' | sort -u >marks
	grep -v '^#' "$root/datasets/papers/claims.tsv" | cut -f 1 | sort -u | comm -23 marks - >unknown
	[ ! -s unknown ]
}

@test "the commands on the page make the runs and the figure" {
	draw
	mkdir -p again/runs again/traces again/figures
	cp p/figures/thesis-3.8*.tsv again/figures
	awk '/id="thesis-3.8"/ { on = 1 } on' p/index.html | sed -n '/<pre>/,/<\/pre>/p' |
		sed -e '/<\/pre>/,$d' -e 's/.*<pre>//' -e 's/&lt;/</g; s/&gt;/>/g; s/&quot;/"/g; s/\&amp;/\&/g' \
		-e '/paper\/draw/d' >commands
	(cd again && W=$root bash -eu ../commands)
	cmp again/figures/thesis-3.8.svg p/figures/thesis-3.8.svg
	for run in again/runs/*; do
		cmp "$run" "p/runs/${run##*/}"
	done
	[ "$(ls again/runs | wc -l)" = 15 ]
}

@test "the page has every claim with its verdict, unit and source, and reaches for nothing outside" {
	draw
	[ "$(grep -c '^<tr id="[^"]*" class="row" data-verdict="[a-z]*"><td>' p/index.html)" = \
		"$(grep -vc '^#' "$root/datasets/papers/claims.tsv")" ]
	grep -F 'id="ccws.hcs.gto"' p/index.html >row
	grep -qF '<td>figure 3.8: <a href="#thesis-3.8">figure 3.8</a><td>IPC ratio<td class="n">1.63' row
	# And back.
	sed -n '/<figure id="thesis-3.8"/,/<.figcaption>/p' p/index.html |
		grep -q 'Results: <a href="#ccws.hcs.gto">ccws.hcs.gto</a> ([a-z]'
	[ -z "$(grep -i 'https\?:\|<script.*src\|<link[^>]*href="[^d]' p/index.html)" ]
	grep -o '\(src\|href\)="[^"]*"' p/index.html | cut -d '"' -f 2 | grep -v '^data:' | sort -u |
		while read -r file; do
			if [[ $file == \#* ]]; then
				grep -qF "id=\"${file#?}\"" p/index.html
			else
				[ -e "p/$file" ]
			fi || { echo "there is no $file"; exit 1; }
		done
	# Every figure stands in the contents, under its paper.
	sed -n '/<nav/,/<.nav>/p' p/index.html >nav
	sed 1d p/figures/list.tsv | cut -f 1 | while read -r id; do
		grep -qF "href=\"#$id\"" nav
	done
	grep -q "^<p>warptrace $(trace-replay --version | awk 'NR == 1 { print $NF }'), [0-9]* [A-Z][a-z]* 20[0-9]*, default inputs" \
		p/index.html
}

@test "why a result parts from the paper stands beside it, with the experiment" {
	reasons=$root/datasets/papers/reasons.tsv
	grep -v '^#' "$reasons" | awk -F '\t' 'NF != 3 || $2 == "" || $3 == "" { print; bad = 1 } END { exit bad }'
	grep -v '^#' "$reasons" | cut -f 1 | sort | tee ids | uniq -d | diff - /dev/null
	grep -v '^#' "$root/datasets/papers/claims.tsv" | cut -f 1 | sort | comm -23 ids - | diff - /dev/null
	draw
	grep -F '<tr id="cache.8m.hcs"' p/index.html |
		grep -qF "<code>$(awk -F '\t' '$1 == "cache.8m.hcs" { print $3 }' "$reasons")</code>"
}

@test "the whole run that QUICK stands beside has claims of the list, with verdicts" {
	grep -v '^#' "$root/plots/paper/whole.tsv" | sed 1d >whole
	cut -f 1 whole | sort >ids
	grep -v '^#' "$root/datasets/papers/claims.tsv" | cut -f 1 | sort | comm -23 ids - | diff - /dev/null
	[ -z "$(cut -f 5 whole | grep -v '^\(met\|direction\|opposite\|partial\|not measured\)')" ]
	n=$(grep -vc 'not measured$' whole)
	# The same scoreboard twice is on the same side throughout, and comments are none of it.
	awk -f "$root/plots/paper/sides.awk" "$root/plots/paper/whole.tsv" "$root/plots/paper/whole.tsv" |
		tail -n 1 | cut -f 7 | grep -qx "$n/$n"
}

@test "what is QUICK says so on every figure, and stands beside the whole run" {
	draw
	[ -z "$(grep -l QUICK p/figures/*.svg)" ]
	! grep -q QUICK p/index.html || false
	sed -i 's/^inputs.*/inputs	QUICK/' p/made.tsv
	# On the other side of what came out.
	awk -F '\t' '$1 == "ccws.hcs.gto"' p/scoreboard.tsv | grep -q opposite && other=direction || other=opposite
	printf 'id\tpaper\tours\tratio\tverdict\nccws.hcs.gto\t1.63\t0.5\t0.3\t%s\n' $other >whole
	awk -f "$root/plots/paper/sides.awk" p/scoreboard.tsv whole >p/sides.tsv
	[ "$(tail -n 1 p/sides.tsv | cut -f 7)" = 0/1 ]
	draw
	# All but slide 18's example, which is the paper's own and whole.
	for picture in p/figures/*.svg; do
		[ "$picture" = p/figures/slides-18.svg ] || grep -q '>QUICK: ' "$picture"
	done
	[ "$(grep -c '<figcaption>.*(QUICK)' p/index.html)" = \
		"$(sed 1d p/figures/list.tsv | grep -vc '^slides-18	')" ]
	grep -F 'id="ccws.hcs.gto"' p/index.html | grep -qF '<td class="n">0.5, <b>another side</b>'
}

@test "the picture of all ratios has those of the scoreboard" {
	draw
	awk -F '\t' '$1 == "ccws.hcs.gto" { print $3 }' p/scoreboard.tsv >want
	[ "$(awk -F '\t' '$1 == "ccws.hcs.gto" { print $4 }' p/figures/ratios.tsv)" = "$(cat want)" ]
	# A change in percent is a ratio, and a bound is none.
	printf '%s\n' 'id	paper	ours	ratio	verdict' 'ccws.cs.misses	-25	-20	0.8	direction' \
		'tbc.l2	1.15,1.135	1.1,1.2	1,1	direction' 'ccws.k8	<4	3	0.75	met' >board
	awk -f "$root/plots/paper/ratios.awk" "$root/datasets/papers/claims.tsv" board | sed 1d |
		diff - <(printf '%s\n' 'ccws.cs.misses	thesis	0.75	0.8	direction	-' \
			'tbc.l2	tbc	1.15	1.1	direction	-' 'tbc.l2	tbc	1.135	1.2	direction	-')
	# Names of what is far apart stand where there is room, of the farthest first.
	printf '%s\n' 'id	paper	ours	ratio	verdict' 'ccws.hcs.gto	2	8	4	direction' \
		'ccws.hcs.2lvl	2.5	8	3.2	direction' 'ccws.cs.gto	2.2	8.1	3.7	direction' >board
	awk -f "$root/plots/paper/ratios.awk" "$root/datasets/papers/claims.tsv" board | sed 1d | cut -f 1,6 |
		diff - <(printf '%s\n' 'ccws.hcs.gto	left' 'ccws.hcs.2lvl	right' 'ccws.cs.gto	-')
	grep -q 'src="figures/ratios.svg"' p/index.html
}

@test "every picture is one for librsvg" {
	command -v rsvg-convert >/dev/null || skip "there is no rsvg-convert here"
	draw
	for picture in p/figures/*.svg "$root"/plots/*.svg "$root"/plots/paper/shown/*.svg; do
		rsvg-convert "$picture" -o p.png
		[ -s p.png ]
		rm p.png
	done
}

@test "the page says what did not hold when a parameter was another" {
	made_up
	made sensitivity 'machine parameter value varied claim paper whole ours verdict held' \
		'ccws - - - ccws.ci 1 1 1 met yes' 'ccws l2.ways 8 4 ccws.ci 1 1 1 met yes' \
		'ccws l2.ways 8 16 ccws.ci 1 1 2 opposite no'
	printf '%s\n' '[m]' 'draw = table' 'rows = bfs' 'value = a' 'series = G = f/gto' >f.ini
	draw -f f.ini
	grep -qF '<tr><td>ccws.ci<td>yes<td>2<td>1<td>l2.ways 8 → 16' p/index.html
	rm p/sensitivity.tsv
	draw -f f.ini
	! grep sensitivity p/index.html || false
}

@test "two drawings are the same bytes" {
	draw
	cp -r p q
	draw
	diff -r p q
	[ "$(ls -d p/figures.new p/index.html.new 2>/dev/null)" = "" ]
}

@test "without gnuplot there are tables and the page" {
	mkdir bin
	for tool in bash awk cp cut date dirname grep mkdir mktemp mv rm sed sort tail wc; do
		ln -s "$(type -P $tool)" bin/
	done
	PATH=$PWD/bin draw >said
	grep -q 'gnuplot is not installed' said
	[ -s p/figures/thesis-3.8.tsv ]
	[ "$(ls p/figures/*.svg 2>/dev/null)" = "" ]
	[ -z "$(grep '<img' p/index.html)" ]
	grep -q '<th>workload' p/index.html
}

@test "a browser loads every picture, filters the results, and has nothing to complain of" {
	chromium_is_there
	draw
	# A picture that is not loaded has no natural width.
	sed 's|</html>|<script>\
		const says = []\
		addEventListener("error", e => says.push(e.message))\
		const seen = () => [...document.querySelectorAll("tr.row")].filter(r => r.offsetParent).length\
		addEventListener("load", () => {\
			const all = seen(), change = new Event("input", { bubbles: true })\
			for (const box of filter.querySelectorAll("[type=checkbox]"))\
				box.checked = box.value == "met"\
			filter.dispatchEvent(change)\
			const met = seen()\
			filter.querySelector("[type=search]").value = "bytes per SM"\
			filter.dispatchEvent(change)\
			document.title = "pictures " +\
				[...document.images].filter(i => i.complete \&\& i.naturalWidth > 0).length +\
				" rows " + all + " met " + met + " words " + seen() + " errors " + says.length\
		})</script>&|' p/index.html >p/check.html
	"$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$PWD/profile" \
		--enable-logging=stderr --dump-dom "file://$PWD/p/check.html" 2>log >dom
	met=$(column p/scoreboard.tsv verdict | grep -c '^met')
	grep -q "<title>pictures $(grep -c '<img' p/index.html) rows $(sed 1d p/scoreboard.tsv | grep -c .)\
 met $met words 1 errors 0</title>" dom
	! grep -q CONSOLE log || false
}

@test "what is wrong is said" {
	expect 2 usage "$root/plots/paper/draw"
	expect 2 usage "$root/plots/paper/page"
	expect 1 "cannot read 'none/plan.tsv'" "$root/plots/paper/draw" none
	printf '[x]\ndraw = bars\nrows = @NONE\nseries = A = a/b\nvalue = v\n' >f.ini
	expect 1 "figures.ini: x: there is no set '@NONE'" draw -f f.ini
	printf '[x]\ndraw = bars\nrows = bfs\nseries = A = a/b\nvalue = v\nbase = B\n' >f.ini
	expect 1 "x: there is no series 'B'" draw -f f.ini
	printf '[x]\ndraw = bars\nrows = bfs\nseries = A = thesis/gto\nvalue = cycles\n%s\n' \
		'marks = bfs/A = q' >f.ini
	expect 1 "x: there is no claim 'q'" draw -f f.ini
}
