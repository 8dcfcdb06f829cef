#!/usr/bin/env bats
# trace-locality. The kernels of tests/kernels/locality.ptx have one kind of locality each.
load helper

# kernel ENTRY [OPTION]...: the accesses of its warps on one SM, in k.as.
kernel() {
	local entry=$1
	shift
	trace-gen --ptx "$root/tests/kernels/locality.ptx" --entry "$entry" "$@" -o k.wt
	trace-coalesce --sms 1 -o k.as k.wt
}

# classes [OPTION]...: the classes of k.as that have accesses, as "cold=4 ".
classes() {
	trace-locality --format=tsv "$@" k.as >table
	awk -F '\t' '!/^#/ && $1 != "class" && $1 != "total" && $2 { printf "%s=%d ", $1, $2 }' table
}

# cell TABLE COLUMN: that of the first row.
cell() {
	column "$1" "$2" | head -n 1
}

# stream WORKLOAD [OPTION]...: its accesses on a few SMs, in s.as.
stream() {
	bash -o pipefail -c 'trace-gen "$@" | trace-coalesce --sms 3 -o s.as' - "$@"
}

@test "a private walk is intra-thread, on the last trip's lines" {
	kernel private_walk --grid 2 --block 64 --arg x=buf:64K
	[ "$(classes)" = "intra_thread=3968 cold=128 " ]
	[ "$(classes --cache 64K:128:full)" = "intra_thread=3968 cold=128 " ]
	trace-locality --by loop --format=tsv k.as >loops
	[ "$(column loops loop)" = 0 ]
	[ "$(column loops this_trip)" = 0 ]
	[ "$(column loops last_trip)" = 3968 ]
	[ "$(column loops other)" = 0 ]
	trace-locality --divergence --format=tsv k.as >points
	[ "$(column points active)" = 32 ]
	[ "$(column points requests)" = 32 ]
	[ "$(column points count)" = 128 ]
	[ "$(column points verdict)" = completely_diverged ]
}

@test "a line that lanes share one after the other is intra-warp" {
	kernel shared_line --grid 2 --block 64 --arg x=buf:64K
	[ "$(classes)" = "intra_warp=124 cold=4 " ]
	trace-locality --by loop --format=tsv k.as >loops
	[ "$(column loops last_trip)" = 124 ]
	trace-locality --divergence --format=tsv k.as >points
	[ "$(column points active)" = 1 ]
	[ "$(column points count)" = 128 ]
	[ "$(column points verdict)" = converged ]
}

@test "a table that all warps read is inter-warp, or inter-CTA" {
	kernel table --grid 1 --block 128 --arg x=buf:64K --arg u32:10
	[ "$(classes)" = "inter_warp=30 cold=10 " ]
	kernel table --grid 4 --block 32 --arg x=buf:64K --arg u32:10
	[ "$(classes)" = "inter_cta=30 cold=10 " ]
	trace-coalesce --sms 4 -o k.as k.wt
	[ "$(classes)" = "cold=40 " ]
}

@test "what is read once is cold" {
	kernel stream --grid 2 --block 64 --arg x=buf:64K --arg u32:12
	[ "$(classes)" = "cold=48 " ]
	[ "$(classes --cache 1K:128:1)" = "cold=48 " ]
	trace-locality --reuse --format=tsv k.as >reuse
	[ "$(column reuse distance)" = - ]
	[ "$(column reuse cold)" = 48 ]
}

@test "a cycle is capacity where it does not fit, and conflict where its set is the reason" {
	kernel cycle --grid 1 --block 32 --arg x=buf:64K --arg u32:8 --arg u32:128 --arg u32:10
	[ "$(classes)" = "intra_thread=72 cold=8 " ]
	[ "$(classes --cache 512:128:full)" = "cold=8 capacity=72 " ]
	[ "$(classes --cache 1K:128:1)" = "intra_thread=72 cold=8 " ]
	trace-locality --reuse --format=tsv k.as >reuse
	[ "$(column reuse distance | tr '\n' ' ')" = "7 - " ]
	[ "$(cell reuse intra_thread)" = 72 ]
	kernel cycle --grid 1 --block 32 --arg x=buf:64K --arg u32:2 --arg u32:1024 --arg u32:10
	[ "$(classes --cache 1K:128:1)" = "cold=2 conflict=18 " ]
	[ "$(classes --cache 1K:128:2)" = "intra_thread=18 cold=2 " ]
	[ "$(classes --cache 1K:128:1 --index xor)" = "intra_thread=18 cold=2 " ]
}

@test "stores take lines out, or are accesses if they allocate" {
	kernel update --grid 2 --block 64 --arg x=buf:64K --arg u32:5
	[ "$(classes)" = "cold=4 written=16 " ]
	[ "$(column table stores | tail -n 1)" = 20 ]
	[ "$(classes --write allocate)" = "intra_thread=36 cold=4 " ]
	[ "$(column table stores | tail -n 1)" = 0 ]
}

@test "caches are empty when a launch begins, unless they are not flushed" {
	trace-gen --ptx "$root/tests/kernels/locality.ptx" --entry table --grid 1 --block 32 \
		--arg x=buf:64K --arg u32:10 --entry table --grid 1 --block 32 --arg @x \
		--arg u32:10 -o k.wt
	trace-coalesce --sms 1 -o k.as k.wt
	[ "$(classes)" = "cold=20 " ]
	[ "$(classes --flush-at-kernel off)" = "inter_cta=10 cold=10 " ]
	[ "$(classes --launch 1)" = "cold=10 " ]
}

@test "the columns that others rely on come first, in their order" {
	kernel stream --grid 1 --block 32 --arg x=buf:64K --arg u32:4
	fixed=$(printf 'class\taccesses\thits\tmisses\tpki')
	[ "$(trace-locality --no-provenance --format=tsv k.as | head -n 1 | cut -f 1-5)" = "$fixed" ]
	for by in pc line buffer loop; do
		trace-locality --by $by --no-provenance --format=tsv k.as | head -n 1 | cut -f 1-5 >got
		[ "$(cat got)" = "${fixed/class/${by/line/source_line}}" ]
	done
}

@test "parts add up, per class, pc, line, buffer and loop" {
	for w in "bfs --set nodes=3000" "spmv-scalar --set rows=600" "memcached --set requests=2048"; do
		stream $w
		for cache in unbounded 16K:128:4; do
			trace-locality --cache $cache --format=tsv s.as | grep -v '^#' >class
			[ "$(awk '$1 == "total" { print ($2 > 1000) }' class)" = 1 ]
			for by in class pc line buffer loop; do
				trace-locality --cache $cache --by $by --format=tsv s.as |
					grep -v '^#' >$by
			done
			awk -F '\t' '
				FNR == 1 { for (i = 1; i <= NF; i++) name[i] = $i; n = NF }
				FILENAME == "class" && FNR > 1 {
					if ($1 == "total") { accesses = $2; hits = $3; stores = $8 }
					else { class[$1] = $2; sum += $2 }
				}
				FILENAME != "class" && FNR > 1 {
					parts = when = 0
					for (i = 1; i <= n; i++) {
						if (name[i] in class) {
							parts += $i
							got[FILENAME, name[i]] += $i
						}
						if (name[i] ~ /_trip$|^other$/) when += $i
						if (name[i] == "stores") got[FILENAME, "stores"] += $i
					}
					got[FILENAME, "accesses"] += $2
					if (parts != $2 || $3 + $4 != $2) bad = FILENAME " " $1
					if (FILENAME == "loop" && $1 != "-" && when != $6 + $7)
						bad = "trips of loop " $1
				}
				END {
					if (sum != accesses) bad = "classes"
					for (b = split("pc line buffer loop", by, " "); b; b--) {
						for (c in class)
							if (got[by[b], c] != class[c]) bad = by[b] " " c
						if (got[by[b], "accesses"] != accesses) bad = by[b]
						if (got[by[b], "stores"] != stores) bad = by[b] " stores"
					}
					print bad
					exit bad != ""
				}' class pc line buffer loop
		done
	done
}

@test "buffers have their names" {
	stream bfs --set nodes=3000
	trace-locality --by buffer --format=tsv s.as >buffers
	trace-info --dump <(trace-gen bfs --set nodes=3000) | awk '/^alloc 0 / { print $3 }' | sort >names
	column buffers buffer | sort | comm -23 - names | diff - /dev/null
	[ "$(column buffers buffer | wc -l)" -gt 3 ]
}

@test "misses from reuse distances are those of an LRU cache, for every size" {
	stream bfs --set nodes=3000
	trace-locality --reuse --format=tsv s.as >reuse
	[ "$(column reuse accesses | awk '{ n += $1 } END { print n }')" = \
		"$(trace-locality --format=tsv s.as | column - accesses | tail -n 1)" ]
	paste <(column reuse distance) <(column reuse misses) | grep -v '^-' |
		awk 'NR < 8 || NR % 23 == 0' >some
	[ "$(wc -l <some)" -gt 10 ]
	while read -r distance misses; do
		lines=$((distance + 1))
		trace-locality --cache $((lines * 128)):128:full --format=tsv s.as |
			column - misses | tail -n 1 | grep -qx "$misses"
	done <some
	trace-locality --reuse=pow2 --format=tsv s.as >pow2
	[ "$(column pow2 accesses | awk '{ n += $1 } END { print n }')" = \
		"$(column reuse accesses | awk '{ n += $1 } END { print n }')" ]
	paste <(column reuse distance) <(column reuse misses) | sort >a
	paste <(column pow2 distance) <(column pow2 misses) | sed 1,4d | head -n 3 >b
	while read -r distance misses; do
		awk -v d="$distance" '$1 != "-" && $1 <= d { if ($1 >= at) { at = $1; m = $2 } }
			END { print m }' a | grep -qx "$misses"
	done <b
}

@test "a profile has a row for each load of a loop, and says whether it has locality" {
	kernel private_walk --grid 2 --block 64 --arg x=buf:64K
	trace-locality --daws-profile k.as >p.tsv
	[ "$(grep -v '^#' p.tsv | head -1 | tr '\t' ' ')" = "kernel pc loop locality diverged repetition accesses intra_warp_hits source_line inst" ]
	[ "$(column p.tsv kernel)" = private_walk ]
	[ "$(column p.tsv locality)" = 1 ]
	[ "$(column p.tsv diverged)" = 1 ]
	[ "$(column p.tsv repetition)" = "$(column p.tsv pc)" ]
	[ "$(column p.tsv accesses)" = 4096 ]
	[ "$(column p.tsv intra_warp_hits)" = 3968 ]
	kernel table --grid 1 --block 128 --arg x=buf:64K --arg u32:10
	[ "$(trace-locality --daws-profile k.as | grep -v '^#' | cut -f 4,5 | tail -n +2)" = "0	0" ]
	trace-locality --daws-profile --format=json k.as | grep -q '"locality": *0'
	stream bfs --set nodes=500,degree=3
	trace-locality --daws-profile s.as >p.tsv
	[ "$(column p.tsv kernel | uniq)" = bfs_visit ]
	column p.tsv loop | awk '$1 { exit 1 }'
	expect 2 "one at a time" trace-locality --daws-profile --reuse s.as
	expect 2 "--by splits classes" trace-locality --daws-profile --by pc s.as
}

@test "points of divergence add up to the requests of each load" {
	stream bfs --set nodes=3000
	trace-locality --divergence --format=tsv s.as | grep -v '^#' >points
	trace-locality --by pc --format=tsv s.as | grep -v '^#' >pcs
	awk -F '\t' '
		FNR == 1 { next }
		FILENAME == "points" { n[$7, $1] += $4 * $5; verdict[$7, $1] = $6; next }
		$2 { loads++; if (n[$(NF - 4), $1] != $2) bad = $1 }
		END { print bad, loads; exit bad != "" || loads < 4 }' points pcs
	[ "$(column points verdict | sort -u | wc -l)" -gt 1 ]
}

@test "a thread trace is told what to put between" {
	small
	expect 1 "trace-locality: cannot read 'small.wt': this is a thread trace: put trace-coalesce before trace-locality" \
		trace-locality small.wt
}

@test "what cannot be is refused with 2" {
	kernel stream --grid 1 --block 32 --arg x=buf:64K --arg u32:4
	expect 2 "cache '1000:128:2'" trace-locality --cache 1000:128:2 k.as
	expect 2 "ways" trace-locality --cache 1K:128:16 k.as
	expect 2 "'0:128:1'" trace-locality --cache 0:128:1 k.as
	expect 2 "lines of 64 bytes" trace-locality --cache 32K:64:8 k.as
	expect 2 "there is no cache, and no --cache" trace-locality --divergence --flush-at-kernel=on k.as
	expect 2 "there is no --index" trace-locality --reuse --index hash k.as
	expect 2 "want an unbounded cache" trace-locality --cache 32K:128:8 --reuse k.as
	expect 2 "unknown split 'pcs': did you mean 'pc'?" trace-locality --by pcs k.as
	expect 2 "one at a time" trace-locality --reuse --divergence k.as
	expect 2 "--by splits classes" trace-locality --reuse --by pc k.as
	expect 2 "unknown index function 'mod'" trace-locality --index mod k.as
	expect 2 "--daws-profile is of one FILE" trace-locality --daws-profile a b
}

@test "what is no access stream, or only a piece of one, is refused" {
	kernel stream --grid 1 --block 32 --arg x=buf:64K --arg u32:4
	: >empty
	expect 1 "cannot read 'empty': " trace-locality empty
	expect 1 "cannot open 'missing': No such file or directory" trace-locality missing
	head -c $(($(stat -c %s k.as) - 1)) k.as >cut
	expect 1 "cannot read 'cut': " trace-locality cut
	head -c 100 k.as >cut
	expect 1 "cannot read standard input: " bash -c 'cat cut | trace-locality'
}

@test "a full disk and a closed reader" {
	kernel stream --grid 1 --block 32 --arg x=buf:64K --arg u32:4
	expect 1 "cannot write standard output" bash -c 'trace-locality k.as >/dev/full'
	bash -c 'trace-locality --by pc k.as 2>stderr | :'
	[ ! -s stderr ]
}

@test "JSON, a file by -o, and the table for people" {
	kernel private_walk --grid 2 --block 64 --arg x=buf:64K
	trace-locality --format=json k.as >j
	head -c 1 j | grep -q '\['
	tail -n 1 j | grep -qx ']'
	[ "$(grep -c '^{"class":' j)" = 9 ]
	trace-locality --format=tsv --no-provenance k.as >a
	trace-locality --format=tsv --no-provenance -o b - <k.as
	cmp a b
	trace-locality k.as >human
	golden locality.human human
}

@test "a part of the stream is the part" {
	stream bfs --set nodes=3000
	launches=$(trace-info --format=tsv <(trace-gen bfs --set nodes=3000) | column - launch | grep -vc total)
	for ((i = 0; i < launches; i++)); do
		trace-locality --launch $i --format=tsv s.as | column - accesses | tail -n 1
	done | awk '{ n += $1 } END { print n }' >sum
	[ "$(cat sum)" = "$(trace-locality --format=tsv s.as | column - accesses | tail -n 1)" ]
	[ "$(trace-locality --cta 0 --format=tsv s.as | column - pki | tail -n 1)" = - ]
}

# Figures 3.1 and 4.3 of Rogers' thesis, as far as they are one sentence each.
@test "at their default inputs the cache-sensitive workloads hit within warps, on the last trip's lines" {
	[ -n "${SLOW:-}" ] || skip "make check-slow"
	for w in bfs kmeans memcached gc spmv-scalar; do
		trace-gen -q $w | trace-coalesce -q -o w.as
		trace-locality --format=tsv w.as |
			awk -F '\t' '{ n[$1] = $3 }
				END { exit 2 * (n["intra_thread"] + n["intra_warp"]) <= n["total"] }'
		trace-locality --by loop --format=tsv w.as >loops
		paste <(column loops this_trip) <(column loops last_trip) <(column loops other) |
			awk '{ last += $2; rest += $1 + $3 } END { exit last <= rest }'
	done
}

@test "the figure's table adds up, and the figure is drawn" {
	stream bfs --set nodes=3000
	trace-locality --format=tsv -o bfs.tsv s.as
	trace-locality --cache 4K:128:4 --format=tsv -o small.tsv s.as
	awk -f "$root/plots/locality.awk" bfs.tsv small.tsv >figure
	[ "$(cut -f 1 figure | tr '\n' ' ')" = "workload bfs small  mean " ]
	pki=$(column bfs.tsv pki | tail -n 1)
	awk -F '\t' -v pki="$pki" 'NR > 1 && $1 != "" {
		d = $2 + $3 + $4 + $5 + $6 - pki
		if (d > 0.01 || d < -0.01) bad = $1
	} END { print bad; exit bad != "" }' figure
	cd "$root"
	gnuplot -e "term='svg'; out='$BATS_TEST_TMPDIR/f.svg'; data='$BATS_TEST_TMPDIR/figure'" \
		plots/locality.gp
	grep -q 'intra-thread' "$BATS_TEST_TMPDIR/f.svg"
}
