#!/usr/bin/env bats
# trace-gen and its workloads.
load helper

@test "--list names every workload in three formats" {
	trace-gen --list >human
	trace-gen --list --format=tsv >tsv
	trace-gen --list --format=json >json
	grep -q '^# trace-gen' tsv
	column tsv name >names
	grep -qx bfs names
	grep -qx matmul names
	sort -c names
	while read -r name; do
		grep -q "^$name " human
		grep -q "\"name\":\"$name\"" json
	done <names
	column tsv parameters | grep -q '^nodes=[0-9]*,degree='
}

@test "--list WORKLOAD explains its parameters" {
	run trace-gen --list bfs
	[ "$status" -eq 0 ]
	[[ $output == *"takes --graph FILE"* ]]
	[[ $output != *matmul* ]]
}

@test "every workload runs small, is checked, and gives the same bytes twice" {
	trace-gen --list --format=tsv >list
	paste <(column list name) <(column list tiny) >all
	[ -s all ]
	while read -r name tiny; do
		echo "$name $tiny"
		trace-gen "$name" --set "$tiny" -o a.wt
		trace-gen "$name" --set "$tiny" >b.wt
		sound a.wt
		cmp a.wt b.wt
	done <all
}

@test "a workload in two forms: threads of the dynamic one launch, also where it is small" {
	trace-gen --list --format=tsv >list
	paste <(column list name) <(column list tiny) >all
	n=0
	while read -r name tiny; do
		trace-gen "$name" --set "$tiny,form=dyn" -o dyn.wt 2>/dev/null || continue
		echo "$name"
		n=$((n + 1))
		trace-gen "$name" --set "$tiny,form=flat" -o flat.wt
		trace-info --by tree --format=tsv dyn.wt >dyn
		trace-info --by tree --format=tsv flat.wt >flat
		[ "$(column dyn depth | sort -n | tail -n 1)" -ge 1 ]
		[ "$(column flat depth | sort -n | tail -n 1)" = 0 ]
	done <all
	[ "$n" -ge 8 ]
}

@test "every kind of input of the workloads in two forms gives what the CPU says" {
	for set in clr:nodes=90,input={citation,road,cage15,graph500,flight,graph500-even} \
		sssp-dyn:nodes=90,input={citation,road,cage15,graph500,flight,graph500-even} \
		join:keys=40,input={uniform,gaussian} regx:packets=20,input={darpa,strings}; do
		for form in flat dyn; do
			echo "$set $form"
			trace-gen "${set%%:*}" --set "${set#*:},form=$form" --seed 2 -o a.wt
			sound a.wt
		done
	done
}

@test "clr: a graph without the ways back is refused, one with loops and doubles is not" {
	printf '0 1\n1 2\n2 0\n' >g
	expect 1 "of an edge have the same colour: the graph must have each edge in both directions" \
		trace-gen clr --graph g -o a.wt
	[ ! -e a.wt ]
	printf '0 1\n1 0\n1 2\n2 1\n0 1\n3 3\n' >g
	for form in flat dyn; do
		trace-gen clr --graph g --set "form=$form" -o a.wt
		trace-gen sssp-dyn --graph g --set "form=$form" -o a.wt
	done
}

@test "a preset is its settings, and what follows it changes them" {
	trace-gen mummer --no-provenance --set preset=small -o a.wt
	trace-gen mummer --no-provenance --set queries=100 -o b.wt
	cmp a.wt b.wt
	trace-gen mummer --no-provenance --set preset=small,queries=20 -o a.wt
	trace-gen mummer --no-provenance --set queries=20 -o b.wt
	cmp a.wt b.wt
	# The settings that a list shows are those of the preset.
	trace-gen --list mummer++ >list
	sed -n 's/^    preset=small .*(\(.*\))$/\1/p' list >sets
	trace-gen mummer++ --no-provenance --set preset=small -o a.wt
	trace-gen mummer++ --no-provenance --set "$(cat sets)" -o b.wt
	cmp a.wt b.wt
	expect 2 "mummer has no preset 'smal'" trace-gen mummer --set preset=smal -o c.wt
	expect 2 "mummer has no preset that is a number" trace-gen mummer --set preset=3 -o c.wt
	expect 2 "did you mean 'preset'?" trace-gen mummer --set prest=small -o c.wt
	expect 2 "kmeans has no parameter 'preset'" trace-gen kmeans --set preset=small -o c.wt
	[ ! -e c.wt ]
}

@test "every workload runs at its default size" {
	[ -n "${SLOW:-}" ] || skip "make check-slow"
	for name in $(trace-gen --list --format=tsv | column - name); do
		echo "$name"
		bash -o pipefail -c "trace-gen $name | trace-info --check"
	done
}

@test "another compiler gives the same bytes" {
	[ -z "${SAN:-}" ] || skip "the plain build does this"
	command -v clang >/dev/null || skip "there is no clang here"
	make -s -C "$root" -j2 CC=clang BUILD=build/clang build/clang/bin/trace-gen
	trace-gen --list --format=tsv >list
	paste <(column list name) <(column list tiny) >all
	[ -s all ]
	while read -r name tiny; do
		echo "$name"
		trace-gen "$name" --set "$tiny" -o a.wt
		"$root/build/clang/bin/trace-gen" "$name" --set "$tiny" -o b.wt
		cmp a.wt b.wt
	done <all
}

@test "the seed changes the trace" {
	trace-gen bfs --set nodes=64 --seed 1 --no-provenance -o a.wt
	trace-gen bfs --set nodes=64 --seed 2 --no-provenance -o b.wt
	sound a.wt
	sound b.wt
	! cmp -s a.wt b.wt || false
}

@test "the name of the output is no part of it" {
	trace-gen bfs --set nodes=64 -o a.wt
	trace-gen -q bfs --set nodes=64 --output=b.wt
	trace-gen bfs --set nodes=64 >c.wt
	cmp a.wt b.wt
	cmp a.wt c.wt
	trace-info a.wt | head -n 1 | grep -qx 'trace-gen [0-9.]* bfs --set nodes=64'
}

@test "nothing is left beside the output" {
	small
	[ "$(ls)" = small.wt ]
}

@test "a run that fails leaves the old output alone" {
	echo old >f.wt
	echo '1 x' >graph
	expect 1 "graph:1: " trace-gen bfs --graph graph -o f.wt
	[ "$(cat f.wt)" = old ]
	[ -z "$(ls | grep tmp)" ]
}

@test "usage errors end with 2 and one sentence" {
	expect 2 "name a WORKLOAD" trace-gen
	expect 2 "unknown workload 'bsf', did you mean 'bfs'?" trace-gen bsf
	expect 2 "bfs has no parameter 'nods', did you mean 'nodes'?" trace-gen bfs --set nods=3
	expect 2 "--set: 'nodes' is no NAME=VALUE" trace-gen bfs --set nodes
	expect 2 "nodes: 'many' is no size" trace-gen bfs --set nodes=many
	expect 2 "nodes=1 is outside" trace-gen bfs --set nodes=1
	expect 2 "matmul takes no graph" trace-gen matmul --graph g
	expect 2 "unknown machine 'cray'" trace-gen bfs --resident cray
	expect 2 "unknown format 'xml'" trace-gen --list --format=xml
	expect 2 "--seed: 'x' is no number" trace-gen bfs --seed x
	expect 2 "there is no option '--nonsense'" trace-gen --nonsense
	expect 2 "--entry and what belongs to it want --ptx" trace-gen bfs --entry k
}

@test "--help shows the real defaults, --version the version" {
	trace-gen --help | tr -s ' \n' ' ' | grep -q 'no bound (default 20000000000)'
	trace-gen --version | grep -q '^trace-gen (warptrace) [0-9]'
}

@test "a full disk ends with 1 and says so" {
	expect 1 "cannot write standard output" bash -c 'trace-gen bfs --set nodes=64 >/dev/full'
	expect 1 "cannot write '/dev/full'" trace-gen bfs --set nodes=64 -o /dev/full
	expect 1 "cannot write standard output" bash -c 'trace-gen --list >/dev/full'
	expect 1 "cannot write 'no/such/place'" trace-gen bfs --set nodes=64 -o no/such/place
}

@test "a closed pipe ends it quietly" {
	bash -c 'trace-gen bfs --set nodes=20000 2>stderr | head -c 100 >begin'
	[ ! -s stderr ]
	[ "$(stat -c %s begin)" = 100 ]
	# As under a parent that ignores SIGPIPE.
	bash -c "trap '' PIPE; trace-gen bfs --set nodes=20000 2>stderr | head -c 100 >begin"
	[ ! -s stderr ]
	[ "$(stat -c %s begin)" = 100 ]
	bash -c "trap '' PIPE; trace-gen --list 2>stderr | true"
	[ ! -s stderr ]
}

@test "a terminal gets no trace" {
	run script -qec "trace-gen bfs --set nodes=64" /dev/null
	[ "$status" -eq 2 ]
	[[ $output == *"a trace is not for a terminal"* ]]
}

@test "graph files: edge list, Matrix Market, DIMACS" {
	printf '0 1\n1 2\n2 0\n' >edges
	printf '%%%%MatrixMarket matrix coordinate pattern general\n3 3 3\n1 2\n2 3\n3 1\n' >mm
	printf 'p sp 3 3\na 1 2 1\na 2 3 1\na 3 1 1\n' >dimacs
	for f in edges mm dimacs; do
		trace-gen bfs --graph "$f" --no-provenance -o "$f.wt"
		cmp edges.wt "$f.wt"
	done
}

@test "bad graph files name file, line and reason" {
	printf '0 1\n1 two\n' >g
	expect 1 "g:2: " trace-gen bfs --graph g
	: >g
	expect 1 "g" trace-gen bfs --graph g
	expect 1 "No such file or directory" trace-gen bfs --graph missing
	expect 1 "." trace-gen bfs --graph .
}

@test "--resident takes a preset and a file; unknown keys are refused" {
	trace-gen bfs --set nodes=64 --resident k20c -o a.wt
	cp "$root/datasets/machines/k20c.ini" mine.ini
	trace-gen bfs --set nodes=64 --resident mine.ini -o b.wt
	sed -i 's/^sms/smss/' mine.ini
	expect 1 "unknown key 'sm.smss', did you mean 'sm.sms'?" trace-gen bfs --resident mine.ini
	sed -i '/^smss/d; s/^ctas_per_sm.*/ctas_per_sm = no/' mine.ini
	expect 1 "sm.ctas_per_sm: 'no' is no number" trace-gen bfs --resident mine.ini
	expect 1 "cannot read 'mine.ini': line " trace-gen bfs --resident mine.ini
}

@test "every machine can be recorded for" {
	for ini in "$root"/datasets/machines/*.ini; do
		trace-gen bfs --set nodes=64,block=64 --resident "$(basename "$ini" .ini)" -o a.wt
		sound a.wt
		rm a.wt
	done
}

@test "kernels and machines are found from any directory" {
	cd /
	trace-gen bfs --set nodes=64 --resident tbc -o "$OLDPWD/a.wt"
	cd -
	sound a.wt
}

@test "WARPTRACE_DATA replaces where they are looked for" {
	WARPTRACE_DATA=$root/datasets trace-gen bfs --set nodes=64 -o a.wt
	WARPTRACE_DATA=$PWD expect 1 "cannot find 'workloads/bfs/bfs.ptx'" trace-gen bfs
}

@test "--max-insts ends a launch that runs longer" {
	expect 1 "bfs_visit" trace-gen bfs --set nodes=64 --max-insts 10
}

@test "warp-synchronous reads are recorded, unless they are not wanted" {
	ptx '	shl.b32 %r6, %r5, 2;
	mov.u32 %r7, tile;
	add.u32 %r7, %r7, %r6;
	st.shared.u32 [%r7], %r5;
	xor.b32 %r6, %r6, 4;
	mov.u32 %r8, tile;
	add.u32 %r8, %r8, %r6;
	ld.shared.u32 %r9, [%r8];' >k.ptx
	run_k -o with.wt
	run_k --no-sync-reads -o without.wt
	[ "$(trace-info --format=tsv with.wt | column - sync_reads)" = 64 ]
	[ "$(trace-info --format=tsv without.wt | column - sync_reads)" = 0 ]
	diff <(trace-info --dump with.wt | grep -v '^sync') <(trace-info --dump without.wt) >other || :
	grep -q 'sync_reads\|trace-gen' other
	# All that differs is the provenance and the totals.
	! grep '^[<>]' other | grep -vE 'sync|trace-gen' || false
}

@test "--memcheck: of the workloads four read what nobody wrote, and none has a race" {
	[ -z "${SAN:-}" ] || skip "the plain build does this"
	local name tiny status
	trace-gen --list --format=tsv --no-provenance --no-header --columns=name,tiny >all
	while IFS=$'\t' read -r name tiny; do
		status=0
		trace-gen "$name" --set "$tiny" -q --memcheck=m.tsv -o m.wt 2>/dev/null || status=$?
		[ "$status" = 0 ] || echo "$name $status $(column m.tsv finding | sort -u)"
	done <all >found
	[ "$(wc -l <all)" -gt 50 ]
	diff found - <<-END
		dg 3 uninitialised
		lps 3 uninitialised
		mergesort 3 uninitialised
		srad 3 uninitialised
	END
}
