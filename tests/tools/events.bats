#!/usr/bin/env bats
# trace-replay --events: the three forms by the rules of their formats, that they say the same, that
# they add up to the statistics and change nothing, windows, and what is refused.
load helper

setup_file() {
	${CC:-gcc} -O1 -o "$BATS_FILE_TMPDIR/chrome" "$BATS_TEST_DIRNAME/chrome.c"
}

# chrome FILE, kanata FILE: what is in it, or what breaks the rules of its format.
chrome() {
	iconv -f UTF-8 -t UTF-8 "$1" >/dev/null
	"$BATS_FILE_TMPDIR/chrome" "$1"
}
kanata() {
	awk -f "$BATS_TEST_DIRNAME/kanata.awk" "$1"
}

# A trace with branches, and one with barriers.
traces() {
	trace-gen bfs --set nodes=500,degree=4 -o b.wt
	trace-gen matmul --set tiles=2,depth=2 -o m.wt
}

# count FILE EVENT [WHAT]: rows of that event.
count() {
	awk -F '\t' -v event="$2" -v what="${3-}" '
		$5 == event && (what == "" || $6 == what) { n++ } END { print n + 0 }' "$1"
}

# spans FILE FROM TO: holds each warp's and scheduler's rows to do one thing at a time, without a gap
# but for the cycles in which a slot has no threads, and prints cycles by class of the schedulers.
spans() {
	grep -v '^#' "$1" | awk -F '\t' -v from="$2" -v to="$3" '
		NR == 1 { next }
		($1 < from || $1 >= to) && $5 != "launch_end" { print "outside of the window: " $0; bad = 1 }
		$5 == "warp_in" || $5 == "warp_out" {
			k = $3 " " $4
			edge[k, $1] = 1
		}
		$5 ~ /^(wait|issue|own|scheduler)$/ {
			k = $5 == "scheduler" ? $3 " s" $14 : $3 " " $4
			if ($2 <= 0 || $1 + $2 > to) { print "it lasts " $2 ": " $0; bad = 1 }
			if (k in end && $1 != end[k] && ($1 < end[k] || !((k, end[k]) in edge))) {
				print "after cycle " end[k] " of " k ": " $0
				bad = 1
			}
			end[k] = $1 + $2
			if ($5 == "scheduler")
				class[$6] += $2
		}
		END { for (c in class) print c, class[c]; exit bad }' | sort
}

# classes TABLE: the same from the columns of a replay with --stats=stalls.
classes() {
	for c in issued stall_lsu stall_mshr stall_merge stall_line stall_queue stall_unit withheld \
		memory sync idle drained; do
		echo "$c $(column "$1" "cycles_$c" | tail -n 1)"
	done | awk '$2 > 0' | sort
}

@test "every warp policy's events add up to the statistics and change no number" {
	traces
	for run in "fixed:32 ccws" "fixed:16 k20c" "tbc tbc" "dwf tbc" "dwf:wb=1 tbc" "dwr:max=64 dwr" \
		"dwr:slot=yes dwr" "dualpath ccws" "its:switch=stall ccws" "crown crown" "vws vws" "null ccws" "mimd ccws"; do
		set -- $run
		for t in b m; do
			trace-replay -v -w "$1" -m "$2" --set sm.sms=2 --stats=stalls --format=tsv \
				--no-provenance $t.wt >plain.tsv 2>plain.said
			trace-replay -v -w "$1" -m "$2" --set sm.sms=2 --stats=stalls --format=tsv \
				--no-provenance --events e.tsv $t.wt >seen.tsv 2>seen.said
			cmp plain.tsv seen.tsv
			grep -o 'state [0-9a-f]*' plain.said >state
			grep -o 'state [0-9a-f]*' seen.said | cmp - state
			spans e.tsv 0 "$(column seen.tsv cycles | tail -n 1)" >got
			classes seen.tsv | diff - got
			# A gang is one instruction, though each of its warps has a row.
			[ "$(awk -F '\t' '$5 == "issue" && ($14 == "-" || $14 == $4)' e.tsv | wc -l)" = \
				"$(column seen.tsv warp_insts | tail -n 1)" ]
			[ "$(awk -F '\t' '$5 == "issue" { n += $12 } END { print n }' e.tsv)" = \
				"$(column seen.tsv thread_insts | tail -n 1)" ]
			[ "$(count e.tsv l1d miss)" = "$(column seen.tsv l1d_misses | tail -n 1)" ]
			[ "$(count e.tsv load_out)" = "$(count e.tsv load_back)" ]
			[ "$(count e.tsv barrier)" = "$(count e.tsv release)" ]
			[ "$(count e.tsv cta_in)" = "$(count e.tsv cta_out)" ]
			[ "$(count e.tsv launch_end)" = "$(column seen.tsv cycles | sed '$d' | wc -l)" ] ||
				[ "$(count e.tsv launch_end)" = 1 ]
		done
		[ "$(count e.tsv barrier)" -gt 0 ]
	done
}

@test "loads of threads that have ended come back as well" {
	ptx 'ld.global.u32 %r5, [%rd1]; ret;' >k.ptx
	trace-gen -q --ptx k.ptx --entry k --grid 64 --block 128 --arg buf=buf:4096 --arg u32:1 -o t.wt
	for w in fixed vws; do # the slots of such threads have others by then
		trace-replay -q -m vws -w $w --set sm.sms=1 --events e.tsv t.wt >table
		[ "$(count e.tsv load_out)" -gt 0 ]
		[ "$(count e.tsv load_out)" = "$(count e.tsv load_back)" ]
		awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
			$at["event"] == "load_out" { cta[$at["load"]] = $at["cta"] }
			$at["event"] == "load_back" { bad += cta[$at["load"]] != $at["cta"] }
			END { exit bad }' e.tsv
	done
}

@test "splits, merges and regroupings are told by the policies" {
	traces
	for w in fixed:32 dualpath its its:switch=stall tbc dwf dwf:wb=1 crown; do
		trace-replay -q -m tbc -w $w --events e.tsv b.wt >table
		[ "$(count e.tsv split)" -gt 0 ]
		[ "$(count e.tsv merge)" -gt 0 ] || [ $w = dwf:wb=1 ]
		case $w in
		tbc | dwf:wb=1 | crown) [ "$(count e.tsv regroup)" -gt 0 ] ;;
		*) [ "$(count e.tsv regroup)" = 0 ] ;;
		esac
	done
}

@test "masks, opcodes and PCs are those of the record" {
	ptx '
	and.b32 %r6, %r5, 1;
	setp.eq.u32 %p1, %r6, 0;
@%p1	add.u32 %r7, %r5, 1;
	bar.sync 0;' >k.ptx
	run_k -o k.wt
	trace-replay -q --set sm.sms=1 --events e.tsv k.wt >table
	awk -F '\t' '$5 == "issue" && $6 ~ /^add/' e.tsv >adds
	[ "$(cut -f 10-13 adds | sort -u)" = "$(printf '32\t0xffffffff\t16\t0x55555555')" ]
	[ "$(awk -F '\t' '$5 == "issue" && $6 ~ /^bar/ { print $9 }' e.tsv | sort -u)" = \
		"$(awk -F '\t' '$5 == "barrier" { print $9 }' e.tsv | sort -u)" ]
	[ "$(count e.tsv barrier)" = 2 ]
}

@test "the three forms keep the rules of their formats and say the same" {
	traces
	for run in "fixed:32 ccws" "dwf tbc" "dwr:slot=yes dwr"; do
		set -- $run
		for window in "--events-to 100000000" "--events-from 6000 --events-to 8000 --events-sm 1"; do
			for form in tsv konata json; do
				trace-replay -q -w "$1" -m "$2" --set sm.sms=2 --events e.$form $window \
					--no-provenance b.wt >table
				trace-replay -q -w "$1" -m "$2" --set sm.sms=2 --events again.$form $window \
					--no-provenance b.wt >table
				cmp e.$form again.$form
			done
			chrome e.json >c
			kanata e.konata >k
			issues=$(($(count e.tsv issue) + $(count e.tsv own)))
			read -r _ slices _ instants _ _ _ loads _ <c
			read -r rows issued _ <k
			[ "$slices" -gt "$issues" ]
			[ "$issued" = "$(count e.tsv issue)" ]
			[ "$rows" -ge "$issued" ]
			[ "$instants" = "$(($(count e.tsv split) + $(count e.tsv merge) + \
				$(count e.tsv regroup) + $(count e.tsv barrier) + $(count e.tsv release)))" ]
			[ "$loads" -ge "$(count e.tsv load_out)" ]
			[ "$(grep -c '"cat":"wait"' e.json)" = "$(count e.tsv wait)" ]
			[ "$(grep -c '"cat":"issue"\|"cat":"own"' e.json)" = "$issues" ]
			grep -q '"CTA slot 0"' e.json
			# Data come back that many cycles after they were sent for.
			awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
				$at["event"] == "load_out" { out[$at["sm"], $at["load"]] = $at["at"]
					whose[$at["sm"], $at["load"]] = $at["launch"] " " $at["cta"]; next }
				$at["event"] == "load_back" && ($at["sm"], $at["load"]) in out {
					seen++
					bad += $at["at"] - $at["lasts"] != out[$at["sm"], $at["load"]]
					bad += whose[$at["sm"], $at["load"]] != $at["launch"] " " $at["cta"] }
				END { exit !seen || bad }' e.tsv
		done
	done
	# What the checkers are for: a broken file of each form is told.
	sed 's/"ph":"X"/"ph":"Y"/' e.json >broken.json
	! chrome broken.json >said || false
	sed '$d' e.json >broken.json
	! chrome broken.json >said || false
	sed '0,/^R/s/^R\t\([0-9]*\)/R\t99999999/' e.konata >broken.konata
	! kanata broken.konata >said || false
	grep -q 'no instruction of that number' said
}

@test "counters add up to the events" {
	traces
	trace-replay -q --set sm.sms=2 --events e.tsv b.wt >table
	trace-replay -q --set sm.sms=2 --events e.json --stats=stalls --format=tsv b.wt >t.tsv
	chrome e.json
	for c in issued memory idle drained; do
		sum=$(grep '"scheduler cycles"' e.json | grep -o "\"$c\":[0-9]*" | cut -d : -f 2 |
			awk '{ n += $1 } END { print n }')
		[ "$sum" = "$(column t.tsv cycles_$c | tail -n 1)" ]
	done
	sum=$(grep '"name":"L1D"' e.json | grep -o '"misses":[0-9]*' | cut -d : -f 2 | awk '{ n += $1 } END { print n }')
	[ "$sum" = "$(count e.tsv l1d miss)" ]
	[ "$(grep -c '"cat":"cta"' e.json)" = "$(count e.tsv cta_in)" ]
	[ "$(grep -c '"cat":"launch"' e.json)" = "$(count e.tsv launch_begin)" ]
}

@test "a timeline in JSON has the figures of the table" {
	traces
	trace-replay -q --timeline t.tsv --interval 300 b.wt >table
	trace-replay -q --timeline t.json --interval 300 b.wt >table
	chrome t.json
	for c in warps warp_insts l1d_misses cycles_memory; do
		case $c in
		warp_insts) continue ;;
		esac
		grep -o "\"$c\":[0-9]*" t.json | cut -d : -f 2 >got
		column t.tsv $c | cmp - got
	done
	[ "$(grep -c '"ph":"X"' t.json)" = "$(column t.tsv launch | sort -u | wc -l)" ]
	grep '"ph":"X"' t.json | sed 's/.*"ts":\([0-9]*\),"dur":\([0-9]*\).*/\1 \2/' |
		awk '{ if ($1 != at + 0) exit 1; at = $1 + $2 }'
}

@test "a window is a part of the whole" {
	traces
	trace-replay -q --set sm.sms=2 --no-provenance --events all.tsv b.wt >table
	for from in 0 6001 7000 12345; do
		trace-replay -q --set sm.sms=2 --no-provenance --events w.tsv --events-from $from \
			--events-to $((from + 700)) b.wt >table
		spans w.tsv $from $((from + 700)) >got
		[ "$(awk '{ n += $2 } END { print n }' got)" = 1400 ]
		# Issues and what has no length are the same rows.
		awk -F '\t' -v a=$from '$5 !~ /^(wait|scheduler|event)$/ && $1 >= a && $1 < a + 700' all.tsv >want
		awk -F '\t' '$5 !~ /^(wait|scheduler|event)$/' w.tsv | cmp - want
		[ "$(wc -l <want)" -gt 10 ]
	done
	trace-replay -q --events w.tsv --events-sm 1 --set sm.sms=2 b.wt >table
	[ "$(awk -F '\t' '!/^#/ && $5 != "event" && $5 !~ /^launch/ { print $3 }' w.tsv | sort -u)" = 1 ]
	trace-replay --events none.tsv --events-from 99999999 b.wt 2>&1 >table |
		grep -q 'the replay ended after cycle [0-9]*, before the window begins'
	[ "$(grep -vc '^#' none.tsv)" = 1 ]
}

@test "a window of many cycles is written as it comes, not kept" {
	[ -z "${SAN:-}" ] || skip "a sanitizer has memory of its own"
	trace-gen -q matmul --set tiles=4,depth=8 -o big.wt
	for form in tsv konata json; do
		# More than twice the memory that the replay may have.
		trace-replay -q --set sm.sms=1 --max-memory 8M --events e.$form big.wt >table
		[ "$(stat -c %s e.$form)" -gt 17000000 ]
	done
}

@test "the picture of an SM: a colour for each thing that its warps do" {
	traces
	trace-replay -q --events e.tsv --events-from 6000 --events-to 8000 --events-sm 0 --set sm.sms=2 b.wt >table
	awk -f "$root/plots/events.awk" e.tsv >e.data
	# Lines do not overlap, and are as long as what they stand for.
	awk -F '\t' 'NF == 3 && NR > 1 { if (odd = !odd) at = $2; else n[$3] += $2 - at }
		END { for (k in n) print k, n[k] }' e.data | sort >got
	awk -F '\t' '$5 == "wait" || $5 == "issue" {
			what = $5 == "issue" ? "issued" : $6
			sub(/^stall_.*/, "stall", what)
			n[what] += $2
		}
		END { for (k in n) print k, n[k] }' e.tsv | sort | diff - got
	(cd "$root" && gnuplot -e "term='svg'; out='$BATS_TEST_TMPDIR/e.svg'; data='$BATS_TEST_TMPDIR/e.data'; sm='an SM'" plots/events.gp)
	for text in 'an SM' 'warp slot' issues 'waits for a load'; do
		grep -q "$text" e.svg
	done
	! grep -q withheld e.svg || false
}

@test "the README's picture is of what its commands give" {
	[ -z "${SAN:-}" ] || skip "the plain build does this"
	trace-gen -q bfs -o bfs.wt
	trace-replay -q --events e.tsv --events-from 30000 --events-to 32000 --events-sm 0 bfs.wt >table
	awk -f "$root/plots/events.awk" e.tsv >e.data
	[ "$(wc -l <e.data)" -gt 1000 ]
	# UPDATE=1 draws it anew.
	cksum <e.data >sum
	[ -z "${UPDATE:-}" ] || (cd "$root" && gnuplot -e "term='svg'; out='plots/events.svg'; \
		data='$BATS_TEST_TMPDIR/e.data'; sm='bfs under gto, SM 0 of ccws'" plots/events.gp)
	golden events.cksum sum
}

@test "standard output, and what is refused" {
	small t.wt
	trace-replay -q --no-provenance --events - t.wt >out.tsv
	trace-replay -q --no-provenance --events e.tsv t.wt >table
	cmp out.tsv e.tsv
	expect 2 "'e.txt' ends in none of .tsv, .konata and .json" trace-replay --events e.txt t.wt
	expect 2 "'.json' ends in none of" trace-replay --events .json t.wt
	expect 2 "the window ends before cycle 5 and begins with cycle 5" \
		trace-replay --events x.tsv --events-from 5 --events-to 5 t.wt
	expect 2 "so there is no cycle in it" trace-replay --events x.tsv --events-from 9 --events-to 5 t.wt
	expect 2 "--events-from" trace-replay --events x.tsv --events-from -3 t.wt
	expect 2 "--events-to" trace-replay --events x.tsv --events-to ten t.wt
	expect 2 "there is no SM 2: the machine has 2, numbered from 0" \
		trace-replay --events x.tsv --events-sm 2 --set sm.sms=2 t.wt
	expect 2 "are of --events, and there is none" trace-replay --events-from 5 t.wt
	expect 2 "are of --events, and there is none" trace-replay --compare gto --events-sm 0 t.wt
	expect 2 "are of one run" trace-replay --compare gto,lrr --events x.tsv t.wt
	expect 2 "only one of" trace-replay --events - --timeline - t.wt
	expect 2 "is to be written twice" trace-replay --events x.json --timeline x.json t.wt
	expect 1 "cannot write" bash -c 'trace-replay --events - t.wt >/dev/full'
	[ -z "$(find . -name 'x.*')" ]
}
