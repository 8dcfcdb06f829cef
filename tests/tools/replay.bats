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
	[ "$(row a.tsv cycles)" -gt 0 ]
	for s in a a2; do
		trace-belady --format=tsv --by sm $s.wt >$s.belady
		[ "$(column $s.belady misses | head -1)" -gt 0 ]
	done
	cmp <(grep -v '^#' a.belady) <(grep -v '^#' a2.belady)
}

@test "the access stream of mimd:together=cta says that its L1D has no limit" {
	small t.wt
	trace-replay -q -w mimd --access-stream own.wt t.wt >/dev/null
	trace-replay -q -w mimd:together=cta --access-stream joined.wt t.wt >/dev/null
	trace-locality own.wt | grep -q '^L1D of each: 32768 bytes'
	trace-locality joined.wt | grep -q '^L1D of each: unbounded'
}

@test "the classes of cycles and the lanes' bins add up" {
	small t.wt
	trace-replay -m tbc --stats=stalls,lanes --format=tsv t.wt >t.tsv
	# An SM without work is not idle.
	awk -v share="$(row t.tsv idle_share)" -v m="$(row t.tsv cycles_memory)" \
		-v s="$(row t.tsv cycles_sync)" -v i="$(row t.tsv cycles_idle)" \
		-v d="$(row t.tsv cycles_drained)" -v all="$(row t.tsv cycles)" 'BEGIN {
			e = share - (m + s + i) / (30 * all - d); exit !d || e > 1e-5 || e < -1e-5 }'
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

# adds FILE WANT COLUMN...: in each row those columns add up to WANT, an expression of columns.
adds() {
	grep -v '^#' "$1" | awk -F '\t' -v want="$2" -v parts="${*:3}" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; n = split(parts, part, " "); next }
		{
			sum = 0
			for (i = 1; i <= n; i++) sum += $at[part[i]]
			goal = want == 1 ? 1 : 1000 * $at[want] / $at["thread_insts"]
			if (sum > goal * 1.0001 || sum < goal * 0.9999) exit 1
			rows++
		}
		END { exit !rows }'
}

@test "the thesis's splits of activity and of accesses add up, and are what was counted" {
	trace-gen bfs --set nodes=2000 -o t.wt
	for s in gto ccws swl:limit=2; do
		trace-replay -s $s --stats=stalls,l1d --format=tsv t.wt >t.tsv
		adds t.tsv 1 issued_share withheld_share nothing_share
		adds t.tsv l1d_accesses l1d_mpki merge_pki inter_warp_pki inter_thread_pki intra_thread_pki
		adds t.tsv intra_warp_hits inter_thread_pki intra_thread_pki
		adds t.tsv intra_thread_hits intra_thread_pki
		adds t.tsv inter_warp_hits inter_warp_pki
		awk -v share="$(row t.tsv withheld_share)" -v n="$(row t.tsv cycles_withheld)" \
			-v all="$(row t.tsv cycles)" 'BEGIN {
				d = share - n / (30 * all); exit d > 1e-5 || d < -1e-5 }'
		row t.tsv withheld_share >>withheld
		row t.tsv intra_thread_pki >>within
	done
	[ "$(head -1 withheld)" = 0 ] # gto keeps nobody back
	[ "$(tail -1 withheld)" != 0 ]
	! grep -qx 0 within || false
}

@test "energies are those of the counts, and add up over parts and launches" {
	small t.wt
	trace-replay --stats=memory,energy --format=tsv t.wt >t.tsv
	for name in energy_l1d_nj energy_l2_nj energy_dram_nj energy_nj; do
		column t.tsv $name | awk 'last != "" { sum += last } { last = $1 }
			END { exit !(last > 0 && (sum - last) ^ 2 < (1e-4 * last) ^ 2) }'
	done
	for part in l1d l2 dram; do row t.tsv energy_${part}_nj; done |
		awk -v all="$(row t.tsv energy_nj)" '{ sum += $1 } END { exit (sum - all) ^ 2 > (1e-4 * all) ^ 2 }'
	near() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a > 0 && (a - b) ^ 2 < (1e-4 * b) ^ 2) }'; }
	near "$(row t.tsv energy_l1d_nj)" "$(awk -v h="$(row t.tsv l1d_hit_sectors)" \
		-v m="$(row t.tsv l1d_miss_sectors)" \
		'BEGIN { print 0.50643203 * h + 0.33845505 * m }')"
	near "$(row t.tsv energy_dram_nj)" "$(awk -v b="$(row t.tsv dram_bytes)" \
		-v w="$(row t.tsv dram_write_bytes)" -v p="$(row t.tsv dram_precharges)" \
		'BEGIN { print 2.0096731 * (b - w) / 32 + 1.1151964 * w / 32 + 0.33269421 * p }')"
	[ "$(row t.tsv dram_precharges)" -le "$(row t.tsv dram_activates)" ]
	trace-replay --format=tsv t.wt >plain.tsv
	[ "$(row t.tsv cycles)" = "$(row plain.tsv cycles)" ]
	grep -qw energy_nj plain.tsv && return 1
	trace-replay --stats=help | grep -q '^energy  *.*nJ'
}

@test "the L1D's sectors are those of the access stream" {
	small t.wt
	for set in l1d.line=128 l1d.line=32; do
		trace-replay --set $set --stats=energy --format=tsv --access-stream a.wt t.wt >t.tsv
		trace-info --dump a.wt | awk '
			BEGIN { for (d = 0; d < 16; d++)
				bits[sprintf("%x", d)] = d % 2 + int(d / 2) % 2 + int(d / 4) % 2 + int(d / 8) }
			match($0, / sectors=0x[0-9a-f]+/) {
				mask = substr($0, RSTART + 11, RLENGTH - 11); n = 0
				for (i = 1; i <= length(mask); i++) n += bits[substr(mask, i, 1)]
				if (/ result=hit( |$)/) hits += n
				if (/ result=(miss|merge)( |$)/) misses += n
			}
			END { print hits + 0, misses + 0 }' >got
		[ "$(row t.tsv l1d_hit_sectors) $(row t.tsv l1d_miss_sectors)" = "$(cat got)" ]
		[ "$(row t.tsv l1d_hit_sectors)" -gt 0 ]
	done
	[ "$(row t.tsv l1d_hit_sectors)" = "$(row t.tsv l1d_hits)" ]
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
	for s in gto swl:limit=32 2lvl:group=32,inside=gto lrr 2lvl:group=32; do
		trace-replay -s $s --format=tsv t.wt >t.tsv
		[ "$(row t.tsv cycles)" -gt 0 ]
		# All but the names of scheduler, warp policy and machine.
		grep -v '^#' t.tsv | cut -f 1,5- >$s
	done
	cmp gto swl:limit=32
	cmp gto 2lvl:group=32,inside=gto
	cmp lrr 2lvl:group=32
	! cmp -s gto lrr || false
}

@test "requests to DRAM are those for code too, as its rows and cycles are" {
	trace-gen -q aes --set blocks=2 -o t.wt
	trace-replay -m v100 --set l2.copies=no --stats=memory,fetch,launch --format=tsv t.wt >t.tsv
	awk -F '\t' '/^#/ { next } !n { for (n = 1; n <= NF; n++) at[$n] = n; next }
		{ all = $at["dram_reads"] + $at["dram_writes"] + $at["code_dram_reads"]
		  d = $at["dram_row_locality"] * all - $at["dram_row_hits"]
		  bad += d * d > 0.01 * all || $at["dram_row_locality"] > 1 || $at["dram_commands"] > 1
		  code += $at["code_dram_reads"] }
		END { exit bad || !code }' t.tsv
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

# What was executed before each access of a stream, and what the access is.
before() {
	trace-convert -q --no-provenance --to text "$1" | cut -f 1,4-12,16,17
}

@test "an access stream says what was executed before each access, over all launches" {
	cat >k.ptx <<-'END'
	.version 7.4
	.target sm_70
	.address_size 64
	.visible .entry k(.param .u64 p)
	{
		.reg .u64 %rd<3>;
		.reg .u32 %r<4>;
		.reg .pred %p<2>;
		ld.param.u64 %rd1, [p];
		mov.u32 %r1, %tid.x;
		mul.wide.u32 %rd2, %r1, 8;
		add.u64 %rd1, %rd1, %rd2;
		setp.ge.u32 %p1, %r1, 16;
		@%p1 ld.global.u32 %r2, [%rd1];
		st.global.u32 [%rd1+4096], %r2;
		ld.global.L1::no_allocate.u32 %r3, [%rd1];
		st.global.u32 [%rd1+4096], %r3;
		ret;
	}
	END
	trace-gen --ptx k.ptx --entry k --grid 1 --block 32 --arg p=buf:8K \
		--entry k --grid 1 --block 32 --arg @p -o t.wt
	trace-coalesce -q -o c.as t.wt
	before c.as >want
	[ "$(wc -l <want)" = 15 ]
	trace-replay -q --access-stream r.as t.wt >/dev/null
	before r.as | cmp - want
	trace-replay -q --access-stream r.as --timeline tl.tsv --by sm t.wt >/dev/null
	before r.as | cmp - want
	# There a stream is not told of what misses under no_allocate: the first of two lines, here.
	awk '!($3 == "0x38" && $6 == "0x700000000")' want >hits
	trace-replay -q -m v100 --access-stream r.as t.wt >/dev/null
	before r.as | cmp - hits
}

@test "the access stream of an unbounded L1D has no cache for its readers" {
	trace-gen bfs --set nodes=2000 -o t.wt
	trace-replay --set l1d.size=unbounded --access-stream a.wt --format=tsv t.wt >t.tsv
	trace-info a.wt >a.info
	grep -q '^access stream: ' a.info
	grep -q 'made by a replay with' a.info && return 1
	trace-belady --policy lru --format=tsv a.wt >b.tsv
	[ "$(row b.tsv sets) $(row b.tsv ways)" = "32 8" ]
	trace-belady --policy lru --cache unbounded --format=tsv a.wt >b.tsv
	[ "$(row t.tsv l1d_accesses)" -eq "$(row b.tsv accesses)" ]
	[ "$(row t.tsv l1d_misses)" -eq "$(row b.tsv misses)" ]
	trace-locality a.wt | grep -q '^L1D of each: unbounded'
}

# threads STREAM: CTA, thread, instruction and line of each access of each thread.
threads() {
	trace-info --dump "$1" | awk -v size="$(trace-info "$1" | sed -n 's/.*: warps of \([0-9]*\),.*/\1/p')" '
		/^access / {
			for (i = 3; i <= NF; i++)
				if (split($i, part, "=") == 2)
					at[part[1]] = part[2]
				else if ($i ~ /^0x/)
					pc = $i
			mask = substr(at["lanes"], 3)
			for (i = length(mask); i; i--) {
				digit = index("0123456789abcdef", substr(mask, i, 1)) - 1
				for (bit = 0; bit < 4; bit++)
					if (int(digit / 2 ^ bit) % 2)
						print $2, at["cta"], size * at["warp"] + (length(mask) - i) * 4 + bit, pc, at["line"]
			}
		}' | sort
}

@test "under every warp policy there is an access stream, of the same accesses of threads" {
	small t.wt
	trace-replay --access-stream a.wt t.wt >/dev/null
	threads a.wt >want
	[ -s want ]
	for w in fixed:8 mimd dwr dwr:max=40 dwr:max=256,slot=yes tbc dwf dwf:wb=1; do
		trace-replay -q -w $w --set sm.simd_width=8 --access-stream a.wt --format=tsv t.wt >t.tsv
		trace-belady --format=tsv a.wt >b.tsv
		[ "$(row t.tsv l1d_accesses)" -eq "$(row b.tsv accesses)" ]
		# Where threads change warps, a lane is nobody's.
		if [[ $w == tbc || $w == dwf* ]]; then
			expect 0 "change warps" trace-replay -w $w --access-stream a.wt t.wt
		else
			threads a.wt | cmp - want
		fi
	done
}

# misses OPTION...: LRU misses of the replay and of trace-belady on its stream, and the misses that
# found a line of their set in flight: the most by which the two may differ.
misses() {
	trace-replay "$@" --stats=l1d --access-stream a.wt --format=tsv t.wt >t.tsv
	trace-belady --policy lru --format=tsv a.wt >b.tsv
	echo "$(row t.tsv l1d_misses) $(row b.tsv misses) $(row t.tsv l1d_inflight_victims)"
}

@test "trace-belady finds the misses of the replay in its access stream" {
	trace-gen bfs --set nodes=2000 -o t.wt
	for s in gto lrr swl:limit=2; do
		misses -s $s >counts
		awk '{ agree = $1 && $1 == $2 && $3 == 0 } END { exit !agree }' counts
		# So small a cache that all lines of a set are under way at times.
		misses -s $s --set l1d.size=8K --set l1d.ways=2 >counts
		awk '{ d = $1 - $2; agree = $1 && $2 && $3 && (d < 0 ? -d : d) <= $3 }
			END { exit !agree }' counts
	done
}

@test "a priority of CTAs is another order, not another work" {
	trace-gen bfs --set nodes=2000 -o t.wt
	for p in none age rrb srr; do
		trace-replay --set sm.sms=1 -s lrr --priority $p --format=tsv t.wt >t.tsv
		row t.tsv cycles >>cycles
		row t.tsv thread_insts >>insts
	done
	[ "$(sort -u cycles | wc -l)" -eq 4 ]
	[ "$(sort -u insts | wc -l)" -eq 1 ]
	trace-replay --set sm.sms=1 --set sm.ctas_per_sm=1 -s lrr --format=tsv t.wt | grep -v '^#' >a
	for p in age rrb srr; do # with one CTA at a time there is nothing to prefer
		trace-replay --set sm.sms=1 --set sm.ctas_per_sm=1 -s lrr --priority $p --format=tsv t.wt |
			grep -v '^#' >b
		cmp a b
	done
}

# sums FILE: of each launch and column of a timeline, a line `launch column sum`.
sums() {
	grep -v '^#' "$1" | awk -F '\t' '
		NR == 1 { for (i = 1; i <= NF; i++) name[i] = $i; n = NF; next }
		{ for (i = 4; i <= n; i++) sum[$1 " " name[i]] += $i }
		END { for (k in sum) if (k !~ /ipc|clock/) print k, sum[k] }' | sort
}

@test "a timeline adds up to its launches and changes nothing" {
	trace-gen bfs --set nodes=2000 -o t.wt
	trace-replay --stats=stalls --timeline a.tsv --format=tsv t.wt >t.tsv
	trace-replay --stats=stalls --timeline b.tsv --interval 37 --format=tsv t.wt >u.tsv
	trace-replay --stats=stalls --format=tsv t.wt >v.tsv
	cmp <(grep -v '^#' t.tsv) <(grep -v '^#' u.tsv)
	cmp <(grep -v '^#' t.tsv) <(grep -v '^#' v.tsv)
	cmp <(sums a.tsv) <(sums b.tsv)
	grep -v '^#' t.tsv | awk -F '\t' '
		NR == 1 { for (i = 1; i <= NF; i++) { name[i] = $i; if ($i == "launch") l = i }; next }
		$1 != "total" {
			for (i = 1; i <= NF; i++)
				if (name[i] ~ /^cycles_|^warp_insts|^thread_insts|^l1d_(acc|mis|mer)/)
					print $l, name[i], $i
		}' | sort >want
	cmp want <(sums a.tsv)
	# The last interval of each launch ends with it; those before are of a length.
	grep -v '^#' b.tsv | awk -F '\t' '
		NR == 1 || $1 != launch { if (NR > 2) print last; launch = $1; last = $2; next }
		{ if (last % 37) exit 1; last = $2 }
		END { print last }' >ends
	column t.tsv cycles | head -n -1 | cmp - ends
	[ "$(trace-replay --timeline - t.wt | grep -vc '^#')" -eq "$(grep -vc '^#' a.tsv)" ]
	[ "$(column a.tsv warps | sort -n | tail -1)" -gt 0 ]
}

@test "a timeline by SM adds up to that of all, and changes nothing" {
	trace-gen -q bfs --set nodes=2000 -o t.wt
	trace-gen -q bfs-dyn --set form=dyn,nodes=1K -o dyn.wt
	same() {
		local file=$1
		shift
		trace-replay -q --no-provenance --format=tsv "$@" "$file" >plain
		trace-replay -q --no-provenance --format=tsv "$@" --timeline all.tsv --interval 300 "$file" |
			cmp plain -
		trace-replay -q --no-provenance --format=tsv "$@" --timeline sm.tsv --interval 300 --by sm \
			"$file" | cmp plain -
		# An interval's rows of all SMs together are those of the timeline of all.
		awk -F '\t' '
			/^#/ { next }
			{ for (i = 1; i <= NF; i++) if (FNR == 1 || $1 == "launch") name[i] = $i }
			$1 == "launch" { file++; next }
			{
				for (i = 3; i <= NF; i++)
					if (name[i] ~ /^(warps|warp_insts|thread_insts|l1d_.*|cycles_.*|gang_.*)$/)
						sum[file, $1, $2, name[i]] += $i
			}
			END {
				for (k in sum) {
					split(k, of, SUBSEP)
					d = sum[k] - sum[3 - of[1], of[2], of[3], of[4]]
					# Means are written with six digits.
					if (d * d > 1e-8 * sum[k] * sum[k] + 1e-6) { print "differs:", k; bad = 1 }
					n++
				}
				exit bad || n < 100
			}' all.tsv sm.tsv
	}
	every=ipc,stalls,unit,lanes,l1d,memory,divergence,sync,policy,threads
	same t.wt --stats=$every
	same t.wt --stats=line --total
	same t.wt -m tbc -w tbc --stats=$every
	same t.wt -m vws -w evws --set sm.sms=4 --stats=$every
	# An SM that slept until a CTA came has had its warps since then.
	same dyn.wt -m k20c --launch cdp --stats=ipc,launch
	[ "$(column sm.tsv sm | sort -un | tr '\n' ' ')" = "$(seq 0 12 | tr '\n' ' ')" ]
	[ "$(grep -v '^#' all.tsv | head -n 1 | grep -c '	sm$')" = 0 ]
	expect 2 "--by is of a --timeline" trace-replay --by sm t.wt
	expect 2 "unknown split 'sms'" trace-replay --by sms --timeline x.tsv t.wt
}

@test "lanes that are off, stacks, and what needs warps of 32" {
	# Of 32 lanes 8 go round three times, the others once: then they wait.
	ptx '	and.b32 %r6, %r5, 3;
	setp.eq.s32 %p1, %r6, 0;
	mov.u32 %r7, 1;
	@%p1 mov.u32 %r7, 3;
AGAIN:
	sub.s32 %r7, %r7, 1;
	setp.ne.s32 %p2, %r7, 0;
	@%p2 bra AGAIN;' >k.ptx
	run_k -o t.wt
	trace-replay --stats=divergence --format=tsv t.wt >t.tsv
	# Two warps, two further rounds of three instructions.
	[ "$(row t.tsv waiting_lanes)" -eq $((2 * 2 * 3 * 24)) ]
	[ "$(row t.tsv inactive_lanes)" -eq 0 ]
	[ "$(row t.tsv stack_depth_max)" -eq 2 ]
	trace-replay -w fixed:1 --stats=divergence --format=tsv t.wt >t.tsv
	[ "$(row t.tsv waiting_lanes)" -eq 0 ]
	[ "$(row t.tsv stack_depth_max)" -eq 1 ]

	ptx '	and.b32 %r6, %r5, 1;
	setp.eq.s32 %p1, %r6, 0;
	@%p1 bra EVEN;
	add.s32 %r7, %r5, 1;
	bra.uni BOTH;
EVEN:
	add.s32 %r7, %r5, 2;
	add.s32 %r7, %r7, 2;
BOTH:
	add.s32 %r7, %r7, 1;' >k.ptx
	run_k -o t.wt
	trace-replay --stats=divergence --format=tsv t.wt >t.tsv
	# Of either path the second waits for its turn while the first runs, then the first waits.
	[ "$(row t.tsv inactive_lanes)" -eq $((2 * 2 * 16)) ]
	[ "$(row t.tsv waiting_lanes)" -eq $((2 * 2 * 16)) ]
	[ "$(row t.tsv stack_depth_max)" -eq 3 ]

	ptx '	mov.u32 %r6, %laneid;' >k.ptx
	run_k -o t.wt
	trace-replay t.wt 2>stderr >stdout
	[ ! -s stderr ]
	expect 0 "kernel 'k' reads its place in a warp" trace-replay -w fixed:8 t.wt
	[ "$(wc -l <stderr)" -eq 1 ]
	trace-replay -q -w fixed:8 t.wt 2>stderr >stdout
	[ ! -s stderr ]
}

@test "warps that CTAs began with: as many as the policy's width makes of each" {
	trace-gen --ptx "$root/plots/paper/example-1.ptx" --entry=example_1 --grid=3 --block=40 \
		--arg=buf:1K -o t.wt
	# 40 threads are two warps of 32, three of 16 and five of 8.
	for made in 32:6 16:9 8:15; do
		trace-replay -w "fixed:${made%:*}" --stats=divergence --format=tsv t.wt >t.tsv
		[ "$(row t.tsv warps_created)" -eq "${made#*:}" ]
	done
}

@test "an instruction's SIMD efficiency is that of the warps that issue it" {
	ptx '	add.s32 %r6, %r5, 3;
	mul.wide.u32 %rd2, %r5, 4;
	add.s64 %rd2, %rd1, %rd2;
	ld.global.u32 %r7, [%rd2];
	add.s32 %r6, %r6, %r7;' >k.ptx
	run_k -o t.wt
	for w in fixed:4 fixed:8 fixed:32 mimd dwf tbc dwr:max=16 dwr:max=32; do
		trace-replay -w "$w" --stats=pc --format=tsv t.wt >t.tsv
		[ "$(column t.tsv simd_efficiency | sort -u)" = 1 ]
	done
	# Two full warps of 32 in one of 64, whose other half is empty.
	trace-replay -w fixed:64 --stats=pc --format=tsv t.wt >t.tsv
	[ "$(column t.tsv simd_efficiency | sort -u)" = 0.5 ]
	# Warps that part: never more than all lanes, and all of them at the first instruction.
	trace-gen bfs --set nodes=512,degree=4 -o b.wt
	for w in fixed:8 dwr:max=64 tbc; do
		trace-replay -w "$w" --stats=pc --format=tsv b.wt >t.tsv
		column t.tsv simd_efficiency | awk 'NR == 1 && $1 != 1 || $1 < 0 || $1 > 1 { bad = 1 }
			$1 < 1 { parted = 1 } END { exit bad || !parted }'
	done
}

@test "a launch that fits no machine: its message is the only one of a pipe, and nothing is on standard output" {
	trace-gen scan -o t.wt
	expect 2 "a CTA of launch 0 fits no SM" trace-replay --set sm.threads_per_sm=32 --format=tsv t.wt
	[ ! -s stdout ]
	(set +o pipefail
	 trace-replay --set sm.threads_per_sm=32 --access-stream - t.wt | trace-belady >out) 2>said && return 1
	[ ! -s out ]
	[ "$(wc -l <said)" = 1 ]
	grep -q '^trace-replay: a CTA of launch 0 fits no SM' said
	: | expect 1 "stream is empty" trace-belady
}

@test "a CTA that fits no SM is refused with the limits' keys" {
	small t.wt
	expect 2 "a CTA of launch 0 fits no SM: 256 threads" trace-replay --set sm.threads_per_sm=64 t.wt
	grep -qF sm.threads_per_sm stderr
	expect 2 "sm.registers_per_sm" trace-replay --set sm.registers_per_sm=100 t.wt
	trace-gen matmul --set tiles=2 -o m.wt
	expect 2 "sm.shared_per_sm" trace-replay --set sm.shared_per_sm=1K m.wt
	[ ! -s stdout ]
	# Where another machine has room for it, its name is said.
	! grep -q 'has room' stderr || false
	ptx '' >k.ptx
	run_k --entry k --grid 1 --block 64 --arg buf:256 --arg u32:64 --shared 50000 --resident v100 -o wide.wt
	expect 2 "(sm.threads_per_sm, sm.registers_per_sm, sm.shared_per_sm); -m v100 has room for it" \
		trace-replay wide.wt
	trace-replay -m v100 wide.wt >table
	grep -q v100 table
	# Nor one of a later launch.
	ptx '' >k.ptx
	run_k --entry k --grid 1 --block 64 --arg buf:256 --arg u32:64 -o two.wt
	expect 2 "a CTA of launch 1 fits no SM: 64 threads" \
		trace-replay --set sm.threads_per_sm=32 -o none.tsv two.wt
	[ ! -e none.tsv ]
}

@test "a cache that memory is too small for ends the run with a sentence" {
	small t.wt
	bash -c 'ulimit -v 600000; trace-replay --version' >/dev/null 2>&1 || skip "it takes more by itself"
	# Its tags find room, what is kept beside them does not.
	expect 1 "no memory for the replay" bash -c 'ulimit -v 600000
		trace-replay --set sm.sms=1 --set l1d.size=1024M -o x.tsv t.wt'
	[ ! -e x.tsv ]
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

# profile WORKLOAD [OPTION]...: what its loops are like, in p.tsv.
profile() {
	bash -o pipefail -c 'trace-gen "$@" | trace-coalesce | trace-locality --daws-profile >p.tsv' - "$@"
}

@test "daws takes a profile of another input, in whatever order its columns stand" {
	trace-gen spmv-scalar --set rows=8192,per_row=40 -o t.wt
	profile spmv-scalar --set rows=512,per_row=20
	trace-replay -s daws:profile=p.tsv --stats=policy --format=tsv t.wt >profiled.tsv
	[ "$(row profiled.tsv scheduler)" = daws:profile=p.tsv ]
	[ "$(row profiled.tsv predictions)" -gt 0 ]
	[ "$(row profiled.tsv withheld_loads)" -gt 0 ]
	awk -F '\t' -v OFS='\t' '!/^#/ { print $10, $6, $5, "x", $4, $3, $2, $1 }' p.tsv >q.tsv
	trace-replay -s daws:profile=q.tsv,assoc=60 --format=tsv t.wt >again.tsv
	[ "$(row profiled.tsv cycles)" = "$(row again.tsv cycles)" ]
	trace-replay -s daws:assoc=60,profile=q.tsv,flow=1 --format=tsv t.wt >again.tsv
	[ "$(row profiled.tsv cycles)" = "$(row again.tsv cycles)" ]
	# Nothing has locality: gto.
	awk -F '\t' -v OFS='\t' '!/^#/ && $4 == 1 { $4 = 0 } 1' p.tsv >none.tsv
	trace-replay -s daws:profile=none.tsv --format=tsv t.wt >none
	trace-replay -s gto --format=tsv t.wt >gto
	cmp <(grep -v '^#' none | cut -f 1,5-) <(grep -v '^#' gto | cut -f 1,5-)
	[ "$(trace-replay -s daws --format=tsv t.wt | tail -1 | cut -f 5)" != "$(row gto cycles)" ]
}

@test "what is no profile of the program is refused" {
	local n
	trace-gen spmv-scalar --set rows=512,per_row=20 -o t.wt
	profile spmv-scalar --set rows=512,per_row=20
	refused() {
		expect 1 "$1" trace-replay -s daws:profile=bad.tsv -o out.tsv t.wt
		[ ! -e out.tsv ]
	}
	for n in $(seq 1 $(($(wc -c <p.tsv) - 1))); do
		head -c "$n" p.tsv >bad.tsv
		tail -c 1 bad.tsv | grep -q . || continue # whole rows
		[ $((n % 7)) -ne 0 ] || refused "ends in the middle of a row"
	done
	: >bad.tsv
	refused "is empty"
	printf '\0\n' | cat p.tsv - >bad.tsv
	refused "is no text"
	cut -f 1-4,6- p.tsv >bad.tsv
	refused "has no column 'diverged'"
	sed 's/\tdiverged\t/\tdiverges\t/' p.tsv >bad.tsv
	refused "has no column 'diverged'"
	sed '$s/\t.*/\t8/' p.tsv >bad.tsv
	refused "not as many cells as there are columns"
	awk -F '\t' -v OFS='\t' '!/^#/ && NR > 4 { $2 = $2 "3" } 1' p.tsv >bad.tsv
	refused "is no pc"
	awk -F '\t' -v OFS='\t' '!/^#/ && $5 ~ /^[01]$/ { $5 = 2 } 1' p.tsv >bad.tsv
	refused "'2' is no diverged"
	awk -F '\t' -v OFS='\t' '!/^#/ && $3 == 0 { $3 = -1 } 1' p.tsv >bad.tsv
	refused "'-1' is no loop"
	awk -F '\t' -v OFS='\t' '!/^#/ && $2 ~ /^0x/ { $2 = sprintf("0x%x", 8 * n++) } 1' p.tsv >bad.tsv
	refused "is of another program: in 'spmv_scalar' no load of loop 0 is at pc 0x0"
	sed '$p' p.tsv >bad.tsv
	refused "is there twice"
	awk -F '\t' -v OFS='\t' '$1 == "spmv_scalar" && n++ { $4 = 1 - $4 } 1' p.tsv >bad.tsv
	refused "has locality in one row and none in another"
	awk -F '\t' -v OFS='\t' '1; $1 == "spmv_scalar" { $1 = "other"; print }' p.tsv >bad.tsv
	refused "rows of 'spmv_scalar' stand apart"
	profile bfs --set nodes=500,degree=3
	sed 's/^bfs_visit/spmv_scalar/' p.tsv >bad.tsv
	refused "is of another program"
	trace-replay -s daws:profile=p.tsv t.wt >out 2>err
	grep -q "does not name 'spmv_scalar'" err
	trace-replay -q -s daws:profile=p.tsv t.wt >out 2>err
	[ ! -s err ]
	printf 'kernel\0\n' >bad.tsv
	refused "line 1: there is a zero byte"
	trace-gen bfs --set nodes=500,degree=3 -o launches.wt
	sed 's/^bfs_visit/other/' p.tsv >other.tsv
	[ "$(trace-replay -s daws:profile=other.tsv launches.wt 2>&1 >out | grep -c "does not name 'bfs_visit'")" = 1 ]
	[ "$(trace-replay --compare gto,daws:profile=other.tsv launches.wt 2>&1 >out | grep -c "does not name")" = 1 ]
	expect 1 "nowhere.tsv" trace-replay -s daws:profile=nowhere.tsv t.wt
	expect 2 "profile= names no file" trace-replay -s daws:profile= t.wt
	expect 2 "gto takes no parameters" trace-replay -s gto:profile=p.tsv t.wt
	expect 2 "swl has no parameter 'profile'" trace-replay -s swl:profile=p.tsv t.wt
	expect 2 "daws has no parameter 'prof'" trace-replay -s daws:prof=p.tsv t.wt
}

@test "a table of a policy with one instruction in flight says so, and what makes it comparable" {
	small t.wt
	for way in "--compare lrr,gto" ""; do
		trace-replay -q $way --warp tbc t.wt | grep -q '^tbc has one instruction of a warp in flight.*sm.one_in_flight=yes'
		trace-replay -q $way --warp tbc --set sm.one_in_flight=yes t.wt >fair
		trace-replay -q $way --warp fixed t.wt >fixed
		trace-replay -q $way --warp tbc --format=tsv t.wt >tsv
		! grep -q 'in flight' fair fixed tsv || false
	done
}

@test "tables of names" {
	[ "$(trace-replay --machine=help --format=tsv | grep -vc '^#')" -eq $(($(ls "$root"/datasets/machines/*.ini | wc -l) + 1)) ]
	trace-replay --scheduler=help | grep -q '^swl  *limit='
	trace-replay --scheduler=help | grep -q '^daws  *profile=FILE'
	trace-replay --warp=help | grep -q '^mimd'
	trace-replay --priority=help | grep -q '^srr'
	trace-replay --stats=help | grep -q '^stalls'
	trace-replay --set=help --format=tsv | grep -q '^l1d.size	32K	bytes	'
}

@test "likely-convergence points of a profile" {
	trace-gen mummer --set queries=2000,reference=4K -o t.wt
	for p in fixed:32 tbc:compact=1; do
		for lcp in 0 profile; do
			trace-replay -m tbc -w $p,lcp=$lcp --format=tsv t.wt | grep -v '^#' >$lcp.tsv
		done
		[ "$(row 0.tsv thread_insts)" -eq "$(row profile.tsv thread_insts)" ]
		[ "$(row 0.tsv simd_efficiency)" != "$(row profile.tsv simd_efficiency)" ]
		trace-replay -m tbc -w $p,lcp=profile --format=tsv <t.wt | grep -v '^#' >again.tsv
		cmp profile.tsv again.tsv
	done
	expect 2 "standard input can be read but once: use a FILE" \
		bash -c 'cat t.wt | trace-replay -w fixed:32,lcp=profile'
	expect 2 "lcp=profil is none of 0, 1 or profile" trace-replay -w fixed:32,lcp=profil t.wt
	head -c 300 t.wt >cut.wt
	expect 1 "cannot read 'cut.wt'" trace-replay -w fixed:32,lcp=profile -o x.tsv cut.wt
	[ ! -e x.tsv ]
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
	expect 2 "warps of 33 threads: no power of two" trace-replay --warp fixed:33 t.wt
	expect 2 "null takes no parameters" trace-replay --warp null:3 t.wt
	expect 2 "dwf picks its warps itself" trace-replay --warp dwf:wb=1 -s lrr t.wt
	expect 2 "'96' is not one of 32 to 1K, a power of two" trace-replay --set l1d.line=96 t.wt
	expect 2 "--interval is of a --timeline" trace-replay --interval 5 t.wt
	expect 2 "--interval" trace-replay --timeline x.tsv --interval 0 t.wt
	expect 2 "only one of" trace-replay --timeline - --access-stream - t.wt
	expect 2 "'y.tsv' is to be written twice" trace-replay --access-stream y.tsv -o y.tsv t.wt
	expect 2 "'./y.tsv' is to be written twice" trace-replay --timeline ./y.tsv -o y.tsv t.wt
	expect 2 "--jobs is of --compare and --best-swl" trace-replay -j 2 -o y.tsv t.wt
	expect 2 "a perfect L1D (l1d.part) counts no accesses" \
		trace-replay --set l1d.part=perfect --access-stream a2.wt -o y.tsv t.wt
	printf 'base = mine.ini\n' >mine.ini
	expect 1 "it is its own base" trace-replay -m mine.ini t.wt
	trace-coalesce t.wt -o a.wt
	expect 1 "access stream" trace-replay a.wt
	head -c 300 t.wt >cut.wt
	expect 1 "cut.wt" trace-replay cut.wt
	expect 1 "cannot write" bash -c 'trace-replay t.wt >/dev/full'
	expect 1 "cannot write '/dev/full'" trace-replay --access-stream /dev/full t.wt
	expect 1 "cannot write '/dev/full'" trace-replay --timeline /dev/full t.wt
	expect 1 "cut.wt" trace-replay --access-stream a2.wt --timeline x.tsv -o y.tsv cut.wt
	[ -z "$(find . -name '*.tmp-*' -o -name a2.wt -o -name x.tsv -o -name y.tsv)" ]
}

@test "several schedulers on one decoding: each as in a run of its own" {
	trace-gen bfs --set nodes=2000 -o t.wt
	list=gto,lrr,2lvl:group=4,inside=gto,ccws:k=32,vta=32
	trace-replay --no-provenance --stats=stalls,l1d --format=tsv --compare $list t.wt >c.tsv
	[ "$(column c.tsv scheduler | paste -sd ' ')" = "gto lrr 2lvl:group=4,inside=gto ccws:k=32,vta=32" ]
	for s in gto lrr 2lvl:group=4,inside=gto ccws:k=32,vta=32; do
		trace-replay --no-provenance --stats=stalls,l1d --format=tsv -s $s t.wt | tail -1
	done >own
	tail -n +2 c.tsv | sed 's/	[^	]*$//' | cmp - own
	awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
		NR == 2 { base = $c["cycles"] }
		{ d = $c["ipc_ratio"] - base / $c["cycles"]; exit d < -1e-5 || d > 1e-5 }' c.tsv
	[ "$(column c.tsv ipc_ratio | head -1)" = 1 ]
	for jobs in 1 3; do
		trace-replay -j $jobs --no-provenance --stats=stalls,l1d --format=tsv --compare $list <t.wt | cmp - c.tsv
	done
	bash -o pipefail -c "cat t.wt | trace-replay --no-provenance --stats=stalls,l1d --format=tsv --compare $list" |
		cmp - c.tsv
}

@test "best-swl is the fastest of the limits" {
	trace-gen gc --set objects=2000 -o t.wt
	for n in 1 2 4 8; do
		trace-replay --no-provenance --format=tsv -s swl:limit=$n t.wt >s.tsv
		echo "$(row s.tsv cycles) -$n swl:limit=$n"
	done | sort -n -k1 -k2 | head -1 >best
	trace-replay --no-provenance --format=tsv --best-swl --limits=1,2,4,8 t.wt >b.tsv
	[ "$(row b.tsv cycles) $(row b.tsv scheduler)" = "$(cut -d ' ' -f 1,3 best)" ]
	[ "$(column b.tsv ipc_ratio)" = 1 ]
	trace-replay --no-provenance --format=tsv --compare best-swl,gto --limits=1,2,4,8 t.wt >c.tsv
	cmp <(head -2 c.tsv) b.tsv
	trace-replay --no-provenance --format=tsv --best-swl --compare gto t.wt >all.tsv
	[ "$(row all.tsv cycles)" -le "$(row b.tsv cycles)" ]
	trace-replay -v --best-swl --limits=2,3 t.wt 2>&1 >/dev/null | grep -q '^trace-replay: swl:limit=3: '
	# 512 warps of two threads are more than any preset has.
	trace-gen scan --set n=64,log2_threads=6 -o t.wt
	[ "$(trace-replay -v --best-swl -w fixed:2 --set sm.sms=1 t.wt 2>&1 >/dev/null | grep -c ' swl:limit=')" = 512 ]
}

@test "schedulers with profiles are compared, each with its own" {
	trace-gen spmv-scalar --set rows=8192,per_row=40 -o t.wt
	profile spmv-scalar --set rows=512,per_row=20
	awk -F '\t' -v OFS='\t' '!/^#/ && $4 == 1 { $4 = 0 } 1' p.tsv >none.tsv
	trace-replay -q --format=tsv --compare gto,daws:profile=p.tsv,assoc=60,daws:profile=none.tsv,daws t.wt >c.tsv
	[ "$(column c.tsv scheduler | paste -sd ' ')" = "gto daws:profile=p.tsv,assoc=60 daws:profile=none.tsv daws" ]
	for s in gto daws:profile=p.tsv daws:profile=none.tsv daws; do
		trace-replay -q --format=tsv -s $s t.wt >s.tsv
		row s.tsv cycles
	done >own
	column c.tsv cycles | cmp - own
	small other.wt
	trace-replay --compare gto,daws:profile=p.tsv other.wt 2>&1 >/dev/null | grep -q "p.tsv does not name '"
	awk -F '\t' -v OFS='\t' '!/^#/ && $2 ~ /^0x/ { $2 = sprintf("0x%x", 8 * n++) } 1' p.tsv >bad.tsv
	expect 1 "is of another program" trace-replay --compare gto,daws:profile=bad.tsv -o out.tsv t.wt
	[ ! -e out.tsv ]
	expect 2 "profile= names no file" trace-replay --compare gto,daws:profile= t.wt
	expect 1 "absent.tsv" trace-replay --compare gto,daws:profile=absent.tsv t.wt
}

@test "what cannot be compared" {
	small t.wt
	expect 2 "there is no --scheduler beside them" trace-replay --compare gto -s lrr t.wt
	expect 2 "are of one run" trace-replay --compare gto --stats=pc t.wt
	expect 2 "are of one run" trace-replay --best-swl --timeline t.tsv t.wt
	expect 2 "--interval is of a --timeline" trace-replay --compare gto --interval 5 t.wt
	expect 2 "there is nothing to compare" trace-replay --compare gto -w dwf t.wt
	expect 2 "--compare: " trace-replay --compare gto,nosuch t.wt
	expect 2 "--compare: " trace-replay --compare gto,,lrr t.wt
	expect 2 "--limits is of best-swl, and there is none" trace-replay --compare gto --limits=2 t.wt
	expect 2 "--limits: they do not rise" trace-replay --best-swl --limits=4,2 t.wt
	expect 2 "--limits: 2049 is outside 1 to 2048" trace-replay --best-swl --limits=2049 t.wt
	expect 2 "best-swl takes no parameters" trace-replay --compare gto,best-swl:limit=2 t.wt
	head -c 3000 t.wt >cut.wt
	expect 1 "cannot replay 'cut.wt'" trace-replay --compare gto,lrr -o none cut.wt
	[ ! -e none ]
}

@test "launches by threads: what --launch makes of them" {
	trace-gen bfs-dyn --set form=dyn,nodes=3000 -o dyn.wt
	for m in serial cdp cdp-ideal dtbl dtbl-ideal concurrent; do
		trace-replay --machine k20c --launch $m --stats=launch --format=tsv dyn.wt >$m.tsv
	done
	threads=$(column serial.tsv thread_insts | tail -n 1)
	launches=$(trace-info --by tree --format=tsv dyn.wt | awk -F '\t' '$3 == "bfs_copy" { print $5 }')
	for m in cdp cdp-ideal dtbl dtbl-ideal concurrent; do
		[ "$(column $m.tsv thread_insts | tail -n 1)" = "$threads" ]
		[ "$(column $m.tsv device_launches | tail -n 1)" = "$launches" ]
	done
	# Latencies cost time; without them nobody waits in a call.
	[ "$(column cdp.tsv cycles | tail -n 1)" -gt "$(column dtbl.tsv cycles | tail -n 1)" ]
	[ "$(column dtbl.tsv cycles | tail -n 1)" -gt "$(column dtbl-ideal.tsv cycles | tail -n 1)" ]
	[ "$(column cdp.tsv api_cycles | tail -n 1)" -gt 0 ]
	[ "$(column cdp-ideal.tsv api_cycles | tail -n 1)" = 0 ]
	[ "$(column cdp.tsv groups | tail -n 1)" = 0 ]
	[ "$(column dtbl-ideal.tsv groups | tail -n 1)" -gt 0 ]
	[ "$(column dtbl.tsv dtbl_bytes | tail -n 1)" = 1096 ]
	[ "$(column dtbl.tsv agt_bytes | tail -n 1)" = 20480 ]
	# A row for each launch, in the record's order; children begin after they are called for.
	trace-replay --machine k20c --launch dtbl --stats=launches --format=tsv dyn.wt >rows
	[ "$(column rows parent | grep -vc '^-$')" = "$launches" ]
	awk -F '\t' '/^#/ { next } !n++ { for (i = 1; i <= NF; i++) c[$i] = i; next }
		$c["launch"] != n - 2 || $c["began"] < $c["called"] || $c["ended"] < $c["began"] ||
		$c["launch_wait"] != $c["began"] - $c["called"] { exit 1 }' rows
	# Instructions of parents and of children have rows of their own.
	trace-replay --machine k20c --launch dtbl --stats=pc --format=tsv dyn.wt >pcs
	trace-replay --machine k20c --launch serial --stats=pc --total --format=tsv dyn.wt >serial-pcs
	for k in bfs_copy bfs_expand_dyn; do
		sum=$(paste <(column pcs kernel) <(column pcs thread_insts) |
			awk -v k=$k '$1 == k { n += $2 } END { print n }')
		[ "$sum" = "$(paste <(column serial-pcs kernel) <(column serial-pcs thread_insts) |
			awk -v k=$k '$1 == k { n += $2 } END { print n }')" ]
	done
	# --launch with numbers is a part of the record, as everywhere.
	[ "$(trace-replay --launch 0 --format=tsv dyn.wt | column /dev/stdin launch)" = 0 ]
	expect 2 "unknown way of launching 'fast'" trace-replay --launch fast dyn.wt
	expect 2 "dwf knows one kernel at a time" trace-replay --launch dtbl --warp dwf dyn.wt
	expect 2 "is a thread's and runs beside others" \
		trace-replay --launch cdp --access-stream a.wt dyn.wt
}

@test "a family of launches that does not fit the memory ends with a sentence" {
	trace-gen bfs-dyn --set form=dyn,nodes=200000 -o dyn.wt
	if [ -z "${SAN:-}" ]; then # sanitizers have no bound on memory
		# The CTAs alone are 44 MB, and all else is less than the bound.
		expect 1 "do not fit the memory together" \
			trace-replay --max-memory 20M --machine k20c --launch dtbl-ideal dyn.wt
	fi
	trace-gen bfs-dyn --set form=dyn,nodes=2000 -o dyn.wt
	trace-replay --machine k20c --launch dtbl-ideal -v dyn.wt 2>said >/dev/null
	grep -q 'launches that were under way together took .* bytes at most' said
}

@test "a pipeline of two stages waits for the stage before, and a wait for all copies for the latest one" {
	local cycles=() warp entry
	for entry in ahead at_once; do
		trace-gen --ptx "$root/tests/kernels/pipeline.ptx" --entry $entry --grid 30 --block 64 \
			--arg buf:64K --arg buf:2M:iota --arg u32:40 --dump buf0=$entry.bin -o $entry.wt
		sound $entry.wt
	done
	cmp ahead.bin at_once.bin
	for warp in fixed:32 dualpath; do
		for entry in ahead at_once; do
			trace-replay --machine h100 --warp $warp --format=tsv $entry.wt >table
			cycles+=("$(column table cycles)")
		done
		[ $((${cycles[-2]} * 5)) -lt $((${cycles[-1]} * 4)) ]
	done
	# One instruction in flight: nothing to be ahead of.
	trace-replay --machine h100 --warp dwf --format=tsv ahead.wt >a
	trace-replay --machine h100 --warp dwf --format=tsv at_once.wt >b
	[ "$(column a cycles)" = "$(column b cycles)" ]
}

@test "of kernels that run together each CTA takes what the SM reserves for it" {
	trace-gen bfs-dyn --set form=dyn,input=citation,nodes=1000,blocks=10 -o d.wt
	# 64 KB hold one CTA where each takes 40 KB.
	together() {
		trace-replay -q -m k20c --launch=cdp-ideal --set sm.sms=1 --set "$1" --format=tsv d.wt -o t.tsv
		row t.tsv cycles
	}
	[ "$(together sm.shared_per_sm=64K,sm.shared_reserved=40K)" = "$(together sm.ctas_per_sm=1)" ]
	[ "$(together sm.shared_per_sm=64K,sm.shared_reserved=30K)" = "$(together sm.ctas_per_sm=2)" ]
	[ "$(together sm.ctas_per_sm=2)" -lt "$(together sm.ctas_per_sm=1)" ]
}

@test "a child that begins within a loop has its rounds predicted under every warp policy" {
	trace-gen --ptx "$root/tests/kernels/entry_loop.ptx" --entry par --grid 1 --block 32 --arg buf:4096 -o c.wt
	for w in fixed its dualpath; do
		trace-replay -q -m k20c --set sm.sms=1 --set sm.ctas_per_sm=4 --launch=cdp-ideal -s daws -w $w \
			--stats=policy --format=tsv c.wt -o $w.tsv
	done
	[ "$(row fixed.tsv predictions)" -gt 0 ]
	[ "$(row its.tsv predictions)" = "$(row fixed.tsv predictions)" ]
	[ "$(row dualpath.tsv predictions)" = "$(row fixed.tsv predictions)" ]
}

@test "a barrier for some threads counts whole warps of 32, also those that are gone" {
	local arrive='setp.lt.u32 %p1, %r1, 32;
	@%p1 bra WAITS;
	bar.arrive 1, 64;
	ret;
WAITS:
	add.u32 %r2, %r1, 1;
	add.u32 %r2, %r2, 1;
	add.u32 %r2, %r2, 1;
	bar.sync 1, 64;'
	local early='setp.lt.u32 %p1, %r1, 5;
	@%p1 bra DONE;
	bar.sync 1, 64;
	add.u32 %r2, %r1, 1;
DONE:'
	local one='setp.ge.u32 %p1, %r1, 32;
	@%p1 ret;
	bar.sync 1, 64;'
	bare_kernel() {
		printf '.version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k()\n{\n'
		printf '.reg .u32 %%r<3>;\n.reg .pred %%p<2>;\nmov.u32 %%r1, %%tid.x;\n%s\nret;\n}\n' "$1"
	}
	for kernel in "64 $arrive" "64 $early" "64 $one" "48 bar.sync 1, 64;" "64 ${early/1, 64/0}"; do
		bare_kernel "${kernel#* }" >k.ptx
		trace-gen -q --ptx k.ptx --entry k --grid 2 --block "${kernel%% *}" -o k.wt
		trace-coalesce k.wt -o k.as 2>said
		[ ! -s said ]
		for w in fixed fixed:8 its mimd dwf crown; do
			trace-replay -q -w "$w" k.wt >rows
			[ -s rows ]
		done
	done
	# Nobody waits for a warp that has only to come.
	bare_kernel "$arrive" >k.ptx
	trace-gen -q --ptx k.ptx --entry k --grid 1 --block 64 -o k.wt
	expect 1 "stands still" trace-replay -w fixed:64 k.wt
}

@test "stalls are charged to instructions of the launch also between the beats of a slow fetch" {
	trace-gen -q lud -o lud.wt
	trace-gen -q scan -o scan.wt
	for f in lud.wt scan.wt; do
		for w in fixed:128 fixed:64; do
			trace-replay -q -m dwr -w $w --stats=pc $f >rows
			[ -s rows ]
			trace-replay -q -m dwr -w $w --set sm.schedulers=2 --stats=line $f >rows
			[ -s rows ]
		done
	done
}

@test "a large warp of more sub-warps than can issue together does not let them jump" {
	trace-gen -q lud -o k.wt
	expect 2 "lwm: size=256 are 256 sub-warps of 1 columns" \
		trace-replay -m dwr --set sm.simd_width=1 -w lwm k.wt
	trace-replay -q -m dwr --set sm.simd_width=1 -w lwm:jump=0 k.wt >/dev/null
}

# beside: two launches of a kernel on two streams, two.wt.
beside() {
	local from=$root/tests/fixtures/accel-sim/v3/kernel-1.traceg
	for k in 1 2; do
		sed "s/^-cuda stream id = .*/-cuda stream id = $k/; s/^-kernel id = .*/-kernel id = $k/" \
			"$from" >kernel-$k.traceg
		echo kernel-$k.traceg
	done >kernelslist.g
	trace-convert kernelslist.g -q -o two.wt
}

@test "an access stream wants one launch after the other, also of the host's" {
	beside
	expect 2 "launch 1 runs beside another one" \
		trace-replay -m k20c --launch concurrent --access-stream s.as two.wt
	[ ! -e s.as ]
	trace-replay -q -m k20c --launch serial --access-stream s.as two.wt >/dev/null
	[ "$(trace-info --columns accesses --format=tsv --no-header s.as | sort -u | wc -l)" = 2 ]
}

@test "beside another launch a CTA's place rests as well, and one launch a cycle goes out" {
	beside
	trace-replay -m k20c --launch concurrent --stats=launches --format=tsv two.wt >t.tsv
	[ "$(column t.tsv began | paste -s)" = "0	1" ]
	ctas=$(trace-info --format=tsv two.wt | column /dev/stdin ctas | tail -1)
	for rest in 0 1000000; do # a CTA at a time
		trace-replay -q -m k20c --launch concurrent --set sm.sms=1 --set sm.threads_per_sm=32 \
			--set launch.cta_rest=$rest --format=tsv two.wt >$rest.tsv
	done
	[ "$ctas" -gt 1 ]
	[ "$(($(row 1000000.tsv cycles) / 1000000))" = "$((ctas - 1))" ]
	[ "$(row 0.tsv cycles)" -lt 1000000 ]
}

@test "the occupancy is a share of the warps that the policy makes" {
	trace-gen -q spmv-scalar -o k.wt
	for w in fixed fixed:8 fixed:64 mimd its its:switch=stall dualpath; do
		trace-replay -q -m k20c -w $w --stats=launch --columns occupancy --format=tsv \
			--no-header k.wt >$w
		awk '$1 > 0 && $1 <= 1 { n++ } END { exit !n || n < NR }' "$w"
	done
	cmp fixed its
	cmp fixed dualpath
}

@test "a launch without CTAs in the part has no times" {
	trace-gen -q bfs-dyn --set form=dyn,nodes=2000 -o k.wt
	trace-replay -q --stats=launches --cta 1 --columns launch,began,ended,launch_wait \
		--format=tsv --no-header k.wt >rows
	awk -F '\t' '$2 == "-" && $3 == "-" && $4 == "-" { n++ } $2 > 1e9 { exit 1 } END { exit !n }' rows
}

@test "buffers have all accesses of the table, whatever stores do" {
	trace-gen -q bfs -o k.wt
	for hit in evicts updates allocates dirties; do
		trace-replay -q -m ccws --set l1d.store_hit=$hit --columns l1d_accesses,l1d_misses \
			--format=tsv --no-header k.wt >all
		tail -n 1 all >want
		[ -s want ]
		trace-replay -q -m ccws --set l1d.store_hit=$hit --stats=buffer \
			--columns l1d_accesses,l1d_misses --format=tsv --no-header k.wt |
			awk '{ a += $1; m += $2 } END { printf "%d\t%d\n", a, m }' | cmp - want
	done
}

@test "dualpath of one path is fixed on every machine" {
	trace-gen -q lud -o k.wt
	for m in ccws v100 h100; do
		trace-replay -q -m $m -w fixed --columns cycles --format=tsv --no-header k.wt >want
		[ -s want ]
		trace-replay -q -m $m -w dualpath:paths=1 --columns cycles --format=tsv --no-header k.wt |
			cmp - want
	done
}

@test "a tail launch does not join its grid" {
	cat >k.ptx <<-'END'
		.version 7.0
		.target sm_70
		.address_size 64
		.extern .func (.param .b64 r) cudaGetParameterBufferV2 (.param .b64 f,
			.param .align 4 .b8 grid[12], .param .align 4 .b8 block[12], .param .b32 shared);
		.extern .func (.param .b32 r) cudaLaunchDeviceV2 (.param .b64 parameters, .param .b64 stream);
		.visible .entry k(.param .u32 n, .param .u64 stream)
		{
		.reg .u32 %r<8>; .reg .pred %p; .reg .u64 %d<6>;
		mov.u32 %r1, %tid.x;
		ld.param.u32 %r2, [n];
		ld.param.u64 %d3, [stream];
		setp.ne.u32 %p, %r1, 0;
		@%p bra DONE;
		setp.eq.u32 %p, %r2, 0;
		@%p bra DONE;
		mov.u64 %d1, k; mov.u32 %r3, 1; mov.u32 %r4, 64; mov.u32 %r5, 0;
		{
		.param .b64 a0; .param .align 4 .b8 a1[12]; .param .align 4 .b8 a2[12]; .param .b32 a3;
		.param .b64 rv;
		st.param.b64 [a0], %d1;
		st.param.b32 [a1], %r3; st.param.b32 [a1+4], %r3; st.param.b32 [a1+8], %r3;
		st.param.b32 [a2], %r4; st.param.b32 [a2+4], %r3; st.param.b32 [a2+8], %r3;
		st.param.b32 [a3], %r5;
		call.uni (rv), cudaGetParameterBufferV2, (a0, a1, a2, a3);
		ld.param.b64 %d2, [rv];
		}
		sub.u32 %r6, %r2, 1;
		st.u32 [%d2], %r6;
		st.u64 [%d2+8], %d3;
		{
		.param .b64 b0; .param .b64 b1; .param .b32 rv;
		st.param.b64 [b0], %d2; st.param.b64 [b1], %d3;
		call.uni (rv), cudaLaunchDeviceV2, (b0, b1);
		ld.param.b32 %r7, [rv];
		}
		DONE:
		mov.u32 %r3, 0;
		L: add.u32 %r3, %r3, 1;
		setp.lt.u32 %p, %r3, 300;
		@%p bra L;
		ret;
		}
	END
	for stream in 0 3; do
		trace-gen -q --ptx k.ptx --entry k --grid 1 --block 64 --arg u32:1 --arg u64:$stream -o k.wt
		for mode in cdp-ideal dtbl-ideal; do
			trace-replay -q --launch $mode --stats=launches --columns began,ended \
				--format=tsv --no-header k.wt >$mode.$stream
		done
	done
	for rows in cdp-ideal.3 dtbl-ideal.3; do
		[ "$(sed -n '2s/\t.*//p' $rows)" -gt "$(sed -n '1s/.*\t//p' $rows)" ]
	done
	# In its block's own stream it joins the kernel.
	[ "$(sed -n '2s/\t.*//p' dtbl-ideal.0)" -lt "$(sed -n '1s/.*\t//p' dtbl-ideal.0)" ]
}
