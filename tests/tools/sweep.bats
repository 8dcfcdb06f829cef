#!/usr/bin/env bats
# Every tool with its N-th allocation, write or call on the file system failing, for each N in turn
# (SLOW=1), or for the first ones and ever sparser ones after them. What a run must show: an exit
# status of 1 or 2 with a sentence and nothing left in the folder; or the output of a run in which
# nothing failed, where a library could do without.
load helper

setup_file() {
	build_fail
}

eval "$(declare -f setup | sed '1s/setup/helper_setup/')"
setup() {
	helper_setup
	bare
}

# said TOOL: stderr is sentences of the tool.
said() {
	local line n=0

	while IFS= read -r line; do
		[[ $line == "$1: "?* ]] || return 1
		n=$((n + 1))
	done <../stderr
	[ "$n" -gt 0 ]
}

# once TO NAME VALUE COMMAND...: a run in this empty folder, with what the option in $option names in
# the file out (TO file) or on standard output (TO stdout); and what the run must show.
once() {
	local to=$1 name=$2 value=$3 status=0 left why= where=out
	shift 3
	[ "$to" = file ] || where=-
	env "$name=$value" LD_PRELOAD="$fail" "$@" "$option" $where >../got 2>../stderr || status=$?
	left=$(echo *)
	case $status in
	0)
		if [ "$to" = stdout ]; then
			cmp -s ../got ../want || why="another output"
		elif [ "$left" != out ] || ! diff -r out ../want >/dev/null; then
			why="another output"
		fi
		;;
	1 | 2)
		[ "$left" = '*' ] || { [ -n "${whole:-}" ] && cmp -s out ../want; } || why="$left is left"
		said "$1" || why="no sentence"
		;;
	*)
		why="exit status $status"
		;;
	esac
	rm -rf -- *
	[ -n "$why" ] || return 0
	echo "$name=$value, to $to: $*: $why"
	cat ../stderr
	return 1
}

# sweep OPTION COMMAND...: with whole=1 there is a further output after this one, which may be there,
# whole, when that one fails. All kinds of failures, until the command meets none any more.
sweep() {
	local kinds=(FAIL_ALLOC FAIL_WRITE FAIL_CALL) option=$1 counts k n to bad=0
	local sparse=${SAN:+2}
	sparse=${sparse:-5}
	shift

	rm -rf d want && mkdir d && cd d
	FAIL_COUNT=../count LD_PRELOAD=$fail "$@" "$option" ../want >/dev/null
	read -ra counts <../count
	[ "${counts[0]}" -gt 0 ] || { cd .. && skip "nothing comes between this build and its calls"; }
	for k in 0 1 2; do
		for ((n = 1; n <= counts[k]; n += SLOW ? 1 : 1 + n / sparse)); do
			for to in ${to_list:-file stdout}; do
				once $to "${kinds[k]}" $n "$@" || bad=$((bad + 1))
			done
		done
	done
	cd ..
	[ "$bad" -eq 0 ]
}

@test "trace-gen, a workload" {
	asan
	sweep -o trace-gen bfs --set nodes=64,degree=3
}

@test "trace-gen, a kernel of one's own" {
	asan
	ptx 'shl.b32 %r6, %r2, 2;
	cvt.u64.u32 %rd2, %r6;
	add.s64 %rd3, %rd1, %rd2;
	st.global.u32 [%rd3], %r2;' >k.ptx
	sweep -o trace-gen --ptx ../k.ptx --entry k --grid 2 --block 32 --arg x=buf:256 --arg u32:64
}

@test "trace-gen, the list" {
	asan
	sweep -o trace-gen --list --format=tsv
}

@test "trace-info" {
	asan
	small
	trace-coalesce small.wt -o a.wt
	sweep -o trace-info --by pc --format=tsv ../small.wt
	sweep -o trace-info ../small.wt
	sweep -o trace-info ../a.wt
}

@test "trace-coalesce" {
	asan
	small
	sweep -o trace-coalesce ../small.wt
	sweep -o trace-coalesce --by pc --format=json ../small.wt
}

@test "trace-locality" {
	asan
	small
	trace-coalesce small.wt -o a.wt
	sweep -o trace-locality --cache 4K:128:2 --by buffer ../a.wt
	sweep -o trace-locality --reuse --format=tsv ../a.wt
	sweep -o trace-locality --daws-profile ../a.wt
}

@test "trace-belady" {
	asan
	small
	trace-coalesce small.wt -o a.wt
	sweep -o trace-belady --cache 4K:128:2 --policy opt,opt-bypass,lru,fifo,random --by pc ../a.wt
	sweep -o trace-belady --curve --ways 4 ../a.wt
}

@test "trace-convert" {
	asan
	small
	trace-coalesce small.wt -o a.wt
	trace-convert -q --to accel-sim -o k small.wt
	sweep -o trace-convert --to din --sm 0 ../a.wt
	sweep -o trace-convert ../k
	to_list=file sweep -o trace-convert --to accel-sim ../small.wt
	trace-convert -q --to din --sm 0 a.wt -o a.din
	sweep -o trace-convert --from din ../a.din
}

@test "trace-replay" {
	asan
	small
	trace-coalesce small.wt -o a.wt
	trace-locality --daws-profile a.wt -o p
	sweep -o trace-replay --stats l1d --format=tsv ../small.wt
	sweep -o trace-replay --stats buffer -s daws:profile=../p ../small.wt
	whole=1 sweep --access-stream trace-replay --no-provenance -o /dev/null ../small.wt
	sweep -o trace-replay -j 1 --compare gto,ccws --best-swl --limits 2,4 ../small.wt
	sweep -o trace-replay --machine=help
}

@test "trace-replay, the warp policies" {
	asan
	small
	for warp in $(trace-replay --warp=help --format=tsv | column - name | sort -u); do
		to_list=stdout sweep -o trace-replay --warp $warp ../small.wt
	done
}
