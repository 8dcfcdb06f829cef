#!/usr/bin/env bats
# Several FILEs: one table, in which each row says whose it is.
load helper

setup_file() {
	cd "$BATS_FILE_TMPDIR" || return 1
	PATH=$PATH:${WARPTRACE_TOOLS:-${WARPTRACE_BUILD:-$BATS_TEST_DIRNAME/../../build}}/bin
	trace-gen -q bfs --set nodes=500 -o a.wt
	trace-gen -q spmv-scalar --set rows=256 -o b.wt
	trace-coalesce -q a.wt -o a.at
	trace-coalesce -q b.wt -o b.at
	# Of several launches, as a.wt is.
	trace-gen -q bfs --set nodes=64,degree=3 -o c.wt
	trace-coalesce -q c.wt -o c.at
}

# one TOOL OPTION... -- FILE...: the table of all is that of each, its record in front.
one() {
	local call=()
	while [ "$1" != -- ]; do
		call+=("$1")
		shift
	done
	shift
	"${call[@]}" -q --no-provenance --format=tsv "$@" -o all
	{
		printf 'record\t'
		"${call[@]}" -q --no-provenance --format=tsv "$1" | head -n 1
		for file; do
			"${call[@]}" -q --no-provenance --format=tsv --no-header "$file" | sed "s/^/$file\t/"
		done
	} | diff - all
	[ "$(wc -l <all)" -gt 2 ]
}

@test "the table of several is that of each, one after the other" {
	cp "$BATS_FILE_TMPDIR"/*.?t .
	one trace-info -- a.wt c.wt
	one trace-info --by line --total -- b.wt a.wt
	one trace-info --by tree -- a.wt b.wt
	one trace-info -- a.at c.at
	one trace-coalesce --summary -- a.wt c.wt
	one trace-coalesce --by pc -- a.wt b.wt a.wt
	one trace-locality -- a.at b.at
	one trace-locality --by buffer -- a.at b.at
	one trace-belady --curve --ways 4 -- a.at b.at
	one trace-replay -m k20c -- a.wt c.wt
	one trace-replay --stats=line --total -- a.wt b.wt
	one trace-replay --compare gto,lrr -- a.wt b.wt
}

# totals FIGURE TOOL OPTION...: of b.wt, which has one launch, and of a.wt there are totals.
totals() {
	local figure=$1
	shift
	"$@" -q --format=tsv --no-header --columns "launch,$figure" b.wt >b
	[ "$(cut -f 1 b)" = 0 ]
	"$@" -q --format=tsv --no-header --columns "launch,$figure" a.wt | tail -n 1 >a
	{
		printf 'b.wt\ttotal\t%s\n' "$(cut -f 2 b)"
		printf 'a.wt\t%s\n' "$(cat a)"
	} >want
	"$@" -q --format=tsv --no-header --columns "record,launch,kernel,$figure" b.wt a.wt |
		awk -F '\t' -v OFS='\t' '$2 == "total" && $3 == "total" { print $1, $2, $4 }' | diff want -
}

@test "each of several has its total, whatever launches it has" {
	cp "$BATS_FILE_TMPDIR"/*.?t .
	totals thread_insts trace-info
	totals cycles trace-replay
	totals transactions trace-coalesce --summary
	[ "$(trace-info -q --format=tsv --no-header --columns record,launch,accesses b.at a.at | grep total | cut -f 1 | tr '\n' ' ')" = \
		"b.at a.at " ]
}

@test "rows of all are sorted together, and totals stay last" {
	cp "$BATS_FILE_TMPDIR"/*.wt .
	trace-info -q --by line --total --format=tsv --no-header --sort thread_insts --top 3 \
		--columns record,thread_insts a.wt b.wt >top
	for file in a b; do
		trace-info -q --by line --total --format=tsv --no-header --columns thread_insts $file.wt |
			sed "s/^/$file.wt	/"
	done | sort -t "$(printf '\t')" -k 2,2nr | head -n 3 | diff - top
	trace-info -q --format=tsv --no-header --sort thread_insts --columns launch a.wt b.wt |
		tail -n 1 | grep -qx total
}

@test "JSON has each row's own workload and provenance" {
	cp "$BATS_FILE_TMPDIR"/*.wt .
	trace-info --format=json b.wt a.wt >all.json
	[ "$(grep -o '"workload":"[^"]*"' all.json | uniq | tr '\n' ' ')" = \
		'"workload":"spmv-scalar" "workload":"bfs" ' ]
	[ "$(grep -c '"record":"b.wt".*"provenance":."trace-gen [0-9.]* spmv-scalar' all.json)" = \
		"$(grep -c '"record":"b.wt"' all.json)" ]
	[ "$(head -n 1 all.json)" = "[" ] && [ "$(tail -n 1 all.json)" = "]" ]
}

@test "one that is bad leaves nothing, and is named" {
	cp "$BATS_FILE_TMPDIR"/*.?t .
	head -c 500 b.wt >cut.wt
	expect 1 "cannot read 'cut.wt'" trace-info --format=tsv a.wt cut.wt -o t
	[ ! -e t ]
	expect 1 "cannot read 'cut.wt'" trace-info --check a.wt cut.wt
	trace-info --check a.wt b.wt
	trace-info -q --format=tsv a.wt cut.wt >out 2>said || :
	[ ! -s out ]
	expect 2 "'a.at' makes another table than 'a.wt'" trace-info a.wt a.at
	expect 2 "'-' is one of several FILEs" trace-replay a.wt -
	expect 2 "--access-stream, --timeline and --events are of one FILE" \
		trace-replay --timeline t.tsv a.wt b.wt
	expect 2 "takes no FILE" trace-replay --stats=storage a.wt b.wt
}

@test "one FILE has the column record as well, where it is asked for" {
	cp "$BATS_FILE_TMPDIR"/*.wt .
	trace-info -q --format=tsv --no-provenance a.wt | sed '1s/^/record\t/; 1!s/^/a.wt\t/' >want
	columns=$(head -n 1 want | tr '\t' ,)
	trace-info -q --format=tsv --no-provenance --columns "$columns" a.wt | diff want -
	trace-replay -q --format=tsv --no-provenance --columns cycles,record a.wt |
		grep -qx "[1-9][0-9]*	a.wt"
	trace-info -q --format=tsv --sort record a.wt | grep -q '	bfs_visit	'
	trace-info -q --format=json --columns record,kernel a.wt | grep -q '"record":"a.wt"'
	# Standard input has no name.
	expect 2 "the table has no column 'record'" trace-info --columns record - <a.wt
	expect 2 "the table has no column 'records'" trace-info --columns records a.wt
}
