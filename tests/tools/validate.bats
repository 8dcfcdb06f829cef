#!/usr/bin/env bats
# plots/validate: today's machines beside measurements, of which a few are made up here.
load helper

@test "validate: a row for each measurement that is there, and what they come to" {
	mkdir -p data/hardware
	printf 'suite\tbenchmark\tparameters\tprofiler\tmhz\tcycles\tmicroseconds\n' >data/hardware/head
	{
		cat data/hardware/head
		printf 'simtune\temptykernel\tthread=256,block=1024\tnsys\t1755\t1\t1.760\n'
		printf 'simtune\temptykernel\tthread=256,block=1024\tncu\t1100\t5000\t4.5\n'
		printf 'simtune\temptykernel\tthread=256,block=65536\tnsys\t1755\t1\t40\n'
	} >data/hardware/h100-empty-kernel.tsv
	{
		cat data/hardware/head
		printf 'polybench\tatax\tsize=32,blockDimX=8\tnsys\t345\t1\t11.563\n'
		printf 'cuda-sdk\tvectoradd\tsize=16384\tnsys\t345\t1\t2.1\n'
		printf 'cuda-sdk\tfastwalshtransform\tlog2data=12,log2kernel=12\tnsys\t345\t1\t16.523\n'
		printf 'cuda-sdk\tscan-long\tsize=4096,arrayLength=2048\tnsys\t345\t1\t6.027\n'
	} >data/hardware/h100-kernels.tsv
	{
		printf 'benchmark\tkernel\tl1_rh\tl1_rm\tshrd_acc\tdram_rd\telapsed_cycles\n'
		printf 'dct8x8\t_Z14CUDAkernel2DCTPfS_i\t0\t32768\t49152\t32773\t6000\n'
		printf 'quasirandomGenerator\t_Z16inverseCNDKernelPfPjj\t0\t0\t0\t0\t58000\n'
	} >data/hardware/gv100-kernels.tsv
	nnc='nnc\ttrace-gen nnc --set files=1,records=8000\t2192\t20.07\t65500\t79.4\t10500\t0.0\t10500\n'
	printf '# made up\nscan\ttrace-gen scan --set n=1024\t5000\t1\t300\t10.0\t300\t40.0\t128\n'"$nnc" >data/accel-sim-results.tsv
	"$root/plots/validate/run" data "$tools" >rows
	[ "$(cut -f 1 rows | sort | uniq -c | awk '{ print $2 $1 }' | tr '\n' ' ')" = \
		"accel-sim-plain14 accel-sim-qv10014 accel-sim-v10014 chase15 gv1007 h100-cuda-sdk3 h100-empty1 h100-polybench1 set1 " ]
	awk -F '\t' '$1 == "chase" && ($6 < 0.97 || $6 > 1.03) { exit 1 }' rows
	awk -F '\t' '$1 == "h100-empty" && ($6 < 0.9 || $6 > 1.1) { exit 1 }' rows
	# Ours is as large as what was measured: an image that is read once, 48 accesses of shared memory a warp.
	awk -F '\t' '$1 == "gv100" { seen[$2 " " $3] = $5 }
		END {
			if (seen["dct8x8 in place l1_reads"] != 32768 || seen["dct8x8 in place shared"] != 49152 ||
				seen["dct8x8 in place l1_hit"] != "0.0" || seen["dct8x8 in place dram_reads"] < 32768 ||
				seen["dct8x8 in place cycles"] < 2000 ||
				seen["quasirandomgenerator inverse cycles"] < 20000)
				exit 1
		}' rows
	# What the host copied is in the L2 of the plain v100 alone.
	awk -F '\t' '$2 == "scan" && $3 == "dram_reads" && ($1 ~ /plain/ ? $5 > 20 : $5 < 128 || $5 > 140) {
			exit 1 }' rows
	grep -v ^accel-sim-plain rows >cold
	# Accel-Sim ran this one as it was compiled then: the record that is kept of it has its instructions.
	awk -F '\t' '$2 == "nnc" && $3 == "warp_insts" { n++; if ($6 < 0.999 || $6 > 1.001) exit 1 }
		$2 == "nnc" && $3 ~ /^l1_/ && $4 != $5 { exit 1 }
		END { if (n != 3) exit 1 }' rows
	"$root/plots/validate/summary.awk" rows >sums
	# Half of scan's reads are of lines that it has.
	awk -F '\t' '$2 == "scan" && $3 == "l2_hit" && ($5 < 40 || $5 > 60) { exit 1 }' cold
	# Of 300 reads counted, as many of ours are first ones; the others wait, and 40 % hit.
	trace-gen -q scan --set n=1024 -o t.wt
	reads=$(trace-replay -q -m v100 --stats=memory --format=tsv --no-header --columns=l2_reads t.wt |
		tail -n 1)
	awk -F '\t' -v r="$reads" '$2 == "scan" && $3 == "l2_kept" {
			n++
			want = sprintf("%.1f", 100 * (300 + 120 - r) / r)
			if ($4 != want || $5 < 40 || $5 > 60)
				exit 1
		}
		$2 == "scan" && $3 == "l1_kept" && $5 != "0.0" { exit 1 }
		END { if (n != 2) exit 1 }' cold
	[ "$(awk -F '\t' '$1 == "chase" && $2 == "l2" { print $4 }' sums)" = 5 ]
	[ "$(awk -F '\t' '$1 == "h100-empty" { print $3 }' sums)" = yes ]
	# The plain v100 is the machine with Accel-Sim's launch.latency, and nothing else.
	trace-replay -q -m v100 --set launch.latency=0 --format=tsv --no-header --columns=cycles \
		"$root/plots/validate/records/nnc.wt" | tail -n 1 >nnc
	[ "$(awk -F '\t' '$1 == "accel-sim-plain" && $2 == "nnc" && $3 == "cycles" { print $5 }' rows)" = \
		"$(cat nnc)" ]
	# A row that was looked at for a key names it, in the table of the tree, too, and the key is one.
	for table in rows "$root/plots/validate/results.tsv"; do
		awk -F '\t' 'NF != 8 { exit 1 }
			NR > 1 && $7 !~ /^(yes|seen|no)$/ { exit 1 }
			NR > 1 && ($7 == "no") != ($8 == "-") { exit 1 }
			NR > 1 && $1 ~ /polybench/ && $8 !~ /l2.far/ { exit 1 }' "$table"
		trace-replay -m h100 --set help --format=tsv | cut -f 1 >keys
		awk -F '\t' 'NR > 1 && $7 != "no" { print $8 }' "$table" | tr , '\n' | sort -u >named
		[ "$(wc -l <named)" -gt 8 ]
		grep -vxFf keys named >lost || :
		diff /dev/null lost
	done
}

# functions NAME...: of plots/validate/run, which writes its launches by them.
functions() {
	local name
	for name in up "$@"; do
		sed -n "/^$name() {/,/^}/p" "$root/plots/validate/run"
	done >functions
	source functions
}

# record SCRIPT
record() {
	trace-gen -q --ptx "$root/plots/validate/kernels.ptx" --script "$1" -o t.wt
}

words() { # FILE
	od -An -v -w4 -tu4 "$1" | tr -d ' '
}

@test "validate: its sorts sort, and values go with their keys" {
	functions keys bitonic mergesort
	for n in 1024 4096 5120 7168; do
		{
			mergesort $n
			echo "dump key k.in"
			echo "dump key$((n > 1024 && n != 4096)) k"
			echo "dump val$((n > 1024 && n != 4096)) v"
		} >script
		record script
		words k.in >k.words
		sort -n -s k.words >want
		words k | cmp - want
		# A value is the place that its key had; equal keys keep their order.
		awk 'NR == FNR { key[NR - 1] = $1; next } { print key[$1] }' k.words <(words v) | cmp - want
		[ "$(words v | sort -n | tail -n 1)" = $((n - 1)) ]
	done
	for n in 64 128; do
		{
			bitonic 2048 $n
			echo "dump key k.in"
			echo "dump key0 k"
		} >script
		record script
		words k.in | awk -v n=$n '{ print int((NR - 1) / n), $1 }' | sort -k 1,1n -k 2,2nr |
			cut -d ' ' -f 2 >want
		words k | cmp - want
	done
}

@test "validate: its scans, products and transforms" {
	functions scan_short scan_long scalarprod walsh
	for a in "short 2048 512" "long 8192 4096"; do
		set -- $a
		{
			scan_$1 $2 $3
			echo "dump in in"
			echo "dump out out"
		} >script
		record script
		words in | awk -v n=$3 '{
				if ((NR - 1) % n == 0)
					sum = 0
				printf "%.0f\n", sum
				sum = (sum + $1) % 4294967296
			}' >want
		words out | cmp - want
	done
	{
		scalarprod 3 5120 | grep buffer
		for b in a b; do
			echo "write @$b f32:$(yes 2 | head -n $((3 * 5120)) | paste -s -d ,)"
		done
		scalarprod 3 5120 | grep launch
		echo "dump out out"
	} >script
	record script
	[ "$(od -An -v -w4 -tf4 out | tr -d ' ' | uniq -c | tr -s ' ')" = " 3 20480" ]
	for bits in 11 12 13; do
		{
			echo "buffer x=buf:$((4 << bits))"
			echo "write @x+20 f32:1"
			walsh x $bits
			echo "dump x x"
		} >script
		record script
		# Row 5 of the matrix: 1 where i & 5 has an even number of bits.
		for ((i = 0; i < 1 << bits; i++)); do
			echo $(((i ^ i >> 2) & 1 ? -1 : 1))
		done >want
		od -An -v -w4 -tf4 x | tr -d ' ' | cmp - want
	done
}

# reals FILE: floats of a dump, one a line.
reals() {
	od -An -v -w4 -tf4 "$1" | tr -d ' '
}

# near FILE WANT: two columns of numbers that differ by less than a ten thousandth of 1 or of themselves.
near() {
	[ "$(wc -l <"$1")" = "$(wc -l <"$2")" ]
	paste "$1" "$2" | awk '{ d = $1 - $2; s = $2 < 0 ? -$2 : $2; if (d < 0) d = -d
		if (!(d < 0.0001 * (s > 1 ? s : 1))) { print "line " NR ": " $0; exit 1 } }'
}

@test "validate: its cosine transforms" {
	# 64 x 32 numbers, and the matrix of the transform, of which a column is a frequency.
	awk 'BEGIN { for (i = 0; i < 2048; i++) printf "%s%d", i ? "," : "", i * 7919 % 101 - 50 }' >image
	awk 'BEGIN { for (k = 0; k < 8; k++) for (u = 0; u < 8; u++)
		printf "%s%.9g", k + u ? "," : "", (u ? 0.5 : sqrt(0.125)) * cos((2 * k + 1) * u * atan2(1, 1) / 4) }' >matrix
	for a in "dct_matrices 8,4 8,8" "dct_in_place 2,2 8,4,2"; do
		set -- $a
		{
			echo "symbol dct_matrix=f32:$(cat matrix)"
			echo "buffer in=buf:8192"
			echo "buffer out=buf:8192"
			echo "write @in f32:$(cat image)"
			echo "launch $1 $2 $3 @out @in u32:64"
			echo "dump out $1"
		} >script
		record script
		reals $1 >$1.got
	done
	awk -v RS=, 'NR == FNR { m[int(n / 8), n % 8] = $1; n++; next } { x[int(l / 64), l % 64] = $1; l++ }
		END {
			for (i = 0; i < 32; i++)
				for (j = 0; j < 64; j++) {
					s = 0
					for (k = 0; k < 8; k++)
						for (h = 0; h < 8; h++)
							s += m[k, i % 8] * m[h, j % 8] * x[i - i % 8 + k, j - j % 8 + h]
					print s
				}
		}' matrix image >want
	near dct_matrices.got want
	near dct_in_place.got want
}

@test "validate: its options, random numbers and sums of waves" {
	# Prices that move down alone, up alone; a step of a half of each leaves what is the same everywhere.
	step=0.0001
	{
		echo "symbol options=f32:100,20,$step,0,1,100,20,$step,1,0,100,20,0,0.5,0.5"
		echo "buffer out=buf:12"
		echo "launch binomial 3 128 @out"
		echo "dump out out"
	} >script
	record script
	reals out >got
	awk -v s=$step 'BEGIN { print 100 * exp(-2048 * s) - 20; print 100 * exp(2048 * s) - 20; print 80 }' >want
	near got want

	# Each bit stands for itself, in the second dimension alone.
	{
		echo "symbol quasi_table=u32:$(awk 'BEGIN { for (d = 0; d < 3; d++) for (k = 0; k < 31; k++)
			printf "%s%d", d + k ? "," : "", d == 1 ? 2 ^ (k + 20) % 2147483647 : 0 }')"
		echo "buffer out=buf:6144"
		echo "launch quasirandom 2 128,3 @out u32:0 u32:512"
		echo "dump out out"
	} >script
	record script
	reals out >got
	awk 'BEGIN { for (d = 0; d < 3; d++) for (i = 0; i < 512; i++)
		print ((d == 1 ? i * 2 ^ 20 : 0) + 1) / 2147483649 }' >want
	near got want

	# Quantiles of the normal distribution, by its tail (Abramowitz and Stegun 26.2.17).
	printf 'buffer out=buf:3996\nlaunch inverse_normal 1 128 @out u32:999\ndump out out\n' >script
	record script
	reals out | awk 'function tail(z,  t) {
			t = 1 / (1 + 0.2316419 * z)
			return exp(-z * z / 2) / sqrt(8 * atan2(1, 1)) * t * (0.319381530 + t * (-0.356563782 + \
				t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))))
		}
		{ print $1 < 0 ? tail(-$1) : 1 - tail($1) }' >got
	awk 'BEGIN { for (i = 1; i < 1000; i++) print i / 1000 }' >want
	near got want

	# Directions of single bits: the Gray code's bits in reverse order, the halves of one of two.
	{
		echo "buffer directions=buf:256"
		echo "write @directions u32:$(awk 'BEGIN { for (d = 1; d < 3; d++) for (k = 0; k < 32; k++)
			printf "%s%.0f", (d + k > 1 ? "," : ""), int(2 ^ (31 - k) / d) }')"
		echo "buffer out=buf:8000"
		echo "launch sobol 4,2 64 u32:1000 @directions @out"
		echo "dump out out"
	} >script
	record script
	reals out >got
	awk 'BEGIN { for (d = 1; d < 3; d++) for (i = 0; i < 1000; i++) {
			x = 0
			for (k = 0; k < 12; k++)
				if (int(i / 2 ^ k) % 2 != int(i / 2 ^ (k + 1)) % 2)
					x += 2 ^ -(k + 1) / d
			print x
		} }' >want
	near got want

	# 1024 waves of a quarter's turn: each adds its sine.
	{
		echo "symbol q_elements=f32:$(yes 0.25,0,0,2 | head -n 1024 | paste -s -d ,)"
		for b in x y z real imaginary; do
			echo "buffer $b=buf:1024"
			echo "write @$b f32:$(yes 1 | head -n 256 | paste -s -d ,)"
		done
		echo "launch compute_q 1 256 @x @y @z @real @imaginary"
		echo "dump real real"
		echo "dump imaginary imaginary"
	} >script
	record script
	reals real >got
	reals imaginary >>got
	{ yes 1 | head -n 256; yes 2049 | head -n 256; } >want
	near got want
}

@test "l2.copies: what the host copied is in the L2, under one scheduler and under several" {
	echo "buffer a=buf:65536:iota
buffer b=buf:65536:iota
buffer c=buf:65536
launch vectoradd 64 256 @a @b @c u32:16384" >script
	record script
	reads() {
		trace-replay -q -m h100 --format=tsv --no-header --columns=dram_reads "$@" t.wt | tr '\n' ' '
	}
	[ "$(reads)" = "0 " ]
	[ "$(reads --compare gto,lrr)" = "0 0 " ]
	[ "$(reads --set l2.copies=no)" = "4096 " ]
	[ "$(reads --set l2.copies=no --compare gto,lrr)" = "4096 4096 " ]
	sed -i s/:iota// script
	record script
	[ "$(reads)" = "4096 " ]
}

@test "validate: halved, doubled and other words, of what nobody published, turn the cycles as the replay says" {
	"$root/plots/validate/sensitivity" -j 1 -m v100 -r '^hotspot$' \
		-k '^(dram.tCL|l1d.store_hit|interval.barrier|launch.latency|sm.sms)$' "$tools" >table
	# A published value is not varied (sm.sms), nor what the row's options set (launch.latency).
	[ "$(sed 1d table | cut -f 2-4 | sort | tr '\t\n' ': ')" = \
		"-:-:- dram.tCL:12:24 dram.tCL:12:6 interval.barrier:0:1 l1d.store_hit:updates:allocates l1d.store_hit:updates:dirties l1d.store_hit:updates:evicts " ]
	[ "$(sed -n '2p' table | cut -f 2)" = - ]
	sed 1,2d table | awk -F '\t' '{ x = $6 < 0 ? -$6 : $6 } NR > 1 && x > last { exit 1 } { last = x }'
	of() {
		trace-replay -q -m v100 --set launch.latency=0 --set l2.copies=no --format=tsv --no-header \
			--columns=cycles "$@" "$root/plots/validate/records/hotspot.wt" | tail -n 1
	}
	measured=$(awk -F '\t' '$1 == "accel-sim-plain" && $2 == "hotspot" && $3 == "cycles" { print $4 }' \
		"$root/plots/validate/results.tsv")
	awk -v a="$(of)" -v b="$(of --set dram.tCL=24)" -v m="$measured" 'function off(x) {
			return 100 * (x > m ? x / m - 1 : 1 - x / m) }
		BEGIN { printf "%.2f\t%.2f\t%.2f\n", 100 * (b / a - 1), off(b), off(b) - off(a) }' >want
	grep -P '^v100\tdram.tCL\t12\t24\t' table | cut -f 6- >got
	diff want got
	# Means of several records, and a value that the machine refuses.
	printf 's\tx\tcycles\t100\n' >measured
	printf '1\tm\ts\tx\t-\n2\tm\t-\ty\t-\n' >records
	printf '1\tm\t-\t-\t-\t110\n1\tm\tk\t1\t2\t220\n1\tm\tk\t1\t4\t220\n' >cycles
	printf '2\tm\t-\t-\t-\t50\n2\tm\tk\t1\t2\t100\n2\tm\tk\t1\t4\t-\n' >>cycles
	awk -f "$root/plots/validate/sensitivity.awk" measured records cycles | cut -f 2- >got
	printf 'm\t-\t-\t-\t2\t0.00\t10.00\t0.00\nm\tk\t1\t2\t2\t100.00\t120.00\t110.00\n' >want
	printf 'm\tk\t1\t4\t2\trefused\t-\t-\n' >>want
	diff want got
	sed -i 's/110$/-/' cycles
	expect 1 "record 1 does not run on m" awk -f "$root/plots/validate/sensitivity.awk" measured records cycles
	expect 2 "no row of sensitivity.tsv is left" "$root/plots/validate/sensitivity" -r nothing "$tools"
	expect 2 "usage: plots/validate/sensitivity" "$root/plots/validate/sensitivity"
}

@test "bench: how many times as fast as Accel-Sim, where its rates are given" {
	mkdir -p b/bench
	ln -s "$tools/bin" b/bin
	# Each replay takes half a second here.
	printf '#!/bin/sh\nout=$1\nshift\n"$@" && printf "0.5\\t10\\n" >>"$out"\n' >b/bench/bench_run
	chmod +x b/bench/bench_run
	printf '# workload\tcommand\tcycles\tcycles_per_second\nnnc\tx\t2000\t100\nscan\tx\t9000\t200\n' >rates
	BENCH_RUNS=1 ACCEL=rates "$root/tests/bench/accel.sh" b >out
	[ "$(wc -l <out)" = 14 ]
	[ "$(awk '$1 == "nnc" { print $2, $3, $4, $5, $6 }' out)" = "44000 0.500 0.09 20.0 40.0" ]
	[ "$(awk '$1 == "scan" { print $5, $6 }' out)" = "45.0 90.0" ]
	[ "$(awk '$1 == "mean" { print $6 }' out)" = 60.0 ]
	printf '# workload\tcommand\tcycles\tipc\nnnc\tx\t2000\t1\n' >rates
	BENCH_RUNS=1 ACCEL=$PWD/rates "$root/tests/bench/accel.sh" b >out
	grep -q "'$PWD/rates' has no rates of Accel-Sim" out
	[ "$(awk '$1 == "mean" { print $6 }' out)" = - ]
	ACCEL=nowhere expect 1 "cannot read '$PWD/nowhere'" "$root/tests/bench/accel.sh" b
}
