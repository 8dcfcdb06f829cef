#!/usr/bin/env bats
# What is asked for and cannot be: refused with 2 before a byte is written; and what a stream says of
# itself gives way to what its reader is told.
load helper

# refused TEXT COMMAND...: with nothing on standard output.
refused() {
	expect 2 "$@"
	[ ! -s stdout ]
}

@test "options that contradict each other" {
	small
	trace-coalesce small.wt -o a.wt
	for tool in "gen bfs" "info small.wt" "coalesce small.wt" "locality a.wt" "belady a.wt" \
		"convert --to text a.wt" "replay small.wt"; do
		refused "--quiet and --verbose do not go together" trace-$tool -q -v
	done
	for pair in "--check --dump" "--dump --check" "--decode --check" "--dump --decode"; do
		refused "--check, --dump and --decode do not go together" trace-info $pair small.wt
	done
	for mode in --check --dump --decode; do
		refused "--by is of the table" trace-info $mode --by pc small.wt
		refused "--format is of the table" trace-info --format=json $mode small.wt
	done
	refused "print nothing: there is no --output" trace-info --check -o x small.wt
	refused "print nothing: there is no --output" trace-info --decode -o x small.wt
	[ ! -e x ]
	refused "--format is of --list" trace-gen bfs --format=tsv
	for option in "--ptx k.ptx" "--entry k" "--set nodes=5" "--graph g" "--matrix m" "--resident tbc" \
		"--memcheck=ff" "--oob warn" "--kernel k" "--run ./none"; do
		refused "--list runs nothing" trace-gen --list $option
		refused "--parse-only runs nothing" trace-gen --parse-only $option k.ptx
	done
	refused "--format is of the table" trace-coalesce --format=tsv small.wt
	refused "--space is of the stream" trace-coalesce --space global --summary small.wt
	refused "--space is of the stream" trace-coalesce --by pc --space global small.wt
	for option in "--events e.tsv" "--timeline t.tsv" "--launch 3 --cta 2" "--max-insts 5"; do
		refused "--stats=storage replays nothing" trace-replay --stats=storage -s gto $option
	done
	for format in din text accel-sim; do
		refused "--listing does not go with --to" trace-convert --to $format --listing k.sass -o x a.wt
	done
	for option in "--cache unbounded" "--index hash" "--write evict"; do
		refused "--divergence is of requests" trace-locality --divergence $option a.wt
	done
}

@test "a part that is not there: nothing is written before that is said" {
	small
	trace-coalesce small.wt -o a.wt
	text="no CTA of the stream's 12 launches is in the part asked for"
	for part in "--launch 99" "--cta 99" "--launch 12-4294967294" "--launch 0 --cta 5-7"; do
		for command in trace-info "trace-info --dump" "trace-info --format=tsv" trace-coalesce \
			"trace-coalesce --summary --format=json" trace-replay "trace-replay --format=tsv" \
			"trace-replay --compare gto --format=json" "trace-replay --access-stream -" \
			"trace-replay --timeline -"; do
			refused "$text" $command $part small.wt
		done
		for command in trace-info "trace-info --dump" trace-locality "trace-locality --format=tsv" \
			"trace-belady --format=json" "trace-convert --to text" "trace-convert --to din --sm 0"; do
			refused "$text" $command $part a.wt
		done
	done
	refused "there is no SM 99" trace-convert --to text --sm 99 a.wt
	refused "choose one with --sm" trace-convert --to din a.wt
	refused "nodes=1 is outside" trace-gen bfs --set nodes=1
	refused "matmul takes no graph" trace-gen matmul --graph small.wt
	refused "is an access stream" trace-info --by pc a.wt
	expect 1 "cannot open 'nowhere': No such file or directory" trace-gen bfs --graph nowhere
	[ ! -s stdout ]
}

@test "a cache in the header that cannot be does not matter to whom it is not asked of" {
	small
	trace-coalesce small.wt -o a.wt
	gcc -std=c11 -D_GNU_SOURCE -I"$root" "$root/tests/tools/geometry.c" \
		"${WARPTRACE_BUILD:-$root/build}/libwarptrace.a" ${SAN:+-fsanitize=$SAN} -lzstd -lxxhash \
		-o geometry
	./geometry 3 5 <a.wt >odd.wt
	for command in "trace-belady --cache 32K:128:8" "trace-belady --cache unbounded" \
		"trace-locality --cache 32K:128:8" "trace-locality --cache unbounded --by pc" \
		"trace-locality --reuse" "trace-locality --divergence" "trace-locality --daws-profile"; do
		$command <a.wt >want
		[ -s want ]
		$command <odd.wt | cmp - want
	done
	trace-info odd.wt >about
	[ -s about ]
	for tool in locality belady; do
		expect 1 "cannot read 'odd.wt': its replay's cache '1920:128:5'" trace-$tool odd.wt
		[ ! -s stdout ]
	done
}

@test "what a person types is understood, or told what to type" {
	small
	refused "there is no option '--macine', did you mean '--machine'?" trace-replay --macine tbc small.wt
	refused "there is no option '--lanch', did you mean '--launch'?" trace-info --lanch=3 small.wt
	refused "there is no option '--zzzzzz': --help lists them" trace-gen --zzzzzz bfs
	# An argument is none, and neither is what comes after --.
	trace-replay -o --macine small.wt
	[ -s ./--macine ]
	expect 1 "cannot open '--macines'" trace-info -- --macines || expect 1 "'--macines'" trace-info -- --macines
	trace-replay --mach=tbc --columns machine --no-header --format=tsv small.wt | sort -u | grep -qx tbc
	# A width of fixed warps.
	trace-replay -w 16 --format=tsv small.wt | grep -v '^#' >number
	trace-replay -w fixed:16 --format=tsv small.wt | grep -v '^#' | cmp - number
	# Sizes with their unit, several settings at a time.
	for set in "l1d.size=16KB --set l1d.ways=8" "l1d.size=16KiB,l1d.ways=8" "l1d.size=16k,l1d.ways=8"; do
		trace-replay --set $set --format=tsv small.wt | column - cycles >cycles
		trace-replay --set l1d.size=16384 --set l1d.ways=8 --format=tsv small.wt | column - cycles | cmp - cycles
	done
	refused "'16KX' is no number" trace-replay --set l1d.size=16KX small.wt
	refused "'16K,8' is no number; trace-sweep --vary takes several" trace-replay --set l1d.size=16K,8 small.wt
	trace-coalesce small.wt -o a.wt
	trace-belady --cache 16KB:128:4 --format=tsv a.wt | grep -v '^#' >b
	trace-belady --cache 16K:128:4 --format=tsv a.wt | grep -v '^#' | cmp - b
	expect 0 "swl:limit=99 limits nothing: an SM has 32 warps" trace-replay -s swl:limit=99 small.wt
	printf '[l1d]\nsize = 16K\n' >mine.ini
	expect 0 "'mine.ini' names no base: what it leaves out is as on the ccws machine" trace-replay -v -m mine.ini small.wt
	trace-replay -m ccws --set=help --format=tsv --no-provenance >ccws
	printf '#\n' >empty.ini
	trace-replay -m empty.ini --set=help --format=tsv --no-provenance | cmp - ccws
}
