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
	} >data/hardware/h100-kernels.tsv
	nnc='nnc\ttrace-gen nnc --set files=1,records=8000\t2192\t20.07\t65500\t79.4\t10500\t0.0\t10500\n'
	printf '# made up\nscan\ttrace-gen scan --set n=1024\t5000\t1\t300\t10.0\t300\t40.0\t128\n'"$nnc" >data/accel-sim-results.tsv
	"$root/plots/validate/run" data "$tools" >rows
	[ "$(cut -f 1 rows | sort | uniq -c | awk '{ print $2 $1 }' | tr '\n' ' ')" = \
		"accel-sim-v10014 chase15 h100-cuda-sdk1 h100-empty1 h100-polybench1 set1 " ]
	awk -F '\t' '$1 == "chase" && ($6 < 0.97 || $6 > 1.03) { exit 1 }' rows
	awk -F '\t' '$1 == "h100-empty" && ($6 < 0.9 || $6 > 1.1) { exit 1 }' rows
	awk -F '\t' '$2 == "scan" && $3 == "dram_reads" && ($5 < 128 || $5 > 140) { exit 1 }' rows
	# Accel-Sim ran this one as it was compiled then: the record that is kept of it has its instructions.
	awk -F '\t' '$2 == "nnc" && $3 == "warp_insts" { n++; if ($6 < 0.999 || $6 > 1.001) exit 1 }
		$2 == "nnc" && $3 ~ /^l1_/ && $4 != $5 { exit 1 }
		END { if (n != 1) exit 1 }' rows
	"$root/plots/validate/summary.awk" rows >sums
	# Half of scan's reads are of lines that it has.
	awk -F '\t' '$2 == "scan" && $3 == "l2_hit" && ($5 < 40 || $5 > 60) { exit 1 }' rows
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
		END { if (n != 1) exit 1 }' rows
	[ "$(awk -F '\t' '$1 == "chase" && $2 == "l2" { print $4 }' sums)" = 5 ]
	[ "$(awk -F '\t' '$1 == "h100-empty" { print $3 }' sums)" = yes ]
}
