#!/usr/bin/env bats
# The regression table's rows; tests/unit/test_regression.c runs them.
load helper

levels() {
	awk -F '\t' -v column="$1" '$1 == column { print $2 }' "$root/tests/regression/levels.tsv"
}

@test "any two levels stand together in a row" {
	local cover=$root/tests/regression/cover levels=$root/tests/regression/levels.tsv
	"$cover" "$levels" "$root/tests/regression/results.tsv" >rows
	diff /dev/null rows
	grep -v '	daws	fixed:8	' "$root/tests/regression/results.tsv" >fewer
	"$cover" "$levels" fewer >rows
	grep '	daws	fixed:8	' rows
	[ "$(wc -l <rows)" -lt 20 ]
	cat rows >>fewer
	"$cover" "$levels" fewer >rows
	diff /dev/null rows
}

@test "no run has two rows, as a merge of two branches can leave them" {
	cut -f 1-6 "$root/tests/regression/results.tsv" | sort >runs
	[ "$(wc -l <runs)" -gt 300 ]
	uniq -d runs >twice
	diff /dev/null twice
}

@test "every machine, scheduler, warp policy and priority is among the levels" {
	# Today's machines, which build on v100, stand in plots/validate/results.tsv instead.
	(cd "$root/datasets/machines" && grep -L '^base = \(v100\|rtx3070\)' *.ini) | sed 's/\.ini$//' | grep -vx v100 |
		sort >want
	levels machine | sort | diff want -
	for column in scheduler warp priority; do
		trace-replay "--$column=help" --format=tsv >help
		column help name | sort -u >want
		[ -s want ]
		levels "$column" | sed 's/:.*//; /^-$/d' | sort -u | diff want -
	done
}

@test "no row is refused, and every figure is there" {
	awk -F '\t' 'NF != 22 || $NF !~ /^[0-9a-f]+$/ { if (FNR > 1) { print; bad = 1 } }
		END { exit bad }' "$root/tests/regression/results.tsv"
	# Each class of cycles, and the misses, tell rows apart.
	awk -F '\t' 'FNR > 1 { for (i = 7; i <= NF; i++) if (!(i SUBSEP $i in seen)) {
			seen[i, $i]; n[i]++ } }
		END { for (i = 7; i <= NF; i++) if (n[i] < 30) { print "column", i, n[i]; bad = 1 }
			exit bad }' "$root/tests/regression/results.tsv"
}
