#!/usr/bin/env bats
# trace-convert, as far as it concerns Accel-Sim. WARPTRACE_ACCEL_SIM names a folder with recorded
# traces, each in a folder of its own; what needs them is skipped without.
load helper

setup_fixtures() {
	cp -r "$root/tests/fixtures/accel-sim" f
}

# awk_counts FILE...: what a trace's text adds up to. A kernel a line: name, grid, threads' and
# warps' instructions. Lanes that leave a warp at one EXIT one after the other count as one exit,
# since under PDOM they wait for each other there.
awk_counts() {
	for t in "$@"; do
		case $t in *.xz) xz -dc "$t" ;; *) cat "$t" ;; esac | tr -d '\r' | awk '
			function ones(mask,    i, d, n) {
				for (i = 1; i <= length(mask); i++)
					for (d = index("123456789abcdef", substr(mask, i, 1)); d; d = int(d / 2))
						n += d % 2
				return n + 0
			}
			/^-kernel name = / { name = substr($0, 16) }
			/^-grid dim = / { gsub(/[^0-9,]/, ""); grid = $0 }
			/^-enable lineinfo = 1/ { lead = 1 }
			/^#traces format = threadblock_x/ { lead = old }
			/^-accelsim tracer version = 1/ { old = 4 }
			/^warp = / { split("", gone) }
			/^[0-9a-f]/ && $(lead + 2) ~ /^[0-9a-f]*$/ && length($(lead + 2)) == 8 {
				pc = $(lead + 1); mask = $(lead + 2); opcode = $(lead + 4 + $(lead + 3))
				threads += ones(mask)
				warps += !(opcode == "EXIT" && pc in gone)
				if (opcode == "EXIT" && ones(mask)) gone[pc]
			}
			END { print name, grid, threads + 0, warps + 0 }'
	done
}

info_counts() {
	trace-info --format=tsv "$1" | awk -F '\t' '
		/^#/ { next }
		!n { n = NF; for (i = 1; i <= NF; i++) at[$i] = i; next }
		$1 != "total" {
			k = split($at["grid"], g, "x")
			print $at["kernel"], g[1] "," (k > 1 ? g[2] : 1) "," (k > 2 ? g[3] : 1), $at["thread_insts"], $at["warp_insts_32"]
		}'
}

# traces FOLDER: its kernels in the order of its list.
traces() {
	tr -d '\r' <"$(echo "$1"/kernelslist*.g)" | grep '^kernel' | sed "s|^|$1/|"
}

@test "every dialect and oddity, golden" {
	setup_fixtures
	for d in v1 v3 v4 v5 v6 gaps; do
		trace-convert f/$d -q -o $d.wt
		trace-info --check $d.wt
		trace-info --dump --no-provenance $d.wt | grep -v ' outcomes=1 values=$' >$d.dump
		golden accel-$d.dump $d.dump
	done
}

@test "the counts are those of an awk over the text" {
	setup_fixtures
	# Not v5: at its BSYNC lanes arrive apart in the text, and together under PDOM.
	for d in v1 v3 v4 v6; do
		trace-convert f/$d -q -o $d.wt
		awk_counts $(traces f/$d) >want
		info_counts $d.wt >got
		diff -u want got
	done
}

# accounted FILE.wt NOTES TRACE...: the notes say how the lines of a text become what warps issue.
accounted() {
	local wt=$1 notes=$2
	shift 2
	awk -v lines="$(for t in "$@"; do
		case $t in *.xz) xz -dc "$t" ;; *) cat "$t" ;; esac
	done | tr -d '\r' | awk '/^insts = / { n += $3 } END { print n + 0 }')" '
		/ issues with another one: / { lines -= $2; if ($5 != all && all++) exit 1; all = $5 }
		/ more issues than the / { lines += $2 }
		END { print lines }' "$notes" >want
	trace-info --format=tsv --no-header --columns=warp_insts_32 "$wt" | tail -n 1 >got
	diff -u want got
}

@test "which lines a replay issues together, and why" {
	setup_fixtures
	mkdir f/late
	echo kernel-1.traceg >f/late/kernelslist.g
	{
		sed '/^#BEGIN/,$d' f/v5/kernel-1.traceg | sed 's/^-grid dim.*/-grid dim = (1,1,1)/'
		# The ways meet at 40 and have a BSYNC at 60; those of the second branch meet at b0.
		printf '#BEGIN_TB\n\nthread block = 0,0,0\n\nwarp = 0\ninsts = 18\n'
		while read -r pc mask opcode imm; do
			printf '%04x %08x 0 %s 0 0 %d \n' "0x$pc" "0x$mask" "$opcode" "$imm"
		done <<-END
			00 f BSSY 0x60
			10 c BRA 0x40
			20 3 MOV 0
			30 3 NOP 0
			40 3 IADD3 0
			50 3 IADD3 0
			60 3 BSYNC 0
			40 c IADD3 0
			50 c IADD3 0
			60 c BSYNC 0
			70 f MOV 0
			80 c BRA 0xb0
			90 3 MOV 0
			a0 3 MOV 0
			b0 3 IADD3 0
			c0 3 EXIT 0
			b0 c IADD3 0
			c0 c EXIT 0
		END
		printf '\n#END_TB\n'
	} >f/late/kernel-1.traceg
	trace-convert f/late -o late.wt 2>notes
	sed 's/^trace-convert: //' notes >got
	cat >want <<-'END'
		2 lines of 18 that a warp issues with another one: lanes come to a BSYNC or an EXIT by turns, a line each
		2 lines of 18 that a warp issues with another one: its branch's ways have met, and come to a BSYNC later
		1 lines of 18 that a warp issues with another one: its branch's ways have met, and come to no BSYNC
	END
	diff -u want got
	[ "$(trace-replay -q -m v100 --format=tsv --no-header --columns=warp_insts late.wt | tail -n 1)" = 13 ]
	for d in late v1 v3 v4 v5 v6 gaps; do
		trace-convert f/$d -o $d.wt 2>notes
		accounted $d.wt notes $(traces f/$d)
	done
	# What we wrote ourselves is issued line by line.
	trace-convert --to accel-sim -o back late.wt
	trace-convert back -o again.wt 2>notes
	[ ! -s notes ]
}

@test "recorded traces: sound, and the counts are those of an awk over the text" {
	[ -d "${WARPTRACE_ACCEL_SIM:-}" ] || skip "WARPTRACE_ACCEL_SIM names no folder of recorded traces"
	command -v xz >/dev/null || skip "there is no xz here"
	for d in "$WARPTRACE_ACCEL_SIM"/*/; do
		trace-convert "${d%/}" -o s.wt 2>notes
		grep -v ' issues with another one: ' notes >others || :
		[ ! -s others ]
		trace-info --check s.wt
		accounted s.wt notes $(traces "${d%/}")
		awk_counts $(traces "${d%/}") >want
		info_counts s.wt >got
		diff -u want got
		trace-coalesce --machine k20c s.wt -o s.as
		trace-locality s.as >/dev/null
		trace-belady --cache 16K:128:4 s.as >/dev/null
		trace-replay --machine k20c s.wt >/dev/null
	done
}

@test "a folder, its list, one kernel, a pipe, and packed ones" {
	setup_fixtures
	trace-convert f/v3 -q --no-provenance -o want.wt
	trace-convert f/v3/kernelslist.g -q --no-provenance -o got.wt
	cmp want.wt got.wt
	trace-convert f/v3/kernel-1.traceg -q --no-provenance >got.wt
	cmp want.wt got.wt
	cat f/v3/kernel-1.traceg | trace-convert --from accel-sim -q --no-provenance -o got.wt
	cmp want.wt got.wt
	cat f/v3/kernel-1.traceg | trace-convert - -q --no-provenance -o got.wt
	cmp want.wt got.wt
	zstd -q f/v3/kernel-1.traceg -o k.zst
	trace-convert k.zst -q --no-provenance -o got.wt
	cmp want.wt got.wt
	if command -v xz >/dev/null; then
		xz f/v3/kernel-1.traceg
		sed -i 's/$/.xz/' f/v3/kernelslist.g
		trace-convert f/v3 -q --no-provenance -o got.wt
		cmp want.wt got.wt
	fi
}

@test "a list must have its files beside it" {
	setup_fixtures
	expect 1 "standard input:1: 'kernel-1.traceg' stands beside the list" \
		bash -c 'trace-convert -o x.wt <f/v3/kernelslist.g'
	rm f/v3/kernel-1.traceg
	expect 1 "trace-convert: cannot open 'f/v3/kernel-1.traceg': No such file or directory" \
		trace-convert f/v3 -o x.wt
	[ ! -e x.wt ]
	cp f/v5/kernelslist.g f/v5/kernelslist_ctx_0x2.g
	expect 2 "'f/v5' has a list for each of several contexts" trace-convert f/v5 -o x.wt
	trace-convert f/v5/kernelslist_ctx_0x2.g -q -o x.wt
	mkdir empty
	expect 1 "there is no kernelslist.g in 'empty'" trace-convert empty -o y.wt
}

@test "a list opens regular files beside it, and nothing else" {
	setup_fixtures
	mkdir f/v3/kernel
	for name in kernel/../kernel-1.traceg kernel/../../v1/kernel-1.traceg; do
		echo $name >f/v3/kernelslist.g
		expect 1 "cannot open '$name': it is not beside the list" trace-convert f/v3 -o x.wt
	done
	mkfifo f/v3/kernel-pipe
	ln -s /dev/zero f/v3/kernel-device
	for name in kernel kernel-pipe kernel-device; do
		echo $name >f/v3/kernelslist.g
		expect 1 "cannot open 'f/v3/$name': it is no regular file" \
			timeout 10 trace-convert f/v3 -o x.wt
	done
	[ ! -e x.wt ]
	ln -s kernel-1.traceg f/v3/kernel-link
	echo kernel-link >f/v3/kernelslist.g
	trace-convert f/v3 -q -o x.wt
}

@test "the buffers of a list go with each of its kernels, and ulimit bounds what comes of it" {
	bare
	setup_fixtures
	{
		seq -f 'cudaMalloc,0x%.0f00,64' 1000 3000
		yes kernel-1.traceg | head -n 40
	} >f/v3/kernelslist.g
	expect 1 "cannot write 'x.wt': File too large" \
		bash -c 'ulimit -f 40; trace-convert f/v3 -q -o x.wt'
	[ "$(echo x*)" = 'x*' ]
	trace-convert f/v3 -q -o x.wt
	[ "$(wc -c <x.wt)" -gt 81920 ]
}

@test "an allocation stands until another takes its place, and two tools see the same buffers" {
	setup_fixtures
	{
		printf 'cudaMalloc,0x%s,%s\n' 1000 4096 10000 65536 f000 8192 20000 16 11000 0
		echo kernel-1.traceg
	} >f/v3/kernelslist.g
	trace-convert f/v3 -q -o x.wt
	trace-info --dump x.wt | sed -n 's/^alloc 0 //p' >allocs
	diff allocs - <<-END
		cudaMalloc0 base=0x1000 bytes=4096
		cudaMalloc2 base=0xf000 bytes=8192
		cudaMalloc3 base=0x20000 bytes=16
		cudaMalloc4 base=0x11000 bytes=0
	END
	echo cudaMalloc,0xfffffffffffff000,4096 >f/v3/kernelslist.g
	expect 1 "kernelslist.g:1: 0xfffffffffffff000 and 4096 bytes reach 2^64" \
		trace-convert f/v3 -q -o x.wt
	# A line that begins before its allocation does.
	printf 'cudaMalloc,0x7f5000000004,64\nkernel-1.traceg\n' >f/v3/kernelslist.g
	trace-convert f/v3 -q -o x.wt
	[ "$(trace-coalesce -q x.wt |
		trace-locality --by buffer --columns buffer,accesses --format=tsv --no-header)" = \
		"$(printf 'cudaMalloc0\t3')" ]
	[ "$(trace-replay -q --stats=buffer --columns buffer,l1d_accesses --format=tsv --no-header x.wt)" = \
		"$(printf 'cudaMalloc0\t3\n-\t0')" ]
}

@test "what could not be kept is counted, and -q is silent" {
	setup_fixtures
	trace-convert f/v5 -o x.wt 2>notes
	grep -qx "trace-convert: 3 lines with an unknown opcode, 'FROB.F32' for one: taken for the most alike" notes
	trace-convert f/gaps -o x.wt 2>notes
	grep -q 'threads without an instruction$' notes
	grep -q '1 thread blocks that the trace leaves out$' notes
	trace-convert f/gaps -q -o x.wt 2>notes
	[ ! -s notes ]
	trace-info x.wt | grep -q '^recorded without predicates'
}

@test "a broken trace: file, line and reason, and no output" {
	setup_fixtures
	sed -i '22s/.*/0020 zz/' f/v3/kernel-1.traceg
	expect 1 "trace-convert: kernel-1.traceg:22: its mask is no hexadecimal number of 8 digits" \
		trace-convert f/v3 -o x.wt
	[ ! -e x.wt ]
	head -n 30 f/v4/kernel-1.traceg >cut.traceg
	expect 1 "cut.traceg:30: the file ends within a thread block" trace-convert cut.traceg -o x.wt
	[ ! -e x.wt ]
	echo hello >hello
	expect 1 "hello:1:" trace-convert --from accel-sim hello -o x.wt
	zstd -q f/v1/kernel-1.traceg -o k.zst
	head -c 200 k.zst >cut.zst
	expect 1 "cut.zst: damaged or truncated zstd data" trace-convert --from accel-sim cut.zst -o x.wt
	expect 1 "cannot write" bash -c 'trace-convert f/v1 >/dev/full'
}

@test "to Accel-Sim: the text, golden in both grammars" {
	ptx '	and.b32 %r6, %r2, 1;
	setp.eq.u32 %p1, %r6, 0;
	mul.wide.u32 %rd2, %r2, 4;
	add.s64 %rd3, %rd1, %rd2;
	@%p1 bra EVEN;
	ld.global.u32 %r7, [%rd3];
	st.shared.v2.u32 [tile], {%r7, %r7};
EVEN:
	setp.gt.u32 %p2, %r2, 1000;
	bar.sync 0;
	@%p2 st.global.u32 [%rd3], %r6;
	atom.global.add.u32 %r8, [%rd1], %r6;' >k.ptx
	trace-gen --ptx k.ptx --entry k --grid 2 --block 5,1,1 --arg x=buf:256 --arg u32:64 -o k.wt
	for v in 3 5; do
		trace-convert --to accel-sim --accel-version $v -o out$v k.wt
		cat out$v/kernelslist.g out$v/kernel-1.traceg >text$v
		golden accel-v$v.traceg text$v
	done
	trace-convert --to accel-sim --binary-version 35 -o kepler k.wt
	grep -q '^-binary version = 35$' kepler/kernel-1.traceg
	! grep -q 'LDG\|STG\|IADD3' kepler/kernel-1.traceg || false
}

@test "there and back the counts are the same" {
	trace-gen bfs --set nodes=900 -o a.wt
	trace-convert --to accel-sim -o d a.wt
	trace-convert d -o b.wt 2>notes
	[ ! -s notes ]
	trace-info --format=tsv a.wt >a.tsv
	trace-info --format=tsv b.wt >b.tsv
	for c in kernel grid block thread_insts warp_insts_32 divergent_branches_32; do
		column a.tsv $c >a
		column b.tsv $c | cmp - a
		[ -s a ]
	done
}

@test "a list is known by its name, whatever its first line says" {
	setup_fixtures
	trace-convert f/v3 -q --no-provenance -o want.wt
	sed -i '1i cudaFree,0x10' f/v3/kernelslist.g
	trace-convert f/v3 --no-provenance -o got.wt 2>notes
	cmp want.wt got.wt
	grep -q '1 lines of the list that are neither kernels nor copies$' notes
	trace-convert f/v3/kernelslist.g -q --no-provenance -o got.wt
	cmp want.wt got.wt
}

@test "a folder comes whole or not at all" {
	small
	expect 2 "--to accel-sim writes a folder: name it with -o" trace-convert --to accel-sim small.wt
	mkdir full empty
	touch full/x
	expect 1 "cannot make the folder 'full': Directory not empty" \
		trace-convert --to accel-sim -o full small.wt
	trace-convert --to accel-sim -o empty small.wt
	[ -s empty/kernelslist.g ]
	head -c 3000 small.wt >cut.wt
	expect 1 "cannot convert 'cut.wt': " trace-convert --to accel-sim -o d cut.wt
	[ "$(echo d*)" = 'd*' ]
	mkdir d
	expect 1 "cannot convert 'cut.wt': " trace-convert --to accel-sim -o d/ cut.wt
	[ "$(echo d*)" = d ] && [ -d d ]
	trace-convert --to accel-sim -o d/ small.wt
	[ -s d/kernelslist.g ]
	trace-convert --to accel-sim -o new/ small.wt
	diff -r d new
	expect 1 "cannot make the folder '.': give it a name" trace-convert --to accel-sim -o . small.wt
	expect 2 "'small.wt' is both input and output" \
		trace-convert --to accel-sim -o small.wt small.wt
	expect 1 "cannot make the folder 'no/d': No such file or directory" \
		trace-convert --to accel-sim -o no/d small.wt
}

@test "a signal leaves no half of a folder" {
	small
	mkfifo pipe
	trace-convert --to accel-sim -o k <pipe &
	pid=$!
	exec 7>pipe
	head -c 3000 small.wt >&7
	for ((i = 0; i < 100; i++)); do
		[ ! -e k.tmp-$pid ] || break
		sleep 0.05
	done
	[ -d k.tmp-$pid ]
	kill -TERM $pid
	status=0
	wait $pid || status=$?
	exec 7>&-
	[ "$status" -eq 143 ]
	[ "$(echo k*)" = 'k*' ]
}

@test "usage" {
	expect 2 "--launch, --cta, --max-insts and --sm go with --to" trace-convert --launch 0 x
	expect 2 "--launch, --cta, --max-insts and --sm go with --to" trace-convert --sm 1 x
	expect 2 "--accel-version and --binary-version go with --to" trace-convert --accel-version 5 x
	expect 2 "--accel-version and --binary-version go with --to" trace-convert --binary-version 70 x
	expect 2 "go with --to accel-sim" trace-convert --to din --accel-version 3 x
	expect 2 "--sm does not go with --to accel-sim" trace-convert --to accel-sim --sm 0 -o d x
	expect 2 "--line does not go with --from accel-sim" trace-convert --from accel-sim --line 64 /dev/null
	expect 2 "--line does not go with --to" trace-convert --to accel-sim --line 128 -o d x
	expect 2 "unknown format 'accelsim', did you mean 'accel-sim'?" trace-convert --from accelsim x
	expect 2 "--from and --to do not go together" trace-convert --from accel-sim --to accel-sim x
	expect 2 "more than one PATH" trace-convert a b
	expect 2 "there is no version 4" trace-convert --accel-version 4 a
	expect 2 "there is no version 50" trace-convert --binary-version 50 a
	expect 2 "--line: 100 is no power of two" trace-convert --line 100 a
	expect 1 "cannot open 'missing'" trace-convert missing -o x.wt
	trace-convert --from=help | grep -q '^accel-sim  *from, to  *threads '
	printf '\001\002\003' >bin
	small own.wt
	expect 1 "'own.wt' is a stream of ours: say with --to what it is to become" trace-convert own.wt -o x.wt
	expect 1 "cannot tell the format of 'bin'" trace-convert bin -o x.wt
	run script -qec "trace-convert $root/tests/fixtures/accel-sim/v1" /dev/null
	[ "$status" -eq 2 ]
	[[ $output == *"a trace is not for a terminal"* ]]
}

# listing HEAD: SASS of the first kernel of v5 as cuobjdump and nvdisasm write it, after HEAD.
listing() {
	echo "$1"
	grep '^[0-9a-f]\{4\} ' f/v5/kernel-1.traceg | sort -u -k 1,1 | awk '{
		op = $(4 + $3)
		high = op ~ /^LDG/ ? "0x000ea80000000000" : op == "IADD3" ? "0x004fca0000000000" : "0x000fe40000000f00"
		printf "        /*%s*/              @!P0 %s R1, 0x%d ;  /* 0x00000a0000017a02 */\n", $1, op, NR
		printf "                                              /* %s */\n", high
	}'
}

@test "--listing: operands and control bits of the SASS go with the program" {
	setup_fixtures
	name=$(sed -n 's/^-kernel name = //p' f/v5/kernel-1.traceg)
	listing "		Function : $name" >k.sass
	trace-convert f/v5/kernel-1.traceg --listing k.sass -q -o k.wt
	trace-info --check k.wt
	trace-info --dump k.wt >dump
	grep -q "MOV R1, 0x1.*control=B------:R-:W-:-:S02" dump
	grep -q "LDG.E.64 R1, 0x3.*control=B------:R-:W2:-:S04" dump
	grep -q "IADD3 R1, 0x4.*control=B--2---:R-:W-:Y:S05" dump
	# All of them; it is the same program, and thread for thread the same trace.
	trace-convert f/v5/kernel-1.traceg -q -o plain.wt
	[ "$(grep -c control= dump)" = "$(grep -c '^inst' dump)" ]
	! trace-info --dump plain.wt | grep control= || false
	diff <(trace-info --format=tsv k.wt | grep -v '^#') <(trace-info --format=tsv plain.wt | grep -v '^#')
	# As nvdisasm has it, and of the machine of the trace.
	listing ".text.$name:" >n.sass
	trace-convert f/v5/kernel-1.traceg --listing n.sass -q -o n.wt
	diff <(trace-info --dump --no-provenance k.wt) <(trace-info --dump --no-provenance n.wt)
	{ listing "code for sm_70
		Function : $name" | sed 's/MOV/NOP/'
		listing "code for sm_80
		Function : $name"; } >two.sass
	trace-convert f/v5/kernel-1.traceg --listing two.sass -q -o n.wt
	diff <(trace-info --dump --no-provenance k.wt) <(trace-info --dump --no-provenance n.wt)
}

@test "--listing: which convergence barriers BSSY, BSYNC and BREAK name, and WARPSYNC's mask" {
	setup_fixtures
	name=$(sed -n 's/^-kernel name = //p' f/v5/kernel-1.traceg)
	trace-convert f/v5/kernel-1.traceg -q -o plain.wt
	trace-info --dump plain.wt >dump
	grep -q "'BSSY B0'" dump # by their nesting
	grep -q "'BSYNC B0'" dump
	listing "Function : $name" | sed 's/BSSY R1/BSSY B7/; s/BSYNC R1, 0x[0-9]*/BSYNC B7/' >k.sass
	trace-convert f/v5/kernel-1.traceg --listing k.sass -q --no-provenance -o k.wt
	# Both sides have a BSYNC of their own there. A loop has no barrier: the lane that leaves it first
	# goes through the last three instructions alone.
	issued() { # WARP FILE
		trace-replay -q -m a100 -w $1 --columns=warp_insts --format=tsv --no-header $2 | tail -n 1
	}
	for w in its its:switch=yield its:switch=stall; do
		[ "$(issued $w k.wt)" = $(($(issued fixed k.wt) + 1 + 3)) ]
		[ "$(issued $w plain.wt)" = "$(issued $w k.wt)" ]
	done
	[ "$(issued its:meet=pdom k.wt)" = "$(issued fixed k.wt)" ]
}

@test "recorded traces: under its a BFS issues what the A100 did" {
	[ -d "${WARPTRACE_ACCEL_SIM:-}/bfs-a100-v3" ] ||
		skip "WARPTRACE_ACCEL_SIM names no folder with bfs-a100-v3"
	command -v xz >/dev/null || skip "there is no xz here"
	trace-convert "$WARPTRACE_ACCEL_SIM/bfs-a100-v3" -q -o s.wt
	lines=$(xzcat "$WARPTRACE_ACCEL_SIM"/bfs-a100-v3/*.xz | grep -cE '^[0-9a-f]{4} [0-9a-f]{8} ')
	issued=$(trace-replay -q -m a100 -w its:meet=bsync --columns=warp_insts --format=tsv --no-header s.wt |
		tail -n 1)
	# Groups that wait at one PC were now and then one group there.
	[ $((issued - lines)) -ge 0 ]
	[ $((issued - lines)) -lt $((lines / 1000)) ]
}

@test "--listing: the replay follows the control bits" {
	setup_fixtures
	name=$(sed -n 's/^-kernel name = //p' f/v5/kernel-1.traceg)
	listing "Function : $name" >k.sass
	trace-convert f/v5/kernel-1.traceg --listing k.sass -q -o k.wt
	trace-convert f/v5/kernel-1.traceg -q -o plain.wt
	cycles() { # TRACE YES|NO
		trace-replay -q -m a100 --set sm.control_bits="$2" --columns=cycles --format=tsv --no-header "$1" |
			tail -n 1
	}
	[ "$(cycles k.wt no)" -gt 0 ]
	[ "$(cycles k.wt no)" = "$(cycles plain.wt yes)" ]
	[ "$(cycles k.wt no)" != "$(cycles k.wt yes)" ]
	# Stalls of 15 in place of 2 take longer.
	sed 's/0x000fe4/0x000ffe/' k.sass >long.sass
	trace-convert f/v5/kernel-1.traceg --listing long.sass -q -o long.wt
	[ "$(cycles long.wt yes)" -gt "$(cycles k.wt yes)" ]
	[ "$(cycles long.wt no)" = "$(cycles k.wt no)" ]
}

# copies DEPBAR...: a kernel of SASS with two copies to shared memory, a group each, a commit of both,
# then these lines of DEPBAR, each with the immediate that it is given, - is none, and 40 additions, one
# after the other.
copies() {
	local pc=96 n
	cat <<-END
		-kernel name = k
		-kernel id = 1
		-grid dim = (1,1,1)
		-block dim = (32,1,1)
		-shmem = 16384
		-nregs = 16
		-binary version = 80
		-cuda stream id = 0
		-shmem base_addr = 0x00007f1139000000
		-local mem base_addr = 0x00007f1137000000
		-nvbit version = 1.7
		-accelsim tracer version = 5

		#BEGIN_TB

		thread block = 0,0,0

		warp = 0
		insts = $((47 + $#))
		0000 ffffffff 1 R2 MOV 0 0 0
		0010 ffffffff 0 LDGSTS.E.BYPASS.128 2 R4 R2 16 1 0x7f5000000000 16 0
		0020 ffffffff 0 LDGDEPBAR 0 0 0
		0030 ffffffff 0 LDGSTS.E.128 2 R4 R2 16 1 0x7f5000100000 512 0
		0040 ffffffff 0 LDGDEPBAR 0 0 0
		0050 ffffffff 1 R9 MOV 0 0 0
	END
	for n; do
		printf '%04x ffffffff 0 DEPBAR.LE 0 0 %s\n' "$pc" "${n#-}"
		pc=$((pc + 16))
	done
	for ((n = 0; n < 40; n++)); do
		printf '%04x ffffffff 1 R9 IADD3 2 R9 R255 0 0\n' "$pc"
		pc=$((pc + 16))
	done
	printf '%04x ffffffff 0 EXIT 0 0 0\n\n#END_TB\n' "$pc"
}

@test "copies to shared memory: who waits, waits for their groups" {
	local at='sm.async=whole sm.code=perfect launch.latency=0 memory=perfect memory.latency=1000'
	cycles() { # TRACE.wt [KEY=VALUE...]
		local trace=$1
		shift
		trace-replay -q -m a100 $(printf -- '--set %s ' $at "$@") --columns=cycles \
			--format=tsv --no-header "$trace" | tail -n 1
	}
	for n in 0 1 2 -; do
		copies "$n" >k.traceg
		trace-convert -q k.traceg -o "k$n.wt"
		trace-info --check "k$n.wt"
	done
	trace-info --dump k0.wt >dump
	# The first register says where to: what is read is at the second one's address.
	grep -q "LDGSTS.E.BYPASS.128 {%copy\[0\]} \[R2\]" dump
	grep -q "DEPBAR.LE.* %copy\[0\], %copy\[1\]" dump
	# The second copy is of 32 lines, of which a cycle takes four: it comes after the first one. The
	# additions, four cycles each, are after what is waited for, or else while it comes; and without an
	# immediate all is waited for.
	[ "$(cycles k0.wt)" -gt "$(cycles k1.wt)" ]
	[ "$(cycles k1.wt)" -gt $((1000 + 4 * 40)) ]
	[ "$(cycles k2.wt)" -lt $(($(cycles k1.wt) - 3 * 40)) ]
	[ "$(cycles k2.wt)" -gt 1000 ]
	[ "$(cycles k0.wt)" = "$(cycles k-.wt)" ]
	# 512 bytes write four cycles at 128 a cycle, and are there seven later.
	[ $(($(cycles k0.wt) - $(cycles k0.wt sm.async=apart))) -eq $((3 + 7)) ]
	# BYPASS leaves no line.
	[ "$(trace-replay -q -m a100 --columns=l1d_accesses --format=tsv --no-header k0.wt | tail -n 1)" -eq 32 ]
	[ "$(trace-replay -q -m a100 --set sm.async=apart --set l1d.operators=no --columns=l1d_accesses --format=tsv --no-header k0.wt | tail -n 1)" -gt 32 ]
}

@test "copies to shared memory: the listing says which counter DEPBAR looks at, and how far" {
	listed() { # COUNTER OPERANDS: of LDGDEPBAR; of DEPBAR
		local pc opcode result
		echo "Function : k"
		grep '^[0-9a-f]\{4\} ' k.traceg | sed 's/ 1 R[29] / 0 /' | while read -r pc _ _ opcode _; do
			result=$([ "$opcode" = LDGDEPBAR ] && echo "$1" || echo 7)
			# stall 4, no counter of sources
			printf '        /*%s*/              %s %s ;  /* 0x00000a0000017a02 */\n' "$pc" "$opcode" \
				"$([[ $opcode == DEPBAR* ]] && echo "$2" || echo R9)"
			printf '                                              /* 0x%016x */\n' \
				$(((4 | 1 << 4 | result << 5 | 7 << 8) << 41))
		done
	}
	cycles() { # COUNTER OPERANDS
		listed "$@" >k.sass
		trace-convert -q k.traceg --listing k.sass -o k.wt
		trace-replay -q -m a100 --set sm.control_bits=no --set memory=perfect --set memory.latency=1000 \
			--columns=cycles --format=tsv --no-header k.wt | tail -n 1
	}
	copies - >k.traceg
	[ "$(cycles 0 'SB0, 0x0')" -gt "$(cycles 0 'SB0, 0x1')" ]
	[ "$(cycles 0 'SB0, 0x2')" -lt $(($(cycles 0 'SB0, 0x1') - 3 * 40)) ]
	# Another counter than that of the groups: no copy is waited for.
	[ "$(cycles 0 'SB1, 0x0')" = "$(cycles 0 'SB0, 0x2')" ]
	[ "$(cycles 1 'SB1, 0x0')" = "$(cycles 0 'SB0, 0x0')" ]
}

@test "--listing: what does not match says so" {
	setup_fixtures
	name=$(sed -n 's/^-kernel name = //p' f/v5/kernel-1.traceg)
	listing "Function : $name" >k.sass
	sed 's/IADD3/FADD/' k.sass >other.sass
	expect 1 "the listing is of another build of '$name': at 0x0030 it has FADD, the trace IADD3" \
		trace-convert f/v5/kernel-1.traceg --listing other.sass -o x.wt
	head -n 9 k.sass >short.sass
	expect 1 "at 0x0040 it has nothing, the trace STG" trace-convert f/v5/kernel-1.traceg --listing short.sass -o x.wt
	listing "Function : someone" >someone.sass
	expect 1 "someone.sass has no code of '$name' for that machine" \
		trace-convert f/v5/kernel-1.traceg --listing someone.sass -o x.wt
	listing "code for sm_70
Function : $name" >volta.sass
	expect 1 "volta.sass has no code of" trace-convert f/v5/kernel-1.traceg --listing volta.sass -o x.wt
	expect 1 "cannot open 'none.sass': No such file" trace-convert f/v5/kernel-1.traceg --listing none.sass -o x.wt
	sed -n '1p;3p' k.sass >half.sass
	expect 1 "half.sass:2: half an encoding that belongs to no instruction" \
		trace-convert f/v5/kernel-1.traceg --listing half.sass -o x.wt
	sed 's,;.*,;,' k.sass >plain.sass
	expect 1 "plain.sass:2: an instruction without its encoding" \
		trace-convert f/v5/kernel-1.traceg --listing plain.sass -o x.wt
	sed 's, ;,,' k.sass >open.sass
	expect 1 "open.sass:2: an instruction without its semicolon" \
		trace-convert f/v5/kernel-1.traceg --listing open.sass -o x.wt
	sed 's,/\*0000\*/,/*100000000*/,' k.sass >far.sass
	expect 1 "far.sass:2: a PC of more than 32 bits" \
		trace-convert f/v5/kernel-1.traceg --listing far.sass -o x.wt
	sed 1d k.sass >nameless.sass
	expect 1 "nameless.sass:1: an instruction before any function" \
		trace-convert f/v5/kernel-1.traceg --listing nameless.sass -o x.wt
	echo nothing >nothing.sass
	expect 1 "nothing.sass:1: no function of SASS is in it" \
		trace-convert f/v5/kernel-1.traceg --listing nothing.sass -o x.wt
	echo '0x80 4' >list
	expect 2 "--listing does not go with --from" trace-convert --from addr --listing k.sass list -o x.wt
	[ ! -e x.wt ]
}
