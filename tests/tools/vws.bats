#!/usr/bin/env bats
# trace-replay with gangs and fetch: what the tool shows of variable warp sizing, and the table of
# what policies' tables take. The mechanism itself is tests/unit/test_vws.c's.
load helper

# value FILE COLUMN: of the last row.
value() {
	column "$1" "$2" | tail -n 1
}

@test "presets are vws with the thesis's parameters" {
	trace-gen gamephysics --set blocks=4,rounds=1,steps=1 -o t.wt
	while read -r preset params; do
		trace-replay -m vws -w "$preset" --stats=fetch,policy --format=tsv t.wt -o a.tsv
		trace-replay -m vws -w "vws$params" --stats=fetch,policy --format=tsv t.wt -o b.tsv
		for c in cycles warp_insts fetches control_splits memory_splits gang_merges gang_1; do
			[ "$(value a.tsv $c)" = "$(value b.tsv $c)" ]
		done
		[ $(($(value a.tsv control_splits) + $(value a.tsv memory_splits))) -gt 0 ]
	done <<-'END'
		ivws
		evws :reform=1
		evws-impatientmem :reform=1,mem=impatient
		ivws-impatientmem :mem=impatient
		ivws-groupmem :mem=group
	END
}

@test "warps of a timeline stand in gangs of one size or another" {
	trace-gen gamephysics --set blocks=8,rounds=1,steps=1 -o t.wt
	trace-replay -m vws -w evws --timeline t.tsv --interval 200 --stats=policy --format=tsv \
		-o a.tsv t.wt
	# 128 threads a block: the first interval has no more than all warps of 4 of eight blocks.
	column t.tsv gang_8 | awk 'NR == 1 { exit !($1 > 0 && $1 <= 256) }'
	for k in 1 2 3 4 5 6 7 8; do
		paste <(column t.tsv launch) <(column t.tsv cycle) <(column t.tsv gang_$k) |
			awk -v total="$(column a.tsv gang_$k | awk '{ n += $1 } END { print n }')" '
			{ n = $1 == launch ? $2 - cycle : $2; launch = $1; cycle = $2; sum += n * $3 }
			END { exit !(sum - total < .01 * total + 50 && total - sum < .01 * total + 50) }'
	done
	trace-replay -m vws -w evws --timeline t.json --interval 200 -o /dev/null t.wt
	jq -e '[.traceEvents[] | select(.name == "levels") | .args.gang_8] | max > 0' t.json
	# Others have no gangs.
	trace-replay -m vws --timeline f.tsv -o /dev/null t.wt
	! grep -q gang_ f.tsv || false
}

@test "fetches are what ports and L0s let through" {
	trace-gen lighting --set across=2,down=2,lights=64 -o t.wt
	trace-replay -m vws -w ivws --stats=fetch --format=tsv t.wt -o perfect.tsv
	trace-replay -m vws -w ivws --stats=fetch --format=tsv t.wt -o few.tsv \
		--set sm.fetch_ports=1
	trace-replay -m vws -w ivws --stats=fetch --format=tsv t.wt -o l0.tsv \
		--set sm.fetch_ports=1 --set sm.l0i_bytes=256
	[ "$(value perfect.tsv fetches)" = "$(value perfect.tsv warp_insts)" ]
	[ "$(value perfect.tsv l0_hits)" = 0 ]
	[ "$(value few.tsv cycles)" -gt "$(value perfect.tsv cycles)" ]
	awk -v f="$(value few.tsv fetches_per_cycle)" 'BEGIN { exit !(f > .5 && f <= 1) }'
	[ "$(value l0.tsv cycles)" -lt "$(value few.tsv cycles)" ]
	[ "$(value l0.tsv l0_hits)" -gt 0 ]
	awk -v f="$(value l0.tsv fetches_per_cycle)" 'BEGIN { exit !(f > 0 && f <= 1) }'
	awk -v n="$(value perfect.tsv lanes_per_issue_cycle)" 'BEGIN { exit !(n > 1 && n <= 32) }'
	# Other policies fetch as well.
	trace-replay -m vws-4 --stats=fetch --format=tsv t.wt -o small.tsv --set sm.fetch_ports=8
	[ "$(value small.tsv fetches)" = "$(value small.tsv warp_insts)" ]
}

# of POLICY STRUCTURE COLUMN: a field of the table of storage.
of() {
	awk -F '\t' -v p="$1" -v s="$2" -v c="$3" '/^#/ { next }
		!names { for (i = 1; i <= NF; i++) at[$i] = i; names = 1; next }
		$1 == p && $2 == s { print $at[c] }' s.tsv
}

# near X Y: within half a percent.
near() {
	awk -v x="$1" -v y="$2" 'BEGIN { exit !(x > .995 * y && x < 1.005 * y) }'
}

@test "what tables take is what the papers print" {
	trace-replay --stats=storage -m vws --format=tsv -o s.tsv
	near "$(of vws total mm2)" 1.72
	near "$(of vws total sm_percent)" 10.77
	near "$(of vws 'gang table' mm2)" 0.0258
	near "$(of vws 'L0-I' mm2)" "$(of vws 'L0-I' paper_mm2)" || near "$(of vws 'L0-I' mm2)" 0.0516
	[ "$(of ccws 'victim tags' entry_bits)" = 40 ]
	[ "$(of tbc 'warp buffer' bits)" = 5120 ]
	[ -n "$(of dwf total bits)" ] && [ -n "$(of daws total bits)" ]
	[ -z "$(of ivws total bits)" ] # vws's, under another name
	trace-replay --stats=storage -m vws -w ivws:size=8 --format=tsv -o s.tsv
	near "$(of ivws total mm2)" 0.93
	near "$(of ivws total gpu_percent)" 2.63
	[ -z "$(of ccws total bits)" ] # not named
	trace-replay --stats=storage -m dwr -w dwr --format=tsv -o s.tsv
	[ "$(of dwr 'partner-synch table' bits)" = $((82 * 8)) ]
	[ "$(of dwr 'ignore list' bits)" = $((124 * 8)) ]
	trace-replay --stats=storage -m ccws -s ccws:vta=32 --format=tsv -o s.tsv
	[ "$(of ccws 'victim tags' entries)" = $((32 * 32)) ]
	trace-replay --stats=storage -m crown -w crown --format=tsv -o s.tsv
	[ "$(of crown 'reconvergence barriers' entry_bits)" = 96 ]
	[ "$(of crown 'second level' entry_bits)" = 90 ]
	trace-replay --stats=storage -m ccws -w lwm --format=tsv -o s.tsv
	[ "$(of lwm total bits)" = $((224 * 8)) ]
	trace-replay --stats=storage -m ccws -w dualpath --format=tsv -o s.tsv
	# Entries of 160 bits instead of 96.
	[ "$(of dualpath 'second sides' entry_bits)" = $((160 - 96)) ]
	[ "$(of dualpath 'second sides' entries)" = 1024 ]
	[ "$(of dualpath 'second scoreboard' bits)" = 1792 ]
	trace-replay --stats=storage -m ccws -w dualpath:paths=1 --format=tsv -o s.tsv
	[ "$(of dualpath total bits)" = 0 ]
	trace-replay --stats=storage --format=tsv -o s.tsv
	[ "$(cut -f 1 s.tsv | grep -v '^#' | sed 1d | uniq | paste -s -d ' ')" = \
		"ccws daws dwf dwr tbc dualpath lwm crown vws" ]
	trace-replay --stats=storage -m tbc -w tbc:capri=32 --format=tsv -o s.tsv
	[ "$(of tbc 'predictions of CAPRI' bits)" = $((32 * 34)) ]
	expect 2 "replays nothing" trace-replay --stats=storage t.wt
	expect 2 "tables of their own" trace-replay --stats=storage,fetch
}

@test "what vws cannot be" {
	small t.wt
	expect 2 "vws picks its warps itself" trace-replay -m vws -w vws -s lrr t.wt
	expect 2 "sm.schedulers has to be 1" trace-replay -m vws-4 -w vws t.wt
	expect 2 "a power of two, and no more than sm.warp_size, 32" \
		trace-replay -m vws -w vws:size=3 t.wt
	expect 2 "no more than sm.warp_size, 32" trace-replay -m vws -w vws:size=64 t.wt
	expect 2 "at most 8 of them" trace-replay -m vws -w vws:size=2 t.wt
	expect 2 "is none of bgto, gto, lrr, lpc, lgto or slice" \
		trace-replay -m vws -w vws:order=big t.wt
}

@test "each scheduler either keeps loads back above vws or is refused" {
	trace-gen bfs --set nodes=500,degree=4 -o t.wt
	trace-replay --scheduler=help --format=tsv | grep -v '^#' | sed 1d | cut -f 1 | uniq >names
	[ "$(wc -l <names)" -ge 9 ]
	while read -r s; do
		case $s in
		ccws | daws)
			for w in ivws evws evws-impatientmem ivws-groupmem vws:order=slice; do
				trace-replay -q -m vws -w $w -s "$s" --format=tsv -o s.tsv t.wt
				[ "$(value s.tsv scheduler)" = "$s" ]
			done
			;;
		*) expect 2 "vws picks its warps itself" trace-replay -m vws -w vws -s "$s" t.wt ;;
		esac
	done <names
}

@test "schedulers that keep loads back stand above vws" {
	trace-gen bfs --set nodes=2000,degree=4 -o t.wt
	for s in ccws ccws:k=64 daws; do
		trace-replay -m vws -w ivws -s $s --set l1d.size=8K --stats=policy --format=tsv t.wt \
			-o $s.tsv
	done
	[ "$(value ccws.tsv withheld_loads)" -gt 0 ]
	[ "$(value daws.tsv withheld_loads)" -gt 0 ]
	[ "$(value ccws:k=64.tsv vta_hits)" -lt "$(value ccws.tsv vta_hits)" ]
}

@test "the accesses of slices that go together are one instruction's of the stream" {
	trace-gen bfs --set nodes=200,degree=4,block=64 -o t.wt
	for w in ivws evws evws-impatientmem ivws-groupmem vws:order=slice vws:gangs=1,reform=1,mem=group; do
		trace-replay -q -m vws -w $w --stats=l1d --format=tsv --access-stream=t.at t.wt -o r.tsv
		trace-info --check t.at
		trace-belady --format=tsv t.at -o b.tsv
		[ "$(column b.tsv accesses | tail -n 1)" = "$(column r.tsv l1d_accesses | tail -n 1)" ]
	done
}
