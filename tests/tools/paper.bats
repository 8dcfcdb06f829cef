#!/usr/bin/env bats
# The papers' runs and their scoreboard, on recipes of tiny inputs.
load helper

# recipe LINE...: its columns between blanks, commas for the blanks within.
recipe() {
	printf '%s\n' "$@" | tr ' ' '\t' >recipe.tsv
}

paper() {
	"$root/plots/paper/run" -j 2 -r recipe.tsv "$@" "$tools"
}

tiny() {
	recipe 'thesis replay bfs nodes=500 ccws lrr;gto - -' \
		'limits replay bfs nodes=500 ccws gto;swl:limit=2 - -' \
		"tbc replay nnc files=1,records=200 tbc - fixed:32;tbc -;--priority=age"
}

# swept DIR N: nothing has failed, and there are N runs that took cycles.
swept() {
	[ ! -s "$1/failed.tsv" ]
	[ "$(column "$1/runs.tsv" cycles | grep -c '^[1-9]')" = "$2" ]
}

@test "the runs of all families are one table, and equal runs run once" {
	tiny
	paper -o p
	[ "$(column p/runs.tsv family | sort | uniq -c | tr -s ' \n' ' ')" = " 2 limits 4 tbc 2 thesis " ]
	[ "$(ls p/runs | wc -l)" = 7 ]
	[ "$(ls p/traces | tr '\n' ' ')" = "bfs,nodes=500.wt nnc,files=1,records=200.wt " ]
	[ ! -s p/failed.tsv ]
	# As the tool says it by itself.
	trace-gen -q bfs --set nodes=500 -o b.wt
	[ "$(trace-replay -q -m ccws -s swl:limit=2 --format=tsv b.wt | column - cycles | tail -n 1)" = \
		"$(awk -F '\t' '$5 == "swl:limit=2"' p/runs.tsv | cut -f 8)" ]
	[ "$(head -n 1 p/runs.tsv | cut -f 8)" = cycles ]
}

@test "two sweeps write the same bytes" {
	tiny
	paper -o p
	swept p 8
	paper -o q
	diff -r -x lock p q
}

@test "without parallel it is the same" {
	tiny
	paper -o p
	swept p 8
	mkdir bin
	for tool in bash sh awk cat cksum cmp cp cut dirname flock head ln ls mkdir mv nproc realpath rm rmdir sed \
		sort tr uniq wc xargs; do
		ln -s "$(type -P $tool)" bin/
	done
	PATH=$PWD/bin paper -o q
	diff -r -x lock p q
}

@test "a sweep that was killed goes on where it was" {
	recipe 'thesis replay bfs nodes=8K ccws lrr;gto;2lvl-gto;2lvl-lrr;oldest;swl:limit=2;swl - -'
	paper -o p
	swept p 7
	setsid "$root/plots/paper/run" -j 1 -o q -r recipe.tsv "$tools" &
	for _ in $(seq 600); do
		[ "$(ls q/runs/*.tsv 2>/dev/null | wc -l)" -lt 2 ] || break
		kill -0 $! || break
		sleep 0.05
	done
	kill -KILL -- -$! || kill -KILL $!
	wait $! || :
	# parallel's jobs are groups of their own: what was at work may still end.
	flock q/lock true
	[ ! -e q/scoreboard.tsv ]
	ls q/runs/*.tsv >before
	n=$(wc -l <before)
	[ "$n" -ge 2 ] && [ "$n" -lt 7 ]
	ls -i --time-style=full-iso -l $(cat before) q/traces/*.wt >old
	paper -o q | grep -x "runs: $((7 - n)) to do"
	ls -i --time-style=full-iso -l $(cat before) q/traces/*.wt | diff old -
	diff -r -x lock p q
	paper -o q | grep -x "runs: 0 to do"
}

@test "a run that fails is listed, and what it was for is not measured" {
	recipe 'thesis replay bfs nodes=500 ccws gto;nothing - -' 'thesis replay bfs nodes=0 ccws gto - -'
	expect 1 "3 failed, their claims are not measured: p/failed.tsv" paper -o p
	grep -q "^runs/bfs,nodes=500.ccws.nothing.*unknown scheduler 'nothing'" p/failed.tsv
	[ "$(grep -c . p/failed.tsv)" = 3 ]
	[ "$(sed 1d p/runs.tsv | wc -l)" = 1 ]
	# Six need no run.
	[ "$(grep -v -E "^(dwr.storage|crown.area|crown.mm2|cdp.occ.bound|vws.area.sm|vws.area.gpu)	" p/scoreboard.tsv | column - verdict | sort -u)" = "not measured" ]
}

@test "tables for which no run failed are replaced by such tables only" {
	recipe 'thesis replay bfs nodes=500 ccws gto - -'
	paper -o p
	cp p/runs.tsv p/scoreboard.tsv .
	recipe 'thesis replay bfs nodes=500 ccws gto;nothing - -'
	expect 1 "the tables in p, for which nothing had failed, stay as they were" paper -o p
	cmp p/runs.tsv runs.tsv
	cmp p/scoreboard.tsv scoreboard.tsv
	[ ! -s p/failed.tsv ]
	grep -q "unknown scheduler 'nothing'" p/new/failed.tsv
	recipe 'thesis replay bfs nodes=500 ccws gto;lrr - -'
	paper -o p
	swept p 2
	[ ! -e p/new ]
	# Those that lack some are replaced.
	recipe 'thesis replay bfs nodes=500 ccws gto;nothing - -' 'thesis replay bfs nodes=500 ccws any - -'
	expect 1 "2 failed" paper -o q
	recipe 'thesis replay bfs nodes=500 ccws gto;nothing - -'
	expect 1 "1 failed, their claims are not measured: q/failed.tsv" paper -o q
	[ "$(wc -l <q/failed.tsv)" = 1 ]
}

@test "every claim has a row, in order" {
	tiny
	paper -o p
	swept p 8
	grep -v '^#' "$root/datasets/papers/claims.tsv" | cut -f 1 | diff - <(column p/scoreboard.tsv id)
	grep -v "^#" "$root/datasets/papers/claims.tsv" | cut -f 6 |
		diff - <(column p/scoreboard.tsv paper)
}

@test "QUICK takes smaller inputs, unless a family names its own, and machines in proportion" {
	recipe 'a replay nqueens - dwr - - -' 'b replay nqueens n=5,rows=3 dwr - - -' \
		'c replay bfs small ccws - - -' 'd replay nnc files=1,records=200 vws - - -'
	listed() {
		awk -F '\t' -v c="$2" '$1 == "nqueens" || $1 == "bfs" { print $c }' \
			"$root/plots/paper/quick.tsv" | sed -n "$1"
	}
	QUICK=1 paper -o p
	[ ! -s p/failed.tsv ]
	[ "$(column p/runs.tsv input | tr '\n' ' ')" = \
		"$(listed 2p 2) n=5,rows=3 $(listed 1p 3) files=1,records=200 " ]
	# Of a machine there is what its file says; with an input of its own, or without a file, all.
	[ "$(column p/runs.tsv machine | tr '\n' ' ')" = "quick/dwr.ini dwr ccws vws " ]
	trace-replay -q -m "$root/plots/paper/quick/dwr.ini" --format=tsv p/traces/nqueens,n=1*.wt >want
	[ "$(column p/runs.tsv cycles | sed -n 1p)" = "$(column want cycles | tail -n 1)" ]
	trace-replay -q -m dwr --format=tsv p/traces/nqueens,n=1*.wt >whole
	[ "$(column want cycles | tail -n 1)" != "$(column whole cycles | tail -n 1)" ]
	recipe 'c replay bfs small ccws - - -'
	paper -o p
	[ "$(column p/runs.tsv input)" = "$(listed 1p 3)" ]
	[ "$(column p/runs.tsv machine)" = ccws ]
}

@test "QUICK refuses a machine of which it has no part, for the whole would be scored as one" {
	printf 'base = ccws\n[sm]\nwarp_size = 16\n' >own.ini
	for machine in "$PWD/own.ini" v100 -; do
		recipe "a replay nqueens - $machine - - -"
		QUICK=1 expect 1 "recipe.tsv:1: machine '$machine' has several SMs and no small form" paper -o p
		[ ! -e p/scoreboard.tsv ]
	done
	# Without QUICK, with an input of its own, or of one SM it is what the recipe says.
	recipe "a replay nqueens n=5,rows=3 $PWD/own.ini - - -"
	QUICK=1 paper -o p
	printf 'base = vws\n' >own.ini
	recipe "a replay nqueens - $PWD/own.ini - - -"
	QUICK=1 paper -o q
	[ "$(column p/runs.tsv machine)" = "$(column q/runs.tsv machine)" ]
	[ "$(column q/runs.tsv machine)" = "$PWD/own.ini" ]
}

@test "QUICK leaves out the points of a sweep that only figures have" {
	recipe 'size replay bfs nodes=500 ccws ~lrr;gto - -;~l1d.size=16K;l1d.size=64K'
	QUICK=1 paper -o p
	[ "$(ls p/runs | tr '\n' ' ')" = \
		"bfs,nodes=500.ccws.gto.-.-.tsv bfs,nodes=500.ccws.gto.-.l1d.size=64K.tsv " ]
	paper -o q
	[ "$(ls q/runs | wc -l)" = 6 ]
	[ -z "$(ls q/runs | grep '~')" ]
}

@test "the machines of QUICK have SMs, slices and channels in the machine's own proportion" {
	for small in "$root"/plots/paper/quick/*.ini; do
		name=$(basename "$small" .ini)
		# Within a sixth, since an L2 has one slice at least, and nothing else is another.
		paste <(trace-replay -m "$name" --set=help) <(trace-replay -m "$small" --set=help) |
			awk -v name="$name" '
				$1 == "sm.sms" { sms = $2; for (i = 3; $i != "sm.sms"; i++); less = $(i + 1) }
				$1 == "l2.slices" { slices = $2; for (i = 3; $i != "l2.slices"; i++); few = $(i + 1) }
				END {
					r = less / few / (sms / slices)
					exit !(less < sms && few < slices && r > 5 / 6 && r < 7 / 6)
				}'
		[ "$(diff <(trace-replay -m "$name" --set=help) <(trace-replay -m "$small" --set=help) |
			awk '/^>/ { print $2 }' | tr '\n' ' ')" = "sm.sms l2.slices " ]
	done
}

@test "a workload has the input of slide 46, and may have a further one" {
	recipe 'a replay nqueens,mummer:small,coulomb slide46 crown - fixed:8 -'
	QUICK=1 paper -o p
	swept p 3
	[ "$(column p/runs.tsv workload | tr '\n' ' ')" = "coulomb mummer:small nqueens " ]
	[ "$(column p/runs.tsv input | tr '\n' ' ')" = \
		"grid_x=4,grid_y=5,batch=1000,atoms=8 preset=small preset=dwr " ]
	# One that is another in QUICK is for a part of the machine.
	[ "$(column p/runs.tsv machine | tr '\n' ' ')" = "quick/crown.ini crown crown " ]
	# What threads did adds up.
	awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
		{ n++ }
		$c["thread_cycles"] == 0 || $c["thread_cycles"] != $c["threads_ready"] + \
			$c["threads_pipeline"] + $c["threads_memory"] + $c["threads_inactive"] + \
			$c["threads_meet"] + $c["threads_barrier"] { exit 1 }
		END { exit n != 3 }' p/runs.tsv
}

@test "claims of TBC and DWR are measured on the inputs of these papers" {
	for paper in tbc dwr; do
		awk -v paper=$paper '$1 == paper { print $2, $3 }' "$root/plots/paper/named.tsv" >named
		[ "$(grep -c . named)" -ge 11 ]
		while read -r w input; do
			[[ $input == preset=$paper* ]]
			trace-gen --list "$w" | grep -q "preset=$paper "
		done <named
		# In every family on the paper's machine but those of an example.
		awk -F '\t' -v m=$paper '$5 == m && $1 !~ /example/ { n++; bad += $4 != m }
			END { exit !n || bad }' "$root/plots/paper/recipe.tsv"
	done
	# DWR's table 1: 8 blocks of 512 threads and 1.4 million instructions.
	trace-gen bfs --set preset=dwr | trace-info --format=tsv >bfs.tsv
	[ "$(column bfs.tsv grid | sort -u | tr '\n' ' ')" = "- 8 " ]
	[ "$(column bfs.tsv block | sort -u | tr '\n' ' ')" = "- 512 " ]
	column bfs.tsv thread_insts | tail -n 1 | awk '{ exit !($1 > 1.2e6 && $1 < 1.6e6) }'
}

@test "claims of CROWN: both kinds of stacks, every size of large warps, barriers step by step" {
	crown() { # WARP SETTINGS IPC [FAMILY]
		for w in $(awk '$1 == "CROWN16" { gsub(",", " ", $2); print $2 }' \
			"$root/plots/paper/sets.tsv"); do
			echo "${4:-crown} $w - crown - $1 $2 $3"
		done
	}
	for sixteen in 1.02 1.08; do
		{
			echo "family workload input machine scheduler warp settings ipc_thread"
			crown crown - 1.14
			crown fixed:8 - 1
			crown fixed:32 - 1.2
			crown lwm:64 - 1
			crown lwm:128 - 1
			crown lwm:256 - 1.14
			crown dwf sm.warp_size=8 1
			crown crown:barriers=64 - 1.1 crown-tables
			crown crown:barriers=32 - 1.05 crown-tables
			crown crown:barriers=16 - $sixteen crown-tables
		} | tr ' ' '\t' >runs.tsv
		awk -f "$root/plots/paper/claims.awk" "$root/plots/paper/sets.tsv" runs.tsv \
			"$root/datasets/papers/claims.tsv" >board
		[ "$(verdict crown.sbr)" = "1.14,0.95 opposite" ]
		[ "$(verdict crown.lwm)" = "1.14,1.14,1 opposite" ]
		[ "$(verdict crown.dwf)" = "1.14 met" ]
		[ "$(verdict crown.ready)" = "- not measured" ]
		verdict crown.barriers
	done >said
	diff said <(printf '%s\n' '128=1.14,64=1.1,32=1.05,16=1.02 met' \
		'128=1.14,64=1.1,32=1.05,16=1.08 opposite')
}

@test "an input that a paper names is its workload's, with what a recipe adds" {
	plan() {
		awk -v quick="$1" -v machines=k20c -f "$root/plots/paper/plan.awk" \
			"$root"/plots/paper/{sets,inputs,quick}.tsv recipe.tsv | cut -f 2,4,5
	}
	recipe 'dtbl replay clr_cage15,amr form=flat;- k20c - - -'
	plan 1 >small
	grep -q '^clr,input=cage15,nodes=[0-9]*,blocks=[0-9]*,form=flat	clr_cage15	input=cage15,nodes=[0-9]*,blocks=[0-9]*,form=flat$' small
	grep -q '^amr,depth=[0-9]*,form=flat	amr	depth=[0-9]*,form=flat$' small
	plan "" >whole
	[ "$(wc -l <whole)" = 4 ]
	! diff small whole >/dev/null || false
	# Where QUICK has another input, it has a part of the machine.
	recipe 'dtbl replay clr_cage15,sssp_flight form=flat k20c - - -'
	awk -v quick=1 -v machines=k20c -f "$root/plots/paper/plan.awk" \
		"$root"/plots/paper/{sets,inputs,quick}.tsv recipe.tsv | cut -f 4,6 >machines
	diff machines <(printf '%s\t%s\n' clr_cage15 quick/k20c.ini sssp_flight k20c)
	# All inputs are of workloads that are there, and take these settings.
	trace-gen --list --format=tsv | cut -f 1 | sort >workloads
	grep -v '^#' "$root/plots/paper/inputs.tsv" | cut -f 2 | sort -u | comm -23 - workloads >unknown
	[ ! -s unknown ]
	[ "$(awk -F '\t' '$1 == "DTBL16" { print $2 }' "$root/plots/paper/sets.tsv" | tr ',' '\n')" = \
		"$(grep -v '^#' "$root/plots/paper/inputs.tsv" | cut -f 1 | grep -v '^bfs_\([0-9]\|[ABC]$\)')" ]
	recipe 'dtbl replay sssp_flight form=flat k20c - - -'
	QUICK=1 paper -o p
	swept p 1
	[ "$(column p/runs.tsv workload)" = sssp_flight ]
}

@test "launches by threads are judged by cycles, and by means over the inputs that launch" {
	local inputs
	inputs=$(awk -F '\t' '$1 == "DTBL16" { print $2 }' "$root/plots/paper/sets.tsv" | tr ',' ' ')
	{
		echo "family workload input machine scheduler warp settings cycles simd_efficiency" \
			"launch_wait groups_share dtbl_bytes agt_bytes"
		for w in $inputs; do
			echo "dtbl $w - k20c - - - $([ $w = amr ] && echo 800 || echo 200) 0.5 0 0 9 9"
			echo "dtbl $w - k20c - - --launch=cdp 400 0.6 100 0 9 9"
			echo "dtbl $w - k20c - - --launch=dtbl 100 0.6 70 0.9 1096 20480"
		done
	} | tr ' ' '\t' >runs.tsv
	awk -f "$root/plots/paper/claims.awk" "$root/plots/paper/sets.tsv" runs.tsv \
		"$root/datasets/papers/claims.tsv" >board
	[ "$(verdict dtbl.flat)" = "2.181 direction (far)" ] # 8 and fifteen times 2
	[ "$(verdict dtbl.cdp)" = "4 direction (far)" ]
	[ "$(verdict cdp.flat)" = "0.5453 direction (far)" ]
	[ "$(verdict dtbl.wait)" = "-30 met" ]
	[ "$(verdict dtbl.activity)" = "10 met" ]
	[ "$(verdict dtbl.match)" = "90 met" ]
	[ "$(verdict dtbl.storage)" = "1096,20480 met" ]
	[ "$(verdict dtbl.occ)" = "- not measured" ]
}

# board LINE...: a scoreboard of the families thesis and swl, made up of workload scheduler ipc
# and misses.
board() {
	{
		echo "family workload input machine scheduler warp settings ipc_thread l1d_misses"
		printf '%s\n' "$@"
	} | tr ' ' '\t' >runs.tsv
	awk -f "$root/plots/paper/claims.awk" "$root/plots/paper/sets.tsv" runs.tsv \
		"$root/datasets/papers/claims.tsv"
}

# thesis SCHEDULER IPC...: bfs, kmeans, memcached, gc.
thesis() {
	local scheduler=$1 w
	shift
	for w in bfs kmeans memcached gc; do
		echo "thesis $w - ccws $scheduler - - $1 100"
		shift
	done
}

verdict() {
	awk -F '\t' -v id="$1" '$1 == id { print $3, $5 }' board
}

@test "verdicts by the rule" {
	mapfile -t runs < <(thesis gto 1 1 1 1; thesis ccws 1 2 2 4; thesis 2lvl-gto 2 2 2 2
		thesis lrr .5 .5 .5 .5; thesis 2lvl-lrr .5 .5 .5 .5)
	board "${runs[@]}" >board
	# 4 / (1 + 1/2 + 1/2 + 1/4) = 1.778, within 0.63 / 4 of 1.63
	[ "$(verdict ccws.hcs.gto)" = "1.778 met" ]
	[ "$(verdict ccws.hcs.2lvl)" = "0.8889 opposite" ]
	[ "$(verdict ccws.hcs.lrr)" = "0.5 met" ]
	[ "$(verdict ccws.hcs.2lvl-lrr)" = "1 opposite" ]
	[ "$(verdict ccws.cs.gto)" = "- not measured" ]
	mapfile -t runs < <(thesis gto 1 1 1 1; thesis ccws 3 3 3 3)
	board "${runs[@]}" >board
	[ "$(verdict ccws.hcs.gto)" = "3 direction (far)" ]
}

@test "met is on the paper's side, unless the paper says that there is no effect" {
	# LRR over GTO is 0.36; DAWS over the best limit on bfs is 1.20, on SPMV-Scalar 0.96.
	swl() {
		for w in bfs spmv-scalar; do
			echo "daws $w - ccws daws - - $1 1"
			for limit in 1 2 3 4 5 6 7 8 12 16 24 32; do
				echo "swl $w - ccws swl:limit=$limit - - 100 1"
			done
			echo "swl $w - ccws gto - - 100 1"
		done
	}
	for ipc in 97 99 100 101; do
		mapfile -t runs < <(swl $ipc)
		board "${runs[@]}" >board
		verdict daws.swl.spmv
	done >said
	diff said <(printf '%s\n' '0.97 met' '0.99 met' '1 met' '1.01 opposite')
	# The thesis has 1.00 for the cache-insensitive set.
	for ipc in 94 96 100 104 106; do
		mapfile -t runs < <(for w in backprop lud needle srad; do
			echo "thesis $w - ccws gto - - 100 1"
			echo "thesis $w - ccws ccws - - $ipc 1"
		done)
		board "${runs[@]}" >board
		verdict ccws.ci
	done >said
	diff said <(printf '%s\n' '0.94 opposite (no effect)' '0.96 met (no effect)' \
		'1 met (no effect)' '1.04 met (no effect)' '1.06 opposite (no effect)')
	# It bounds the change that issue of all gangs makes by 1 %: hardly any.
	for ipc in 991 1009 1020; do
		mapfile -t runs < <(for w in comd lighting gamephysics objclassifier raytracing; do
			echo "vws $w - vws - fixed:32 - 1000 1"
			echo "vws $w - vws - ivws - 1000 1"
			echo "vws $w - vws - ivws:gangs=0 - $ipc 1"
		done)
		board "${runs[@]}" >board
		verdict vws.gangs.all
	done >said
	diff said <(printf '%s\n' '-0.9 met (no effect)' '0.9 met (no effect)' '2 opposite (no effect)')
}

@test "a direction says whether its effect is far from the paper's" {
	# The thesis has 1.63: three times its effect is 2.89, a quarter 1.1575.
	for ipc in 288 290 116 115 100; do
		mapfile -t runs < <(thesis gto 100 100 100 100; thesis ccws $ipc $ipc $ipc $ipc)
		board "${runs[@]}" >board
		verdict ccws.hcs.gto
	done >said
	diff said <(printf '%s\n' '2.88 direction' '2.9 direction (far)' '1.16 direction' \
		'1.15 direction (weak)' '1 opposite')
}

@test "what a value lacks parts of is partial" {
	printf '%s\n' 'family workload input machine scheduler warp settings sm_percent' \
		'storage total - crown - crown:level2=512 - 3' | tr ' ' '\t' >runs.tsv
	for share in 3 1.7 -1; do
		sed "s/3$/$share/" runs.tsv >other.tsv
		awk -f "$root/plots/paper/claims.awk" "$root/plots/paper/sets.tsv" other.tsv \
			"$root/datasets/papers/claims.tsv" >board
		verdict crown.area
	done >said
	cat said >&2
	[ "$(grep -c ' partial (' said)" = 3 ]
	awk -v complete=1 -f "$root/plots/paper/claims.awk" "$root/plots/paper/sets.tsv" runs.tsv \
		"$root/datasets/papers/claims.tsv" >board
	! verdict crown.area | grep partial || false
}

@test "TBC's divergent workloads are its table's, or those of its rule" {
	{
		echo "family workload input machine scheduler warp settings ipc_thread simd_efficiency"
		for w in bfs facedetect hotspot lps mummer mummer++ namd nvrt; do
			echo "tbc $w - tbc - fixed:32 - 1 0.8"
			echo "tbc $w - tbc - tbc:lcp=1 - 2 0.8"
		done
		for w in aes backprop coulomb dg heartwall libor leukocyte mergesort nnc ray streamcluster \
			storegpu wp; do
			echo "tbc $w - tbc - fixed:32 - 1 0.7"
			echo "tbc $w - tbc - tbc:lcp=1 - 3 0.7"
		done
	} | tr ' ' '\t' >runs.tsv
	board() {
		awk "$@" -f "$root/plots/paper/claims.awk" "$root/plots/paper/sets.tsv" runs.tsv \
			"$root/datasets/papers/claims.tsv" >board
	}
	board -v rule=0
	[ "$(verdict tbc.divg)" = "2 direction (far)" ]
	verdict tbc.cohe | grep '^3 '
	board -v rule=1
	verdict tbc.divg | grep '^3 '
	verdict tbc.cohe | grep '^2.0769 \|^2.08 \|^2.077 ' # nnc is not divergent
	sed -i '/wp/d' runs.tsv
	board -v rule=0
	[ "$(verdict tbc.divg)" = "2 direction (far)" ]
	verdict tbc.cohe | grep 'not measured'
}

@test "what is wrong in the call or the recipe is said" {
	tiny
	expect 2 usage "$root/plots/paper/run"
	expect 2 usage paper -j x
	expect 2 usage paper -x
	expect 2 usage paper --slurm
	expect 2 "cannot read '$PWD/none'" paper --sshloginfile none
	expect 2 "cannot read '$PWD/none'" paper -s none
	expect 2 "there is no './bin/trace-replay'" "$root/plots/paper/run" -o p .
	recipe 'thesis replay @NONE - ccws gto - -'
	expect 1 "there is no set 'NONE'" paper -o p
	recipe 'thesis replay bfs - ccws gto -'
	expect 1 "recipe.tsv:1: 7 columns instead of 8" paper -o p
	recipe 'thesis none bfs - ccws gto - -'
	expect 1 "there is no tool 'none'" paper -o p
	[ ! -e p/runs.tsv ]
}

@test "what reaches the L1D is replayed by trace-belady" {
	recipe 'belady belady bfs nodes=500 ccws gto;nothing - -' \
		'thesis replay bfs nodes=500 ccws gto - -'
	expect 1 "1 failed" paper -o p
	trace-gen -q bfs --set nodes=500 -o b.wt
	trace-replay -q -m ccws -s gto --access-stream=- b.wt | trace-belady -q --format=tsv >want
	[ "$(column p/belady.tsv misses | sort)" = "$(column want misses | sort)" ]
	[ "$(column p/belady.tsv policy | tr '\n' ' ')" = "lru opt " ]
	[ "$(cut -f 1 p/failed.tsv)" = "runs/bfs,nodes=500.ccws.nothing.-.-.belady.tsv" ]
	grep -q "trace-replay: --scheduler: unknown scheduler 'nothing'" p/failed.tsv
}

@test "swl:best is the limit that the sweep itself finds the fastest" {
	recipe 'swl replay bfs nodes=2000 ccws swl:limit=1;swl:limit=4;swl:limit=12 - -' \
		'belady belady bfs nodes=2000 ccws swl:best - -'
	paper -o p
	[ "$(cat p/best.tsv)" = "bfs,nodes=2000.ccws.swl:best.-.-.belady	12" ]
	[ ! -s p/failed.tsv ]
	trace-replay -q -s swl:limit=12 --access-stream=- 'p/traces/bfs,nodes=2000.wt' |
		trace-belady -q --format=tsv >want
	[ "$(column p/belady.tsv misses | sort)" = "$(column want misses | sort)" ]
	[ "$(column p/belady.tsv scheduler | sort -u)" = swl:best ]
	# Nothing to choose from: it is not there, and said not to be.
	recipe 'belady belady bfs nodes=2000 ccws swl:best - -'
	expect 1 "1 failed" paper -o q
	[ "$(cut -f 1 q/failed.tsv)" = 'runs/bfs,nodes=2000.ccws.swl:best.-.-.belady.tsv' ]
}

@test "and by trace-locality, in four ways" {
	recipe 'a locality bfs nodes=500 ccws gto - -' 'b loops bfs nodes=500 ccws gto - l1d.size=8M' \
		'c pcs bfs nodes=500 ccws gto - -' 'd loads bfs nodes=500 ccws gto - -'
	paper -o p
	[ ! -s p/failed.tsv ]
	trace-gen -q bfs --set nodes=500 -o b.wt
	trace-replay -q --access-stream=- b.wt >b.at
	trace-replay -q --set l1d.size=8M --access-stream=- b.wt >8m.at
	for form in "locality accesses --cache=unbounded b.at" "loops last_trip --by=loop 8m.at" \
		"pcs misses --by=pc b.at" "loads count --divergence b.at"; do
		read -r table column option stream <<<"$form"
		trace-locality -q "$option" --format=tsv "$stream" >want
		diff <(column "p/$table.tsv" "$column" | sort) <(column want "$column" | sort)
	done
}

@test "LATs are counted once for the program, however often they are issued" {
	recipe 'a lats needle tiles=3 dwr - dwr -' 'a lats nnc files=1,records=200 dwr - dwr -'
	paper -o p
	[ ! -s p/failed.tsv ]
	for w in needle,tiles=3 nnc,files=1,records=200; do
		trace-replay -q -m dwr -w dwr --stats=pc --format=tsv "p/traces/$w.wt" >pc
		for column in lats lats_ignored; do
			paste <(column pc kernel) <(column pc pc) <(column pc "$column") |
				awk '$3 > 0 { print $1, $2 }' | sort -u | wc -l
		done
		column pc thread_insts | awk '{ n += $1 } END { printf "%.0f\n", n }'
	done >want
	[ "$(sed -n 1p want)" -gt "$(sed -n 2p want)" ] && [ "$(sed -n 2p want)" -gt 0 ]
	paste -d '\n' <(column p/lats.tsv lats) <(column p/lats.tsv lats_ignored) \
		<(column p/lats.tsv thread_insts) | diff want -
}

@test "the memory system's energy has its parts behind it" {
	{
		echo family workload input machine scheduler warp settings \
			energy_nj energy_l1d_nj energy_l2_nj energy_dram_nj
		for w in bfs memcached spmv-scalar gc kmeans; do
			echo "daws $w - ccws gto - - 200 60 60 80"
			echo "daws $w - ccws ccws - - 200 60 60 80"
			echo "daws $w - ccws daws - - 100 60 30 10"
		done
	} | tr ' ' '\t' >runs.tsv
	awk -f "$root/plots/paper/claims.awk" "$root/plots/paper/sets.tsv" runs.tsv \
		"$root/datasets/papers/claims.tsv" >board
	[ "$(verdict daws.energy.gto)" = "2 (L1D 1; L2 2; DRAM 8) direction" ]
	[ "$(verdict daws.energy.ccws)" = "-50 (L1D 0; L2 -50; DRAM -87.5) direction" ]
}

@test "daws:profile has the profile of another input" {
	recipe 'a replay bfs nodes=2K,degree=8 ccws daws:profile - -'
	paper -o p
	[ ! -s p/failed.tsv ]
	trace-gen -q --seed=2 bfs --set nodes=2K,degree=8 | trace-replay -q --access-stream=- |
		trace-locality -q --daws-profile -o want
	diff <(grep -v "^#" want) <(grep -v "^#" p/traces/*.profile)
	trace-replay -q -s daws:profile=want --format=tsv p/traces/*.wt >run
	[ "$(column p/runs.tsv cycles)" = "$(column run cycles | tail -n 1)" ]
}

@test "what holds of a bound, of an order and of several parts" {
	mapfile -t runs < <(
		for w in bfs kmeans memcached gc; do
			echo "128k $w - ccws gto - l1d.size=128K 100 1"
			echo "128k $w - ccws ccws - l1d.size=128K 104 1"
		done
		echo "tbc-lcp mummer - tbc - tbc - 100 1"
		echo "tbc-lcp mummer - tbc - tbc:lcp=1 - 103 1"
		echo "tbc-lcp mummer - tbc - fixed:32 - 100 1"
		echo "tbc-lcp mummer - tbc - fixed:32,lcp=1 - 120 1"
	)
	board "${runs[@]}" >board
	[ "$(verdict ccws.128k)" = "1.04 met (no effect)" ]
	[ "$(verdict tbc.lcp.mum)" = "3,20 direction (far)" ]
	for w in bfs kmeans memcached gc; do
		runs+=("vta $w - ccws gto - - 1 1")
		for v in 1,ways=1 2,ways=2 4,ways=4 8 16 32 512; do
			runs+=("vta $w - ccws ccws:vta=$v - - $((20 - ${v%,*} / 10)) 1")
		done
	done
	board "${runs[@]}" >board
	# The first of equal ones.
	[ "$(verdict ccws.vta)" = "1 direction (weak)" ]
	board "${runs[@]//104/110}" >board
	[ "$(verdict ccws.128k)" = "1.1 opposite (no effect)" ]
}

@test "a factor of one is no effect: the best below it is on the paper's side" {
	for best in 80 100; do
		mapfile -t runs < <(
			for w in bfs memcached spmv-scalar gc kmeans; do
				echo "daws-assoc $w - ccws gto - - 1 1"
				for f in 40 50 60 70 80 90 100; do
					echo "daws-assoc $w - ccws daws:assoc=$f - - $((1 + (f == best))) 1"
				done
			done
		)
		board "${runs[@]}" >board
		verdict daws.assoc
	done >said
	diff said <(printf '%s\n' '0.8 direction' '1 opposite')
}

@test "--sshloginfile spreads the same runs over hosts" {
	tiny
	paper -o p
	swept p 8
	# This host twice, without ssh.
	printf '1/:\n' >hosts
	paper -o q --sshloginfile hosts
	diff -r -x lock p q
}

@test "--slurm writes the runs as an array: a task is a trace and its runs" {
	tiny
	paper -o p
	paper -o q --slurm job.sh
	[ ! -e q/runs.tsv ] && [ -z "$(ls q/traces q/runs | grep wt)" ]
	bash -n job.sh
	grep -qx '#SBATCH --array=1-2' job.sh
	(cd / && SLURM_ARRAY_TASK_ID=2 bash "$OLDPWD/job.sh")
	[ "$(ls q/traces)" = "nnc,files=1,records=200.wt" ]
	# What a task has made stays when it comes again.
	ls -i q/runs >before
	SLURM_ARRAY_TASK_ID=2 bash job.sh
	ls -i q/runs | diff before -
	SLURM_ARRAY_TASK_ID=1 SLURM_CPUS_PER_TASK=2 bash job.sh
	paper -o q >said
	grep -x "recordings: 0 to do" said
	grep -x "runs: 0 to do" said
	diff -r -x lock -x array p q
}

@test "the array runs under Slurm" {
	command -v sbatch >/dev/null && sinfo -h >/dev/null 2>&1 || skip "there is no Slurm here"
	tiny
	paper -o p
	paper -o q --slurm job.sh
	sbatch --wait job.sh
	paper -o q | grep -x "runs: 0 to do"
	diff -r -x lock -x array p q
}

@test "what we chose for a machine, and what its paper says" {
	tiny
	paper -o p
	swept p 8
	[ "$(grep -c "^ccws.l1d" p/parameters.tsv)" = 14 ]
	grep -qx "ccws.l1d.mshrs.16.ours" p/parameters.tsv
	grep -qx "ccws.l1d.size.32K.paper" p/parameters.tsv
	# By its base, and by itself.
	grep -qx "daws-spmv.l1d.mshrs.16.ours" p/parameters.tsv
	grep -qx "daws-spmv.sm.shared_per_sm.48K.paper" p/parameters.tsv
	[ "$(awk '$1 == "ccws" && $4 == "ours"' p/parameters.tsv | wc -l)" = \
		"$(grep -c '= .*# not in the paper' "$root/datasets/machines/ccws.ini")" ]
}

@test "a direction needs its runs, also where it reads one row of their table" {
	printf 'locality.hcs\ta\tb\t1\tmet (no effect)\nccws.ci\ta\t-\t-\tnot measured\n' >whole
	printf '%s\n' 'locality.hcs	unbounded	bfs	gto - - cold' 'ccws.ci	thesis	lud	gto - -' >needs
	printf 'k%s\n' '	t	unbounded	bfs	-	ccws	gto	-	-	locality' '	t	thesis	lud	-	ccws	gto	-	-	replay' \
		'	t	unbounded	bfs	-	ccws	lrr	-	-	locality' >plan
	awk -f "$root/plots/paper/needed.awk" whole needs plan >needed
	head -n 1 plan | diff - needed
}

@test "directions are tried with each parameter that no paper gives halved and doubled" {
	recipe 'daws-flow replay bfs nodes=500 ccws daws;daws:flow=0 - -' \
		'thesis replay bfs nodes=500 ccws lrr - -'
	paper -o p -s recipe.tsv
	# What no direction needs is not varied.
	[ "$(ls p/runs | grep -c l1d.mshrs)" = 4 ]
	[ -z "$(ls p/runs | grep 'lrr.*l1d.mshrs')" ]
	[ ! -s p/failed.tsv ]
	[ "$(awk '$5 != "daws.noflow.bfs"' p/sensitivity.tsv | wc -l)" = 1 ]
	grep -qx -- '-.-.-.-.daws.noflow.bfs.*direction.yes' p/sensitivity.tsv
	# Both ways, and not below one, nor beyond what a machine may have.
	[ "$(awk '$2 == "l1d.mshrs" { print $4 }' p/sensitivity.tsv | sort -n | tr '\n' ' ')" = "8 32 " ]
	[ "$(awk '$2 == "dram.row_bytes" { print $4 }' p/sensitivity.tsv | sort -n | tr '\n' ' ')" = \
		"1024 4096 " ]
	[ "$(awk '$2 == "sm.address_bits" { print $4 }' p/sensitivity.tsv)" = 64 ]
	[ -z "$(grep 'interval.int\|l1d.size\|l1d.index' p/sensitivity.tsv)" ]
	# And inputs: half as many nodes are those of that input.
	[ "$(awk '$1 == "inputs" { print $2, $4 }' p/sensitivity.tsv | tr '\n' ' ')" = \
		"degree 1/2 degree 2 size 1/2 size 2 " ]
	trace-gen -q bfs --set nodes=250 | trace-replay -q --compare daws,daws:flow=0 --format=tsv >want
	awk -v ratio="$(column want ipc_ratio | tail -n 1)" '$1 == "inputs" && $2 == "size" && $4 == "1/2" {
		exit !($8 > ratio - 0.001 && $8 < ratio + 0.001) }' p/sensitivity.tsv
	trace-replay -q --compare daws,daws:flow=0 --set l1d.mshrs=8 --format=tsv p/traces/*.wt >want
	awk -v ratio="$(column want ipc_ratio | tail -n 1)" '$2 == "l1d.mshrs" && $4 == 8 {
		exit !($8 > ratio - 0.001 && $8 < ratio + 0.001) }' p/sensitivity.tsv
	paper -o p
	[ ! -e p/sensitivity.tsv ]
}

@test "inputs are halved and doubled in what they say last, or a preset or the default says" {
	printf '%s\n' 'bfs	-	nodes	32768' 'bfs	-	degree	16' 'fwht	-	log2n	15' \
		'bfs	dwr	nodes=4096,degree=6' >scales.tsv
	printf 'bfs\tnodes\tdegree\nfwht\tlog2n\t-\n' >sizes.tsv
	printf '%s\n' 'k	bfs,preset=dwr,nodes=1K	f	bfs	preset=dwr,nodes=1K	dwr	-	dwr	-	replay' \
		'l	fwht	f	fwht	-	dwr	-	dwr	-	replay' >plan
	: >parameters.tsv
	awk -f "$root/plots/paper/vary.awk" parameters.tsv scales.tsv sizes.tsv plan >varied
	awk '$11 == "inputs" { print $12, $14, $5 }' FS='[\t ]' varied | sort >got
	diff got - <<-'END'
		degree 1/2 -
		degree 1/2 preset=dwr,nodes=1K,degree=3
		degree 2 -
		degree 2 preset=dwr,nodes=1K,degree=12
		size 1/2 log2n=14
		size 1/2 preset=dwr,nodes=1K,nodes=512
		size 2 log2n=16
		size 2 preset=dwr,nodes=1K,nodes=2048
	END
	# What is not of the kind is the run itself.
	[ "$(awk '/degree/ && $4 == "fwht" { print $1 }' varied | sort -u)" = fwht.dwr.-.dwr.- ]
}

@test "pairs are of the changes of a machine that move its results most" {
	tr '|' '\t' >changed <<-'END'
		-|a|2|2|1|met
		m x 4 2|a|2|2.1|1|met
		m x 4 8|a|2|1|1|direction
		m y 1 2|a|2|3|1|met
		m z 1 2|a|2|2|1|met
		n w 1 2|a|2|9|1|met
		inputs size 1 2|a|2|9|1|met
	END
	printf 'k\tt\tf\tw\t-\tquick/m.ini\ts\t-\tq=1\treplay\n' >needed
	awk -v pairs=2 -f "$root/plots/paper/pairs.awk" changed needed | cut -f 1,9,11,12 | tr '\t' '|' >got
	diff got - <<-'END'
		t.quick-m.ini.s.-.q=1@x=8@y=2|q=1 x=8 y=2|m x+y 4+1 8+2|q=1
	END
	awk -v pairs=3 -f "$root/plots/paper/pairs.awk" changed needed | grep -c . | grep -qx 3
	recipe 'daws-flow replay bfs nodes=300 ccws daws;daws:flow=0 - -'
	paper -o p -s recipe.tsv -p 2
	[ ! -s p/failed.tsv ]
	[ "$(awk '$2 ~ /\+/' p/sensitivity.tsv | wc -l)" = 1 ]
	expect 2 "usage:" "$root/plots/paper/run" -p x "$build"
}

# counts FILE: a run's table without its remarks and its settings.
counts() {
	awk -F '\t' -v OFS='\t' '/^#/ { next }
		{ for (i = 1; i <= NF; i++) if ($i == "settings") column = i; $column = "" } 1' "$1"
}

@test "what a group leaves as it was has the run's own table, and each would have that by itself" {
	recipe 'daws-flow replay bfs nodes=500 ccws daws;daws:flow=0 - -' \
		'tbc replay nvrt columns=4,rows=4,blocks=30,blobs=6 tbc - fixed:32;dwf:wb=1 -'
	paper -o p -s recipe.tsv
	[ ! -s p/failed.tsv ]
	awk -F '\t' '$11 != "-" && index($1, $9) == 0' p/varied.tsv | grep 'daws:flow=0\|dwf:wb=1' >spared
	[ "$(cut -f 6 spared | sort | uniq -c | awk '$1 > 30' | wc -l)" = 2 ]
	while IFS=$'\t' read -r key trace _ _ _ machine scheduler warp settings _; do
		options=(-m "$machine" --set "$settings")
		[ "$scheduler" = - ] || options+=(-s "$scheduler")
		[ "$warp" = - ] || options+=(-w "$warp")
		trace-replay -q --format=tsv "${options[@]}" "p/traces/$trace.wt" \
			--stats=ipc,stalls,unit,lanes,l1d,memory,divergence,sync,policy,energy,fetch >alone
		diff <(counts alone) <(counts "p/runs/$key.tsv")
	done <spared
	# Each has its row.
	[ "$(grep -c 'latency.fp16' p/sensitivity.tsv)" = 4 ]
}

@test "a group that changes something says nothing of its members, nor does a group of one" {
	printf 'm\tsm.one_in_flight\tno\tpaper\n' >parameters.tsv
	printf '%s\n' 'g	a	-' 'g	b	zero' 'g	c	some' 'g	c	sm.one_in_flight=no' 'g	d	some' \
		'h	e	-' >together.tsv
	{
		echo "base w f w - m s - - replay - -"
		for change in 'a=4 8' 'b=4 8' 'c=4 8' 'd=4 8' 'e=4 8' 'a=4 2' 'b=4 2'; do
			read -r old new <<<"${change#*=}"
			echo "${change%%=*}=$new w f w - m s - ${change%%=*}=$new replay m!${change%%=*}!$old!$new -"
		done
	} | tr ' !' '\t ' >plan.tsv
	mkdir runs
	printf 'zero\tsome\n0\t5\n' >runs/base.tsv
	together() {
		awk -v dir=runs -v what="$1" -f "$root/plots/paper/together.awk" parameters.tsv \
			together.tsv plan.tsv
	}
	together runs | cut -f 1,9 | tr '\t' ' ' >joint
	diff joint - <<-END
		base.g-double a=8 b=8 c=8
		base.g-half a=2 b=2
	END
	# Of the remarks nothing depends.
	{ echo "# as always" && cat runs/base.tsv; } >runs/base.g-double.tsv
	printf 'zero\tsome\n0\t6\n' >runs/base.g-half.tsv
	[ "$(together plan | cut -f 1 | paste -s -d ' ')" = "base base base base d=8 e=8 a=2 b=2" ]
	# Where they were run before, nothing is tried.
	for key in a=8 b=8 c=8 a=2; do
		echo >runs/$key.tsv
	done
	[ "$(together runs | cut -f 1)" = base.g-half ]
}

@test "a direction is held if it is met or on its side, or turned, and told for the machines it concerns" {
	{
		echo "id paper ours ratio verdict"
		echo "a 2 1.5 0.75 direction"
		echo "b 2 0.5 0.25 opposite"
		echo "c 2 2 1 met"
	} | tr ' ' '\t' >whole
	tr '|' '\t' >changed <<-'END'
		-|a|2|1.4|0.7|direction
		-|c|2|-|-|not measured
		m x 4 2|a|2|0.9|0.45|opposite
		m x 4 2|b|2|2|1|met
		m x 4 2|c|2|-|-|not measured
		n y 4 8|a|2|-|-|not measured
		n y 4 8|c|2|1.9|0.95|met
		n z 4 8|c|2|-|-|not measured
	END
	awk -f "$root/plots/paper/sensitivity.awk" whole changed | sed 1d | tr '\t' ' ' >board
	diff - board <<-'END'
		- - - - a 2 1.5 1.4 direction yes
		m x 4 2 a 2 1.5 0.9 opposite no
		m x 4 2 b 2 0.5 2 met yes
		n y 4 8 c 2 2 1.9 met yes
		n z 4 8 c 2 2 - not measured -
	END
}

@test "PST and ILT take what the paper's sum says of the machine and its policy" {
	tiny
	paper -o p
	swept p 8
	grep -qx 'dwr.storage.82,124.82,124.1,1.met' p/scoreboard.tsv
	sed '/^dwr\tsm.threads_per_sm/s/1024/2048/' p/parameters.tsv >parameters.tsv
	awk -f "$root/plots/paper/claims.awk" "$root/plots/paper/sets.tsv" parameters.tsv \
		"$root/datasets/papers/claims.tsv" | grep -q '^dwr.storage.82,124.164,124.*direction'
}

@test "a timeline is the tool's own, row by row, and becomes areas over time" {
	recipe 'a timeline gamephysics blocks=4,rounds=1,steps=2 vws - ivws;evws --interval=100'
	paper -o p
	[ ! -s p/failed.tsv ]
	trace-gen -q gamephysics --set blocks=4,rounds=1,steps=2 -o g.wt
	trace-replay -q -m vws -w evws --interval=100 --timeline=want -o /dev/null g.wt
	[ "$(grep -vc '^#' want)" -gt 20 ]
	for c in clock thread_insts gang_4 gang_8; do
		diff <(awk -F '\t' -v c=$c 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == c) at = i }
			$6 == "evws" { print $at }' p/timeline.tsv) <(column want $c)
	done
	printf '%s\n' '[one]' 'title = gangs' 'draw = area' 'rows = gamephysics' \
		'series = E-VWS = a//evws/--interval=100' 'x = cycle = clock' \
		'value = eight = gang_8; four = gang_4' 'y = warps' '[none]' 'title = nobody' 'draw = area' \
		'rows = gamephysics' 'series = x = a//fixed:4' 'x = clock' 'value = gang_8' >figures.ini
	"$root/plots/paper/draw" -f figures.ini p
	[ "$(head -n 1 p/figures/one.tsv)" = "cycle	eight	four" ]
	diff <(column p/figures/one.tsv four) <(column want gang_4)
	grep -q '^none.nobody$' p/figures/left.tsv
	grep -q '^one.area.cycle.eight,four.-l|warps.gangs' p/figures/list.tsv
}

@test "games are stand-ins: a mean with them is judged, and the one without them told" {
	local ipc
	mapfile -t runs < <(
		for w in game1 matmul game2 featuredetect radixsort; do
			echo "vws $w - vws - fixed:32 - 100 1"
			case $w in game*) ipc=50 ;; *) ipc=100 ;; esac
			echo "vws $w - vws - ivws - $ipc 1"
			echo "vws $w - vws - ivws-groupmem - 40 1"
		done
	)
	board "${runs[@]}" >board
	# 5 / (2 x 2 + 3) = 0.714
	[ "$(verdict vws.con)" = "0.7143 (without games 1) opposite (no effect)" ]
	[ "$(verdict vws.groupmem.con)" = "I-VWS=0.7143,I-VWS-GroupMem=0.4 met" ]
	[ "$(verdict vws.div)" = "- not measured" ]
	board "${runs[@]/- 50 1/- 97 1}" >board
	[ "$(verdict vws.con)" = "0.9878 (without games 1) met (no effect)" ]
}

@test "a figure's mean of a set of what stands before it, and rows by height" {
	{
		echo "family workload input machine scheduler warp settings ipc_thread"
		for run in matmul:2 game1:4 radixsort:1; do
			echo "f ${run%:*} - vws - ivws - ${run#*:}"
		done
	} | tr ' ' '\t' >runs.tsv
	printf 'S\tmatmul,radixsort\t-\n' >sets.tsv
	printf '%s\n' '[a]' 'title = a' 'draw = bars' 'rows = matmul, game1, radixsort, AVG, AVG-S:S' \
		'series = I-VWS = f//ivws' 'value = ipc_thread' '[b]' 'title = b' 'draw = bars' \
		'rows = matmul, game1, radixsort' 'series = I-VWS = f//ivws' 'value = ipc_thread' \
		'sort = I-VWS' >figures.ini
	mkdir out
	awk -v dir=out -f "$root/plots/paper/figure.awk" sets.tsv runs.tsv figures.ini
	[ "$(sed 1d out/a.tsv | tr '\t\n' '  ')" = \
		"matmul 2 game1 4 radixsort 1 AVG 2.33333 AVG-S 1.5 " ]
	[ "$(sed 1d out/b.tsv | cut -f 1 | paste -s -d ' ')" = "radixsort matmul game1" ]
}

@test "a reason is a claim's" {
	reasons=$root/datasets/papers/reasons.tsv
	[ "$(awk -F '\t' '!/^#/ && (NF != 3 || $2 == "")' "$reasons" | wc -l)" = 0 ]
	grep -v '^#' "$root/datasets/papers/claims.tsv" | cut -f 1 | sort >claims
	grep -v '^#' "$reasons" | cut -f 1 | sort | uniq -c | awk '$1 == 1 { print $2 }' |
		comm -23 - claims >unknown
	[ ! -s unknown ] && [ "$(grep -vc '^#' "$reasons")" -ge 10 ]
}

@test "a checkout in a folder called quick has the machines that any other has" {
	mkdir -p quick/datasets/machines quick/plots/paper/quick
	cp "$root"/datasets/machines/{ccws,dwr}.ini quick/datasets/machines/
	cp "$root"/plots/paper/quick/ccws.ini quick/plots/paper/quick/
	awk -f "$root/plots/paper/parameters.awk" "$PWD"/quick/datasets/machines/*.ini \
		"$PWD"/quick/plots/paper/quick/*.ini >parameters.tsv
	[ "$(sed 1d parameters.tsv | cut -f 1 | uniq | tr '\n' ' ')" = "ccws dwr quick/ccws.ini " ]
	[ "$(awk '$1 == "dwr" && $2 == "sm.threads_per_sm" { print $3 }' parameters.tsv)" = 1024 ]
}
