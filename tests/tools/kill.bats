#!/usr/bin/env bats
# SIGKILL at random moments: what is finished stays, and what has its name is whole. Of sweeps and of
# runs of each tool 10 are killed, with SLOW=1 50 (fewer sweeps where these take over 150 seconds).
load helper

kills=10
[ -z "${SAN-}" ] || kills=3
[ -z "${SLOW-}" ] || kills=50

# kill_members SESSION all|one: GNU parallel's jobs are groups of their own, but of its session.
kill_members() {
	local members
	mapfile -t members < <(cat /proc/[0-9]*/stat 2>/dev/null |
		awk -v session="$1" '{ pid = $1; sub(/.*\) /, "") } $4 == session { print pid }')
	[ "$2" = all ] || members=("${members[RANDOM % (${#members[@]} + !${#members[@]})]}")
	kill -KILL "${members[@]}" 2>/dev/null || :
}

sweep() {
	"$root/plots/paper/run" -j 2 -r recipe.tsv -s small.tsv "$@" "${WARPTRACE_BUILD:-$root/build}"
}

# pause FROM TO: some milliseconds between.
pause() {
	sleep "$(awk -v ms=$(($1 + RANDOM % ($2 - $1 + 1))) 'BEGIN { print ms / 1000 }')"
}

# Each file of a cut sweep is there as in the whole one, or not there.
whole() {
	local file
	for file in q/runs/*.tsv q/traces/*.wt q/traces/*.profile; do
		[ ! -e "$file" ] || cmp "$file" "p/${file#q/}" || return 1
	done
	for file in "$@"; do
		[ ! -e "q/$file" ] || cmp "q/$file" "p/$file" || return 1
	done
}

# Names and inodes of what is finished.
finished() {
	(cd q && ls -i runs/*.tsv traces/*.wt traces/*.profile 2>/dev/null | sort -k 2) || :
}

@test "a sweep loses nothing that is finished, and takes nothing half for whole" {
	[ -z "${SAN:-}" ] || skip "the plain build does this"
	RANDOM=14
	printf '%s\n' 'swl replay bfs nodes=300 ccws swl:limit=2;swl:limit=4 - -' \
		'belady belady bfs nodes=300 ccws swl:best - -' \
		'a locality bfs nodes=300 ccws gto - -' 'daws replay bfs nodes=300 ccws daws:profile - -' \
		'tbc replay nnc files=1,records=200 tbc - fixed:32;dwf:wb=1 -' | tr ' ' '\t' >recipe.tsv
	printf '%s\n' 'tbc replay nnc files=1,records=200 tbc - fixed:32;dwf:wb=1 -' | tr ' ' '\t' >small.tsv
	sweep -o p
	[ ! -s p/failed.tsv ]
	# What is made of it at the end is not touched until it is made anew.
	local tables=(runs.tsv belady.tsv locality.tsv scoreboard.tsv)
	SECONDS=0
	for ((n = 0; n < kills && (n < 10 || SECONDS < 150); n++)); do
		[ ! -e q/sensitivity.tsv ] || rm -rf q last
		setsid "$root/plots/paper/run" -j 2 -o q -r recipe.tsv -s small.tsv \
			"${WARPTRACE_BUILD:-$root/build}" >said 2>&1 &
		session=$!
		pause 100 2000
		case $((n % 5 % 3)) in # one of them seldom: the sweep then goes on to its end
		0) kill_members $session all ;;
		1) kill -KILL $session 2>/dev/null || : ;;
		2) kill_members $session one ;;
		esac
		wait $session || :
		# Jobs that outlive their sweep hold its lock.
		[ ! -e q/lock ] || flock q/lock true
		# One run alone may be what was killed: then it is listed, and the tables lack it.
		if [ -s q/failed.tsv ]; then whole; else whole "${tables[@]}"; fi
		finished >now
		[ ! -e last ] || ! grep -vxFf now last
		mv now last
	done
	sweep -o q
	diff -r -x lock p q
}

# So a loop may skip what is there: [ -e out ] || trace-replay ... -o out
@test "an output that has its name is whole, and one that was there stays until then" {
	RANDOM=7
	trace-gen -q bfs --set nodes=3000 -o in.wt
	trace-replay -q --access-stream=in.at in.wt >/dev/null
	local n tool out killed=0
	local -A run=(
		[gen]="trace-gen -q bfs --set nodes=3000 -o"
		[compare]="trace-replay -q --compare gto,lrr,ccws --format=tsv in.wt -o"
		[stream]="trace-replay -q in.wt -o table --access-stream"
		[coalesce]="trace-coalesce -q in.wt -o"
		[locality]="trace-locality -q --format=tsv in.at -o"
		[belady]="trace-belady -q --format=tsv in.at -o"
	)
	for tool in "${!run[@]}"; do
		${run[$tool]} out
		mv out want
		# Milliseconds that it takes: most of the kills come within.
		local from=${EPOCHREALTIME/[.,]/}
		${run[$tool]} out
		local ms=$(((${EPOCHREALTIME/[.,]/} - from) / 1000))
		cmp out want
		for ((n = 0; n < kills; n++)); do
			# Nothing is there before, or something else.
			rm -f out
			[ $((n % 2)) = 0 ] || echo other >out
			${run[$tool]} out 2>/dev/null &
			pause 0 "$ms"
			kill -KILL $! 2>/dev/null || :
			if ! wait $! 2>/dev/null; then
				killed=$((killed + 1))
			fi
			if [ -e out ] && [ "$(head -c 6 out)" != other ]; then
				cmp out want
			elif [ $((n % 2)) = 1 ]; then
				[ "$(cat out)" = other ]
			fi
		done
		# Whatever the killed ones left, the next run is as the first.
		${run[$tool]} out
		cmp out want
	done
	[ "$killed" -ge $((kills * 2)) ]
}

@test "what was cut off on its way through a pipe is refused" {
	RANDOM=3
	trace-gen -q bfs --set nodes=3000 -o in.wt
	local n cut=0
	for ((n = 0; n < kills; n++)); do
		trace-gen -q bfs --set nodes=3000 >cut.wt &
		pause 0 60
		kill -KILL $! 2>/dev/null || :
		# One that is killed between its last byte and its end has left a whole stream.
		if wait $! 2>/dev/null || cmp -s cut.wt in.wt; then
			cmp cut.wt in.wt || trace-info --check cut.wt
		else
			cut=$((cut + 1))
			expect 1 cut.wt trace-info --check cut.wt
			expect 1 cut.wt trace-replay cut.wt -o none
			[ ! -e none ]
		fi
	done
	[ "$cut" -gt 0 ]
}
