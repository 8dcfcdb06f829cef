#!/usr/bin/env bats
# The tools that are scripts are held to what the others are: whatever fails, the old output stays or a
# whole new one is there, and the status is not 0 unless it is the new one. SLOW=1 tries every point.
load helper

setup_file() {
	${CC:-gcc} -O1 -D_GNU_SOURCE -o "$BATS_FILE_TMPDIR/nth" "$BATS_TEST_DIRNAME/nth.c"
	export nth=$BATS_FILE_TMPDIR/nth
	cd "$BATS_FILE_TMPDIR" || return 1
	PATH=${WARPTRACE_BUILD:-$BATS_TEST_DIRNAME/../../build}/bin:$PATH
	trace-gen -q bfs --set nodes=64,degree=3 -o in.wt
	printf 'x\ty\nb\t2\na\t1\n' >t.tsv
}

eval "$(declare -f setup | sed '1s/setup/helper_setup/')"
setup() {
	helper_setup
	bare
	cp "$BATS_FILE_TMPDIR"/{in.wt,t.tsv} .
	mkdir tmp
	export TMPDIR=$PWD/tmp
}

# outputs FOLDER: their names, without what sweeps keep to go on.
outputs() {
	(cd "$1" && find . -type f ! -path './*runs/*' ! -path './traces/*' ! -path './new/*' ! -name lock ! \
		-name made-with | sort)
}
# one FILE FILE: they are there, and the same but for the names of scratch folders and the time of a PDF.
one() {
	[ -e "$1" ] || return
	[ -e "$2" ] && cmp --silent <(plain "$1") <(plain "$2")
}
plain() {
	sed 's|/tmp\.[A-Za-z0-9]*/|/tmp/|g; s|CreationDate (D:[0-9]*|CreationDate (|' "$1"
}
# judge STATUS: what a run left in d, a copy of old, where a run that nothing disturbs would leave new.
judge() {
	local file before=old
	[ "$1" != 0 ] || before=none
	while IFS= read -r file; do
		one "$before/$file" "d/$file" || one "new/$file" "d/$file" ||
			{ echo "status $1, and $file is not what it may be" && return 1; }
	done < <({ outputs d && outputs $([ "$1" = 0 ] && echo new || echo old); } | sort -u)
}

# clean: nothing is left in the folder for temporary files.
clean() {
	[ "$(ls -A tmp)" = "" ] || { echo "left: $(ls -A tmp)" && rm -rf tmp/* && return 1; }
}

# fails POINTS COMMAND...: the command, in d, with its N-th call failing, for each N (SLOW=1) or about
# POINTS of them; then with all from the N-th on, as when a disk is full and stays full.
fails() {
	local points=$1 total n step status tried=0 bad=0 plus
	shift
	rm -rf d new && cp -r old d
	status=0
	(cd d && "$nth" 0 ../total "$@") >/dev/null 2>said || status=$?
	[ $status != 77 ] || skip "the kernel does not tell of calls here"
	[ $status = 0 ]
	mv d new
	clean
	total=$(cat total)
	[ "$total" -gt 3 ]
	for plus in '' +; do
		step=$(((total + points - 1) / points))
		[ -z "${SLOW-}" ] || step=${plus:+4}
		step=${step:-1}
		for ((n = 1 + (step > 1 ? RANDOM % step : 0); n <= total; n += step)); do
			rm -rf d && cp -r old d
			status=0
			(cd d && timeout 120 "$nth" "$n$plus" ../count "$@") >/dev/null 2>said || status=$?
			tried=$((tried + 1))
			judge $status && { [ -n "$plus" ] || clean; } || {
				echo "$n$plus of $total: $*" && cat said
				bad=$((bad + 1))
			}
			rm -rf tmp/*
		done
	done
	echo "# $tried points of $total calls" >&3
	[ $bad = 0 ]
}

@test "trace-sweep: every write that fails" {
	mkdir old
	echo 'an old table' >old/s.tsv
	fails 8 trace-sweep -q -j 1 -V warp=8,32 -o s.tsv ../in.wt
}

@test "trace-sweep --slurm: every write that fails" {
	mkdir old
	echo 'an old script' >old/job.sh
	fails 4 trace-sweep -q -V warp=8,32 -d runs --slurm job.sh ../in.wt
}

@test "trace-plot: every write that fails" {
	mkdir old
	for kind in svg png pdf; do
		echo 'an old picture' >old/f.$kind
		fails 4 env SOURCE_DATE_EPOCH=0 trace-plot bars -x x -y y -k ../t.tsv -o f.$kind ../t.tsv
	done
	fails 4 trace-plot area -x y -y y -o f.svg ../t.tsv
}

@test "trace-report: every write that fails" {
	mkdir -p old/r
	echo 'an old page' | tee old/r/index.html old/r/info.tsv >old/r/mine
	fails 8 trace-report -q -c gto,lrr -o r ../in.wt
}

@test "trace-nvcc: every write that fails" {
	command -v clang >/dev/null || skip "there is no clang here"
	echo '__global__ void k(int *p) { *p = 1; } int main() { k<<<1, 1>>>(0); }' >k.cu
	mkdir old
	echo 'an old program' >old/k
	fails 3 trace-nvcc -o k ../k.cu
	rm -r old/*
	echo 'an old object' | tee old/k.o >old/k.d
	fails 3 trace-nvcc -c -MD -rdc=true -o k.o ../k.cu
	rm -r old/*
	echo 'an old text' >old/k.ptx
	fails 2 trace-nvcc -ptx -o k.ptx ../k.cu
}

@test "plots/paper/run: every write that fails" {
	printf 'thesis\treplay\tbfs\tnodes=100\tccws\tgto\t-\t-\n' >recipe.tsv
	"$root/plots/paper/run" -j 1 -r recipe.tsv -o old "$build"
	rm -r old/runs old/traces
	sed -i 's/$/ old/' old/scoreboard.tsv old/runs.tsv
	fails 3 "$root/plots/paper/run" -j 1 -r ../recipe.tsv -o . "$build"
}

# Of each tool a call that runs in d, where its outputs are, with what it needs beside d.
calls() {
	sweep=(trace-sweep -q -j 2 -V warp=8,32 -o s.tsv ../in.wt)
	plot=(trace-plot bars -x x -y y -o f.svg ../t.tsv)
	report=(trace-report -q -o r ../in.wt)
	mkdir -p all/new all/old/{sweep,plot,report/r}
	for tool in sweep plot report; do
		local -n call=$tool
		mkdir d
		(cd d && "${call[@]}" >/dev/null)
		rm -rf d/*.runs
		mv d all/new/$tool
	done
	echo old | tee all/old/sweep/s.tsv >all/old/plot/f.svg
	echo old | tee all/old/report/r/index.html >all/old/report/r/info.tsv
}
# fresh TOOL: its old and new, and d.
fresh() {
	rm -rf d old new
	ln -sfn all/old/$1 old
	ln -sfn all/new/$1 new
	cp -r old/. d
}

@test "a bound on a file's size, on files or on memory: the old output or the new one" {
	calls
	local tool bound status
	for tool in sweep plot report; do
		local -n call=$tool
		for bound in fsize=0 fsize=20 fsize=1000 fsize=5000 nofile=3 nofile=6 nofile=11 nofile=18 \
			as=4000000 as=20000000 as=60000000; do
			fresh $tool
			status=0
			(cd d && timeout 60 prlimit --$bound "${call[@]}" >/dev/null 2>../said) || status=$?
			rm -rf d/*.runs
			judge $status && clean || { echo "$bound: ${call[*]}" && cat said && false; }
			[[ $bound != fsize=[02]* ]] || [ $status = 1 ]
		done
	done
}

@test "a folder for temporary files that is full: the old output, and a sentence" {
	calls
	local tool status
	for tool in sweep plot report; do
		local -n call=$tool
		fresh $tool
		status=0
		(cd d && NTH_IN=$TMPDIR "$nth" 2+ ../count "${call[@]}") >/dev/null 2>said || status=$?
		[ $status != 77 ] || skip "the kernel does not tell of calls here"
		[ $status = 1 ]
		grep -q "a step failed that writes temporary files in '$TMPDIR'" said
		rm -rf d/*.runs
		judge 1
		TMPDIR=$PWD/none expect 1 "cannot make a folder for temporary files in '$PWD/none'" \
			"${call[@]//..\//}"
	done
}

@test "signals at any moment: the old output or the new one, and nothing else is left" {
	calls
	local tool signal n status pid took
	RANDOM=38
	for tool in sweep plot report; do
		local -n call=$tool
		fresh $tool
		local from=${EPOCHREALTIME/[.,]/}
		(cd d && "${call[@]}" >/dev/null)
		took=$(((${EPOCHREALTIME/[.,]/} - from) / 1000))
		for ((n = 0; n < ${SLOW:+10 *} 2; n++)); do
			for signal in HUP INT TERM; do
				fresh $tool
				# A group of its own, as that of a terminal, which sends to all of it.
				cd d
				setsid env --default-signal=INT,QUIT "${call[@]}" >/dev/null 2>../said &
				pid=$!
				cd ..
				sleep "$(awk -v ms=$((RANDOM % took)) 'BEGIN { print ms / 1000 }')"
				if [ $((RANDOM % 2)) = 0 ]; then
					kill -$signal -- -$pid || kill -$signal $pid || :
				else
					kill -$signal $pid || :
				fi 2>/dev/null
				status=0
				wait $pid || status=$?
				rm -rf d/*.runs
				[ $status = 0 ] || [ $status = $((128 + $(kill -l $signal))) ] ||
					{ echo "$signal: status $status" && cat said && false; }
				judge $status && clean || { echo "$signal: ${call[*]}" && cat said && false; }
			done
		done
	done
}

# members SESSION [NAME]: its processes, of a program.
members() {
	cat /proc/[0-9]*/stat 2>/dev/null | awk -v session="$1" -v name="${2-}" '
		{ pid = $1; called = $0; sub(/^[^(]*\(/, "", called); sub(/\) .*/, "", called); sub(/.*\) /, "") }
		$4 == session && $1 != "Z" && (name == "" || called == name) { print pid }'
}

@test "a sweep that is stopped writes no table, and its runs end" {
	trace-gen -q bfs --set nodes=20000 -o long.wt
	echo old >s.tsv
	local way pid status i
	mkdir bin
	ln -s /usr/bin/* bin
	for way in xargs parallel; do
		[ -e bin/parallel ] || continue
		[ $way = parallel ] || mv bin/parallel hidden
		PATH=$build/bin:$PWD/bin setsid env --default-signal=INT,QUIT trace-sweep -q -j 2 \
			-s gto,lrr,ccws,null -V warp=8,16,32 -o s.tsv long.wt &
		pid=$!
		until [ -n "$(members $pid trace-replay)" ]; do sleep 0.05; done
		kill -INT -- -$pid
		status=0
		wait $pid || status=$?
		[ $status = 130 ]
		[ "$(cat s.tsv)" = old ]
		for ((i = 0; i < 50; i++)); do
			[ -n "$(members $pid)" ] || break
			sleep 0.1
		done
		[ -z "$(members $pid)" ]
		clean
		[ $way = parallel ] || mv hidden bin/parallel
	done
}

@test "two writers of one output: both end well, and it is whole" {
	calls
	local tool n
	for tool in sweep plot report; do
		local -n call=$tool
		fresh $tool
		for n in 1 2; do
			(cd d && "${call[@]}" >/dev/null 2>../said$n) &
			pids[n]=$!
		done
		wait ${pids[1]} || { cat said1 && false; }
		wait ${pids[2]} || { cat said2 && false; }
		rm -rf d/*.runs
		judge 0
	done
	# The others too, and where nothing is there before.
	for ((n = 0; n < 20; n++)); do
		rm -f out
		trace-info in.wt -o out &
		pids[1]=$!
		trace-info in.wt -o out &
		pids[2]=$!
		wait ${pids[1]}
		wait ${pids[2]}
		trace-info in.wt | cmp - out
	done
}

@test "nobody's link leads an output elsewhere" {
	echo mine >victim
	mkdir r
	for name in s.tsv f.svg r/index.html r/info.tsv; do
		ln -s "$PWD/victim" "$name.part"
		ln -s "$PWD/victim" "$name.tmp"
	done
	trace-sweep -q -V warp=8,32 -o s.tsv in.wt
	trace-plot bars -x x -y y -o f.svg t.tsv
	# A report's folder may be a stranger's, and what has its files' names there is replaced.
	ln -s ../victim r/index.html
	ln -s ../victim r/replay.tsv
	trace-report -q -o r in.wt
	[ ! -L r/index.html ] && [ ! -L r/replay.tsv ]
	# So is what a run says when it fails, in the folder of a sweep's runs.
	trace-sweep -q -n -V warp=dwf -s gto -d runs in.wt >command
	mkdir runs
	ln -s ../victim "$(sed "s/.* -r '\([^']*\)'.*/\1/" command)"
	expect 1 "1 of 1 runs failed" trace-sweep -q -V warp=dwf -s gto -d runs in.wt
	ln -s ../victim runs/todo
	trace-sweep -q -V warp=8 -d runs --slurm job.sh in.wt
	[ ! -L runs/todo ]
	[ "$(cat victim)" = mine ]
}

@test "a table of some runs says so, and takes the place of no table of all" {
	trace-sweep -q -V warp=8,32 -o s.tsv in.wt
	cp s.tsv whole
	expect 1 "1 of 3 runs failed: 's.tsv' stays as it was" trace-sweep -q -V warp=8,32,dwf -s gto -o s.tsv in.wt
	cmp s.tsv whole
	expect 1 "1 of 3 runs failed:" trace-sweep -q -V warp=8,32,dwf -s gto -o p.tsv in.wt
	sed -n 2p p.tsv | grep -qx '# 1 of 3 runs failed, and are not here'
	expect 1 "1 of 2 runs failed:" trace-sweep -q -V warp=8,dwf -s gto -o p.tsv in.wt
	sed -n 2p p.tsv | grep -qx '# 1 of 2 runs failed, and are not here'
	# A run's table that is no table is no row that is left out.
	trace-sweep -q -V warp=8,32 -d runs in.wt >/dev/null
	: >"$(ls runs/*.tsv | head -n 1)"
	expect 1 "cannot read a table in '$PWD/runs/" trace-sweep -q -V warp=8,32 -d runs -o s.tsv in.wt
	cmp s.tsv whole
}

@test "a picture's texts may begin with a quote, and have any" {
	local text
	for text in "'tis" "it''s" "''" '"a" `id` $(id) @x \n %d' "'"; do
		printf 'x\t%s\tz\na\t1\t2\n' "$text" >q.tsv
		trace-plot stack -x x -y "$text,z" -t "$text" -l "$text" -o q.svg q.tsv
		[ "$(sed -n 's|.*<text>\(<!\[CDATA\[\)\{0,1\}||; s|</text>.*||; s/&quot;/"/g; s/&apos;/'"'"'/g; s/&amp;/\&/g; p' q.svg |
			grep -cxF -- "$text")" -ge 2 ]
	done
}

@test "a report of a record with more provenance than an environment may have" {
	ptx 'mov.u32 %r4, 1;' >k.ptx
	local args=() letter
	for letter in a b c d; do
		args+=("--buffer=$(printf "$letter%.0s" {1..40000})=buf:64")
	done
	run_k "${args[@]}" -o long.wt
	trace-info --format=tsv long.wt | awk 'length($0) > 160000 { found = 1 } END { exit !found }'
	trace-report -q -t "$(printf 't%.0s' {1..131000})" -o r long.wt
	# The words of the last one, and the title, whole.
	grep -o 'd*=buf:64' r/index.html | awk '{ print length($0) }' | sort -n | tail -n 1 | grep -qx 40007
	grep -o '<h1>t*</h1>' r/index.html | awk '{ print length($0) }' | grep -qx 131009
}
