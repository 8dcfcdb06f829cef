#!/usr/bin/env bats
# The vocabulary of tables (tools/columns.def): every column of every table is in it, and options
# that shape a table do so everywhere alike.
load helper

# tables: prints `tool TAB columns`, a line for each table that a tool can print.
tables() {
	local by
	trace-gen bfs --set nodes=300,degree=4 -o b.wt
	trace-coalesce b.wt -o b.as
	trace-replay --access-stream r.as b.wt >/dev/null
	table() {
		"$@" --format=tsv --no-provenance >t.tsv
		[ "$(wc -l <t.tsv)" -gt 1 ]
		printf '%s\t%s\n' "$1" "$(head -n 1 t.tsv | tr '\t' ' ')"
	}
	table trace-gen --list
	for by in launch pc; do table trace-info --by $by b.wt; done
	table trace-info b.as
	for by in total space pc; do table trace-coalesce --by $by b.wt; done
	for by in class pc line buffer loop; do table trace-locality --by $by b.as; done
	table trace-locality --reuse b.as
	table trace-locality --divergence b.as
	table trace-locality --daws-profile b.as
	for by in total sm pc class; do table trace-belady --by $by b.as; done
	for by in all pc line buffer; do table trace-replay --stats=$by b.wt; done
	table trace-replay --compare gto,lrr b.wt
	for by in machine scheduler warp priority set stats; do table trace-replay --$by=help; done
	trace-replay --timeline t.tsv --no-provenance b.wt >/dev/null
	printf 'trace-replay\t%s\n' "$(head -n 1 t.tsv | tr '\t' ' ')"
	trace-replay --events t.tsv --no-provenance b.wt >/dev/null
	printf 'trace-replay\t%s\n' "$(grep -v '^#' t.tsv | head -n 1 | tr '\t' ' ')"
	table trace-info --by line b.wt
	table trace-coalesce --by line b.wt
	trace-gen bfs-dyn --set form=dyn,nodes=200 -o d.wt
	table trace-info --by tree d.wt
	table trace-gen --parse-only "$root/datasets/workloads/bfs/bfs.ptx"
	trace-gen bfs --set nodes=300,degree=4 --no-provenance --memcheck=t.tsv -o b.wt
	printf 'trace-gen\t%s\n' "$(tr '\t' ' ' <t.tsv)"
	printf 'trace-convert\t%s\n' \
		"$(trace-convert --no-provenance --to text b.as | head -n 1 | tr '\t' ' ')"
	for by in gen info coalesce locality belady replay convert; do
		printf 'trace-%s\tcolumn unit meaning tables\n' "$by"
	done
}

@test "every column of every table has its unit and its meaning, in --columns=help and the manual" {
	[ -z "${SAN:-}" ] || skip "the plain build does this"
	tables >all
	[ "$(wc -l <all)" -gt 30 ]
	make -s -C "$root" BUILD="$build" man
	cut -f 1 all | sort -u | while read -r tool; do
		$tool --columns=help >help.txt
		if [ "$tool" = trace-convert ]; then
			awk 'NR > 1 { print $1 }' help.txt >names
			! grep -q '  -  *without' help.txt || false
		else
			$tool --columns=help --format=tsv --no-header >help.tsv
			cut -f 1 help.tsv >names
			awk -F '\t' 'length($3) < 4 { print; bad = 1 } END { exit bad }' help.tsv
		fi
		sort names | uniq -d | { ! grep .; }
		printf '%s\n' column unit meaning tables >>names
		awk -F '\t' -v tool="$tool" '$1 == tool { print $2 }' all | tr ' ' '\n' | sort -u |
			grep -vxF -f names >without || [ ! -s without ]
		if [ -s without ]; then
			echo "$tool: no word about $(tr '\n' ' ' <without)"
			false
		fi
		MANWIDTH=200 man -l "$build/man/$tool.1" 2>/dev/null | col -bx >page
		awk '/^[A-Z]/ { on = $1 == "COLUMNS" } on' page >section
		grep -vxE 'column|unit|meaning|tables' names | while read -r name; do
			grep -qE "^ +$name( |$)" section || { echo "trace: $tool(1) lacks $name"; false; }
		done
	done
}

@test "columns that the options show stand in --columns=help under these options" {
	trace-gen bfs --set nodes=300,degree=4 -o b.wt
	for by in pc line buffer stalls lanes energy; do
		trace-replay --stats=$by --no-provenance --format=tsv b.wt | head -n 1 | tr '\t' '\n' |
			sort >there
		trace-replay --columns=help --format=tsv --no-header |
			awk -F '\t' -v by="--stats=$by" '
				{ n = split($4, t, "; ") }
				{ for (i = 1; i <= n; i++) if (t[i] == by) { print $1; next } }' | sort >said
		[ -s said ]
		comm -13 there said | { ! grep .; }
	done
}

@test "a table has the columns that are asked for, in that order, and no others" {
	small
	trace-replay --columns cycles,workload,kernel --format=tsv small.wt | grep -v '^#' >t.tsv
	[ "$(head -n 1 t.tsv)" = "cycles	workload	kernel" ]
	[ "$(column t.tsv workload | sort -u)" = bfs ]
	trace-replay --format=tsv small.wt | column - cycles >all
	column t.tsv cycles | cmp - all
	# People see what is hidden from them otherwise, under the same headings.
	trace-info -q --columns sync_reads,simd_efficiency_32 small.wt | head -n 1 | grep -qx 'sync_reads  simd_eff'
	trace-info -q --columns launch --format=json small.wt | sed -n 2p | grep -qx '{"launch":0},'
	expect 2 "--columns: the table has no column 'cycle', did you mean 'cycles'?" \
		trace-replay --columns cycle small.wt
	expect 2 "--sort: the table has no column 'l1d_mpk'" trace-replay --sort l1d_mpk small.wt
	expect 2 "no column ''" trace-replay --columns cycles, small.wt
}

@test "rows are sorted and cut, and the total stays last" {
	small
	trace-info --format=tsv --sort thread_insts small.wt >t.tsv
	column t.tsv thread_insts | sed '$d' >got
	sort -rn got | cmp - got
	[ "$(wc -l <got)" -gt 3 ]
	[ "$(column t.tsv launch | tail -n 1)" = total ]
	trace-info --no-header --format=tsv --sort thread_insts --top 2 --columns thread_insts small.wt >top
	{ head -n 2 got; column t.tsv thread_insts | tail -n 1; } | cmp - top
	# Texts go by their letters, and equal rows stay as they came.
	trace-info --no-header --format=tsv --sort kernel --columns kernel,launch small.wt | sed '$d' >k
	LC_ALL=C sort -s -k 1,1 k | cmp - k
	expect 2 "--top: '0'" trace-info --top 0 small.wt || expect 2 "outside" trace-info --top 0 small.wt
}

@test "without headings there is nothing but rows; upright each column is a row" {
	small
	trace-info --format=tsv small.wt | grep -v '^#' | tail -n +2 >rows
	trace-info --format=tsv --no-header small.wt | cmp - rows
	trace-info --no-header small.wt >plain
	[ "$(wc -l <plain)" = "$(wc -l <rows)" ]
	trace-info --format=tsv --no-provenance small.wt >flat
	trace-info --format=tsv --no-provenance --vertical small.wt >upright
	awk -F '\t' '{ for (i = 1; i <= NF; i++) c[i] = c[i] (NR > 1 ? "\t" : "") $i; n = NF }
		END { for (i = 1; i <= n; i++) print c[i] }' flat | cmp - upright
	trace-info -q --vertical small.wt | grep -q '^thread_insts  *[0-9]'
	expect 2 "--vertical is not of JSON" trace-info --vertical --format=json small.wt
	expect 2 "--no-header is not of JSON" trace-info --no-header --format=json small.wt
}

@test "JSON has numbers, null, the workload and where it comes from" {
	small
	trace-replay --format=json --set l1d.size=16K small.wt >j
	grep -q '"cycles":[0-9]' j
	grep -q '"settings":"l1d.size=16K","workload":"bfs","provenance":\["trace-gen [^"]*","trace-replay [^"]*"\]}' j
	trace-replay --format=json small.wt | grep -q '"settings":null'
	trace-info --format=json small.wt | tail -n 2 | head -n 1 |
		grep -q '"launch":"total","kernel":"total","grid":null,"block":null'
	trace-info --by pc --format=json small.wt | sed -n 3p | grep -q '"pc":8,'
	trace-info --by pc --format=tsv --no-header --columns pc small.wt | sed -n 2p | grep -qx 0x8
	ptx '	st.global.u32 [%rd1], %r1;' >k.ptx
	run_k -o k.wt
	trace-info --format=json k.wt | grep -q '"workload":"k"'
	trace-info --format=json --no-provenance k.wt | { ! grep -q provenance; }
}

@test "the workload is one word, wherever it stood, in tables and in figures" {
	# is WANT FILE: the column's word, that of JSON, and the figure's.
	is() {
		trace-info --columns workload --format=tsv --no-header "$2" | grep -v '^#' | sort -u | grep -qx "$1"
		trace-info --format=json "$2" | grep -q "\"workload\":\"$1\""
		trace-info --format=tsv "$2" | awk -F '\t' -v x=workload -v y=threads -v last=1 \
			-f "$root/plots/pivot.awk" | cut -f 2 | grep -qx "$1"
	}
	trace-gen --set nodes=64 bfs --seed 3 -o a.wt
	is bfs a.wt
	trace-info a.wt | head -n 1 | grep -qx 'trace-gen [0-9.]* bfs --set nodes=64 --seed 3'
	mkdir own
	ptx '	st.global.u32 [%rd1], %r1;' >own/k.ptx
	local k="trace-gen --ptx own/k.ptx"
	$k --grid 1 --block 1 --arg x=buf:256 --arg u32:64 --entry k -o k.wt
	is k k.wt
	echo 'launch k 1 1 x=buf:256 u32:64' >'own/my script'
	$k --script 'own/my script' -o s.wt
	is my_script s.wt
	trace-info s.wt | head -n 1 | grep -qx "trace-gen [0-9.]* my_script --ptx own/k.ptx --script 'own/my script'"
}

@test "of an older record's options an entry tells the workload" {
	older() {
		printf '# trace-gen 1.0 %s\nlaunch\tipc\n0\t1\n' "$2" >t.tsv
		awk -F '\t' -v x=workload -v y=ipc -f "$root/plots/pivot.awk" t.tsv | cut -f 2 | tail -n 1 |
			grep -qxe "$1"
	}
	older bfs 'bfs --seed 1'
	older k '--ptx a.ptx --entry k --grid 1 --entry l'
	older k '--ptx a.ptx --entry=k'
	older - '--set nodes=64 bfs'
}

@test "settings tells every --set, for people only where there is one" {
	small
	trace-replay --format=tsv --set sm.sms=2 --set l1d.ways=4 small.wt >t.tsv
	[ "$(column t.tsv settings | sort -u)" = "sm.sms=2,l1d.ways=4" ]
	[ "$(trace-replay --format=tsv small.wt | column - settings | sort -u)" = - ]
	trace-replay --set sm.sms=2 small.wt | head -n 1 | grep -q settings
	trace-replay small.wt | head -n 1 | { ! grep -q settings; }
}

@test "what shapes a table is refused where there is none" {
	small
	for option in --vertical --no-header "--sort pc" "--top 3" "--columns pc"; do
		expect 2 "${option% *} is of --list" trace-gen bfs $option -o x.wt
		expect 2 "${option% *} is of the table" trace-coalesce $option small.wt
		expect 2 "${option% *} is of the table" trace-info --dump $option small.wt
	done
	[ ! -e x.wt ]
}
