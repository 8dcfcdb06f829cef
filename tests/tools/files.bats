#!/usr/bin/env bats
# What all tools do with files: outputs that are whole or not there, what signals leave, inputs that
# are never written, sentences that name a file and the reason.
load helper

setup_file() {
	build_fail
}

# All that end a program and can be caught; a sanitizer has three for itself.
signals="HUP INT QUIT ILL TRAP ABRT USR1 USR2 PIPE ALRM TERM XCPU VTALRM PROF IO PWR SYS"
[ -n "${SAN:-}" ] || signals+=" BUS FPE SEGV"

eval "$(declare -f setup | sed '1s/setup/helper_setup/')"
setup() {
	helper_setup
	bare
}

# writing OPTION...: trace-coalesce in the background, with out half written; $pid.
writing() {
	[ -p pipe ] || mkfifo pipe
	env --default-signal=INT,QUIT "$@" trace-coalesce -o out <pipe 2>stderr &
	pid=$!
	exec 7<>pipe # which does not wait for a reader
	head -c 3000 small.wt >&7
	# It has its outputs when it waits for more to read: S from now on.
	for ((i = 0; i < 500; i++)); do
		sleep 0.01
		grep -q '^trace.*) S' <(cut -d '(' -f 2 /proc/$pid/stat) && break
	done
}

# ended STATUS: how it ended.
ended() {
	local status=0
	for ((i = 0; i < 500; i++)); do
		[ "$(cut -d ' ' -f 3 /proc/$pid/stat 2>/dev/null || echo Z)" != Z ] || break
		sleep 0.01
	done
	exec 7>&-
	wait $pid 2>/dev/null || status=$?
	[ "$status" -eq "$1" ]
}

# limited BYTES COMMAND...: no file may grow longer.
limited() {
	{ prlimit --fsize="$1" "${@:2}" 2>&1 >&3 | cat >&2; } 3>&1
	return "${PIPESTATUS[0]}"
}

@test "no signal leaves anything beside the output, and SIGKILL neither" {
	small
	for signal in $signals KILL; do
		writing A=
		kill -$signal $pid
		ended $((128 + $(kill -l $signal)))
		[ "$(echo out*)" = 'out*' ] || { echo "after $signal: $(echo out*)" && false; }
	done
}

@test "where a file must have a name, every signal but SIGKILL removes it" {
	small
	asan
	for signal in $signals; do
		writing FAIL_NAMELESS=1 LD_PRELOAD="$fail"
		ls out* >name || skip "nothing comes between this build and its calls"
		[ "$(cat name)" = "out.tmp-$pid" ]
		kill -$signal $pid
		ended $((128 + $(kill -l $signal)))
		[ "$(echo out*)" = 'out*' ] || { echo "after $signal: $(echo out*)" && false; }
	done
	writing FAIL_NAMELESS=1 LD_PRELOAD="$fail"
	kill -KILL $pid
	ended 137
	[ "$(ls out*)" = "out.tmp-$pid" ]
}

@test "an output replaces a file when it is whole: its mode stays, and links to it stay links" {
	small
	asan
	for named in A= "FAIL_NAMELESS=1 LD_PRELOAD=$fail"; do
		mkdir -p dir/sub
		echo old >dir/real
		chmod 640 dir/real
		ln -sf ../real dir/sub/link
		ln -sf dir/sub/link link
		env $named trace-info small.wt -o link
		[ "$(readlink link)" = dir/sub/link ]
		[ "$(readlink dir/sub/link)" = ../real ]
		[ "$(stat -c %a dir/real)" = 640 ]
		trace-info small.wt | cmp - dir/real
		ln -s dir/new dangling
		env $named trace-info small.wt -o dangling
		[ -L dangling ]
		cmp dir/real dir/new
		[ "$(cd dir && echo *)" = 'new real sub' ]
		rm -r dir dangling
	done
	ln -s loop loop
	expect 1 "cannot write 'loop': Too many levels of symbolic links" trace-info small.wt -o loop
	expect 1 "cannot write 'no/where': No such file or directory" trace-info small.wt -o no/where
	expect 1 "cannot write '.': Is a directory" trace-info small.wt -o .
}

@test "a name may be as long as names are" {
	small
	asan
	printf -v long '%0255d' 0
	for named in A= "FAIL_NAMELESS=1 LD_PRELOAD=$fail"; do
		env $named trace-info small.wt -o $long
		trace-info small.wt | cmp - $long
		env $named trace-info small.wt -o $long
		trace-info small.wt | cmp - $long
		rm $long
		env $named trace-convert -q --to accel-sim small.wt -o $long
		[ -s $long/kernelslist.g ]
		rm -r $long
	done
	[ "$(echo *)" = "small.wt stderr stdout" ] || [ "$(echo *)" = small.wt ]
	expect 1 "${long}0': File name too long" trace-info small.wt -o ${long}0
}

@test "a pipe and a device are written as they are" {
	small
	trace-info small.wt >want
	mkfifo pipe
	timeout 20 cat pipe >got &
	trace-info small.wt -o pipe
	wait
	cmp got want
	[ -p pipe ]
	trace-info small.wt -o /dev/null
	[ -c /dev/null ]
	# As /dev/stdout, whose link must not be at stake here.
	ln -s /proc/self/fd/1 stdout-link
	trace-info small.wt -o stdout-link >got
	cmp got want
	[ -L stdout-link ]
	trace-info small.wt -o stdout-link | cmp - want
}

@test "temporary files are where TMPDIR says" {
	small
	trace-convert -q --to accel-sim small.wt -o k
	mkdir t
	cat k/kernel-1.traceg | TMPDIR=$PWD/t trace-convert -q -o a.wt
	trace-convert -q k/kernel-1.traceg -o b.wt
	trace-info --check a.wt
	[ "$(echo t/*)" = 't/*' ]
	expect 1 "cannot make a temporary file in '/no/where': No such file or directory" \
		bash -c 'cat k/kernel-1.traceg | TMPDIR=/no/where trace-convert'
	asan
	cat k/kernel-1.traceg | TMPDIR=$PWD/t FAIL_NAMELESS=1 LD_PRELOAD=$fail trace-convert -q -o b.wt
	cmp a.wt b.wt
	[ "$(echo t/*)" = 't/*' ]
}

@test "what is read is not written, in every tool" {
	small
	trace-coalesce small.wt -o a.wt
	trace-convert -q --to accel-sim small.wt -o k
	trace-locality --daws-profile a.wt -o p.tsv
	trace-convert --to din --sm 0 a.wt -o a.din
	ptx '' >k.ptx
	printf '1 2\n2 1\n' >g.txt
	head -c 256 /dev/zero >x.bin
	cp "$root/datasets/machines/ccws.ini" m.ini
	for f in small.wt a.wt k/kernel-1.traceg p.tsv a.din k.ptx g.txt x.bin m.ini; do
		cp $f before
		ln -s $f soft
		ln $f hard
		case $f in
		small.wt)
			set -- "trace-info $f" "trace-info --dump $f" "trace-coalesce $f" "trace-replay $f" \
				"trace-convert --to accel-sim $f" "trace-replay --compare gto $f" \
				"trace-info soft" "trace-info hard"
			;;
		a.wt) set -- "trace-info $f" "trace-locality $f" "trace-belady $f" "trace-convert --to din --sm 0 $f" ;;
		k/*) set -- "trace-convert $f" "trace-convert k" ;;
		p.tsv) set -- "trace-replay -s daws:profile=$f small.wt" ;;
		a.din) set -- "trace-convert --from din $f" ;;
		k.ptx) set -- "trace-gen --ptx $f --entry k --grid 1 --block 1 --arg x=buf:8 --arg u32:1" ;;
		g.txt) set -- "trace-gen bfs --graph $f" ;;
		x.bin) set -- "trace-gen --ptx k.ptx --entry k --grid 1 --block 1 --arg x=file:$f --arg u32:1" ;;
		m.ini) set -- "trace-replay -m $f small.wt" "trace-coalesce --machine $f small.wt" "trace-gen bfs --resident $f" ;;
		esac
		for command; do
			for out in $f soft hard; do
				expect 2 "is both input and output" $command -o $out
				cmp $f before
				[ -L soft ]
			done
		done
		rm soft hard
	done
	cp small.wt before
	expect 2 "is both input and output" bash -c 'trace-info -o small.wt <small.wt'
	expect 2 "is both input and output" bash -c 'trace-info small.wt >>small.wt'
	expect 2 "is both input and output" bash -c 'trace-replay small.wt --timeline small.wt'
	expect 2 "is both input and output" bash -c 'trace-replay small.wt --access-stream small.wt'
	expect 2 "is both input and output" trace-gen --ptx k.ptx --entry k --grid 1 --block 1 \
		--arg x=buf:8 --arg u32:1 --dump x=k.ptx -o t.wt
	cmp small.wt before
	[ ! -e t.wt ]
}

@test "nothing is written twice" {
	ptx '' >k.ptx
	k=(trace-gen --ptx k.ptx --entry k --grid 1 --block 1 --arg x=buf:8 --arg y=buf:8)
	sed -i 's/u32 n)/u64 n)/; /param.u32/d' k.ptx
	"${k[@]}" --dump x=x --dump y=y -o t.wt
	rm t.wt x y
	expect 2 "'x' is to be written twice" "${k[@]}" --dump x=x --dump y=x -o t.wt
	expect 2 "'x' is to be written twice" "${k[@]}" --dump x=./x -o x
	expect 2 "standard output is to be written twice" "${k[@]}" --dump x=- --dump y=- -o t.wt
	expect 2 "standard output is to be written twice" "${k[@]}" --dump x=-
	[ ! -s stdout ]
	[ ! -e x ]
	[ ! -e t.wt ]
}

@test "a full disk: a sentence with the name and the reason, from every tool" {
	small
	trace-coalesce small.wt -o a.wt
	for command in "trace-gen bfs --set nodes=64" "trace-gen --list" "trace-info small.wt" \
		"trace-info --dump small.wt" "trace-info a.wt" "trace-coalesce small.wt" \
		"trace-coalesce --summary small.wt" "trace-locality a.wt" "trace-belady a.wt" \
		"trace-convert --to text a.wt" "trace-convert --from addr addresses" "trace-replay small.wt" \
		"trace-replay --compare gto,lrr small.wt" "trace-replay --machine=help"; do
		echo 100 >addresses
		expect 1 "cannot write standard output: No space left on device" bash -c "$command >/dev/full"
		expect 1 "cannot write standard output: Bad file descriptor" bash -c "$command >&-"
		expect 1 "cannot write '/dev/full': No space left on device" $command -o /dev/full
		expect 1 "cannot write 'out': File too large" limited 20 $command -o out
		[ ! -e out ]
	done
	for tool in gen info coalesce locality belady convert replay; do
		expect 1 "cannot write standard output: No space left on device" \
			bash -c "trace-$tool --help >/dev/full"
	done
	expect 1 "cannot write 'k/kernel-1.traceg': File too large" \
		limited 20 trace-convert --to accel-sim small.wt -o k
	expect 1 "cannot write '/dev/full': No space left on device" \
		trace-replay --access-stream /dev/full small.wt
	expect 1 "cannot write standard output: No space left on device" \
		bash -c 'trace-replay --access-stream - small.wt >/dev/full'
	expect 1 "cannot write '/dev/full': No space left on device" \
		trace-replay --timeline /dev/full small.wt
	# The reason is that of the write that failed, however long ago that was.
	trace-gen bfs --set nodes=3000 -o b.wt
	expect 1 "cannot write 'out': File too large" limited 100000 trace-info --dump b.wt -o out
	[ ! -e out ]
	[ ! -e k ]
}
