# trace-replay: its tables, its errors, and that it agrees with its neighbours. What it measures is
# held by the unit tests.
load helper

# row TABLE NAME: the last row's cell of a column.
row() {
	column "$1" "$2" | tail -1
}

@test "a row for each launch, the columns that others rely on, and a total" {
	small t.wt
	trace-replay --format=tsv t.wt >t.tsv
	grep -v '^#' t.tsv | head -1 | tr '\t' ' ' | grep -q '^kernel scheduler warp machine cycles warp_insts thread_insts ipc_warp ipc_thread simd_efficiency idle_share coalescing_rate l1d_accesses l1d_hits l1d_misses l1d_merges l1d_mpki intra_warp_hits inter_warp_hits l2_misses dram_reads dram_writes\b'
	[ "$(row t.tsv kernel)" = total ]
	[ "$(row t.tsv scheduler)" = gto ]
	[ "$(row t.tsv warp)" = fixed:32 ]
	[ "$(row t.tsv machine)" = ccws ]
	trace-info --format=tsv t.wt >info.tsv
	[ "$(column t.tsv kernel | wc -l)" -eq "$(column info.tsv kernel | wc -l)" ]
	[ "$(column t.tsv thread_insts | paste -s)" = "$(column info.tsv thread_insts | paste -s)" ]
	[ "$(row t.tsv warp_insts)" -eq "$(row info.tsv warp_insts_32)" ]
	for name in cycles warp_insts thread_insts l1d_accesses l1d_misses dram_reads; do
		column t.tsv $name | awk 'last != "" { sum += last } { last = $1 } END { exit sum != last }'
	done
}

@test "the same run gives the same bytes" {
	small t.wt
	trace-replay --stats=all --format=tsv --access-stream a.wt t.wt >a.tsv
	trace-replay --stats=all --format=tsv --access-stream a2.wt t.wt >b.tsv
	cmp <(grep -v '^#' a.tsv) <(grep -v '^#' b.tsv)
	cmp <(trace-belady --format=tsv --by sm a.wt | grep -v '^#') \
		<(trace-belady --format=tsv --by sm a2.wt | grep -v '^#')
}

@test "the classes of cycles and the lanes' bins add up" {
	small t.wt
	trace-replay -m tbc --stats=stalls,lanes --format=tsv t.wt >t.tsv
	grep -v '^#' t.tsv | awk -F '\t' '
		NR == 1 { for (i = 1; i <= NF; i++) name[i] = $i; next }
		{
			all = bins = issued = cycles = 0
			for (i = 1; i <= NF; i++) {
				if (name[i] == "cycles") cycles = $i
				if (name[i] == "cycles_issued") issued = $i
				if (name[i] ~ /^cycles_/) all += $i
				if (name[i] ~ /^w[0-9]/) bins += $i
			}
			if (all != 30 * cycles || bins != issued || !issued) exit 1
		}'
}

@test "splits add up to the totals" {
	small t.wt
	trace-replay --format=tsv t.wt >t.tsv
	for split in pc line buffer; do
		trace-replay --stats=$split --format=tsv t.wt >s.tsv
		for name in l1d_accesses l1d_hits l1d_misses l1d_merges; do
			column s.tsv $name | awk -v want="$(row t.tsv $name)" '{ n += $1 } END { exit n != want }'
		done
	done
	grep -q '	edges	' s.tsv
}

@test "a scheduler with room for all is its base" {
	trace-gen bfs --set nodes=2000 -o t.wt
	trace-replay -s gto --format=tsv t.wt | grep -v '^#' | cut -f 1,5- >gto
	trace-replay -s swl:limit=32 --format=tsv t.wt | grep -v '^#' | cut -f 1,5- >swl
	trace-replay -s 2lvl:group=32,inside=gto --format=tsv t.wt | grep -v '^#' | cut -f 1,5- >two
	cmp gto swl
	cmp gto two
	trace-replay -s lrr --format=tsv t.wt | grep -v '^#' | cut -f 1,5- >lrr
	trace-replay -s 2lvl:group=32 --format=tsv t.wt | grep -v '^#' | cut -f 1,5- >two
	cmp lrr two
}

@test "the access stream says what the table says" {
	trace-gen bfs --set nodes=2000 -o t.wt
	trace-replay --access-stream a.wt --format=tsv t.wt >t.tsv
	trace-belady --policy lru --format=tsv a.wt >b.tsv
	[ "$(row t.tsv l1d_accesses)" -eq "$(row b.tsv accesses)" ]
	[ "$(row b.tsv sets)" -eq 32 ]
	[ "$(row b.tsv ways)" -eq 8 ]
	trace-replay --no-provenance --access-stream a.wt t.wt >/dev/null
	bash -o pipefail -c 'trace-replay --no-provenance --access-stream - -o p.tsv --format=tsv t.wt |
		cmp - a.wt'
	[ "$(row p.tsv cycles)" = "$(row t.tsv cycles)" ]
}

@test "machines, settings and files" {
	small t.wt
	for m in dwr tbc crown ccws daws-spmv vws k20c; do
		trace-replay -m $m --format=tsv t.wt >t.tsv
		[ "$(row t.tsv machine)" = $m ]
	done
	printf 'base = tbc\n[sm]\nsms = 2 # fewer\n' >mine.ini
	trace-replay -m mine.ini --format=tsv t.wt >a.tsv
	trace-replay -m tbc --set sm.sms=2 --format=tsv t.wt >b.tsv
	[ "$(row a.tsv machine)" = mine ]
	[ "$(row a.tsv cycles)" = "$(row b.tsv cycles)" ]
	trace-replay --set l1d=perfect --format=tsv t.wt >p.tsv
	[ "$(row p.tsv l1d_misses)" -eq 0 ]
	trace-replay -m mine.ini --set=help --format=tsv | grep -q '^sm.sms	2	'
}

@test "tables of names" {
	[ "$(trace-replay --machine=help --format=tsv | grep -vc '^#')" -eq 8 ]
	trace-replay --scheduler=help | grep -q '^swl  *limit='
	trace-replay --warp=help | grep -q '^mimd'
	trace-replay --priority=help | grep -q '^srr'
	trace-replay --stats=help | grep -q '^stalls'
	trace-replay --set=help --format=tsv | grep -q '^l1d.size	32K	bytes	'
}

@test "errors name the reason" {
	small t.wt
	expect 2 "unknown scheduler 'gtoo', did you mean 'gto'?" trace-replay -s gtoo t.wt
	expect 2 "swl has no parameter 'limt', did you mean 'limit'?" trace-replay -s swl:limt=3 t.wt
	expect 2 "unknown machine 'ccvs', did you mean 'ccws'?" trace-replay -m ccvs t.wt
	expect 2 "unknown key 'l1d.wys', did you mean 'l1d.ways'?" trace-replay --set l1d.wys=3 t.wt
	expect 2 "'l1d.ways' is no KEY=VALUE" trace-replay --set l1d.ways t.wt
	expect 2 "sets are no power of two" trace-replay --set l1d.size=24K t.wt
	expect 2 "no whole number of sets" trace-replay --set l1d.ways=7 t.wt
	expect 2 "unknown priority 'old'" trace-replay --priority old t.wt
	expect 2 "unknown group 'stals', did you mean 'stalls'?" trace-replay --stats stals t.wt
	expect 2 "tables of their own" trace-replay --stats pc,stalls t.wt
	expect 2 "sm." trace-replay --set sm.threads_per_sm=64 t.wt
	printf 'base = mine.ini\n' >mine.ini
	expect 1 "it is its own base" trace-replay -m mine.ini t.wt
	trace-coalesce t.wt -o a.wt
	expect 1 "access stream" trace-replay a.wt
	head -c 300 t.wt >cut.wt
	expect 1 "cut.wt" trace-replay cut.wt
	expect 1 "cannot write" bash -c 'trace-replay t.wt >/dev/full'
	expect 1 "cannot write '/dev/full'" trace-replay --access-stream /dev/full t.wt
}
