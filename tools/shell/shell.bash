# What the shell tools share. Who loads it has set `self`, the tool's name in its sentences, and `lib`,
# the folder of this file, where `commit` lies as well (tools/shell/commit.c): all output goes through
# it, so that a file is whole or stays as it was.
#
# Every step that writes is checked, and ends in `|| lost` where a scratch file is written.
# shellcheck disable=SC2154

# A file that may grow no further is a write that fails, here and in all that is called.
trap '' XFSZ

# scratch_folder: makes $scratch, which goes however the script ends; so does the folder $if_empty, if it
# is empty then.
scratch_folder() {
	trap clean_up EXIT
	end_by_signals
	# It has its name before it is there, so that no signal comes between.
	if ! scratch=$(mktemp -u -d 2>/dev/null) || ! scratch=$(realpath -m -- "$scratch") ||
		! mkdir -m 700 -- "$scratch" 2>/dev/null; then
		scratch=''
		echo "$self: cannot make a folder for temporary files in '${TMPDIR:-/tmp}'" >&2
		exit 1
	fi
}
clean_up() {
	[ -z "${scratch-}" ] || rm -rf -- "$scratch"
	[ -z "${if_empty-}" ] || rmdir -- "$if_empty" 2>/dev/null
}
# end_by_signals: a signal that ends the script also ends what it has begun, and all it leaves.
end_by_signals() {
	local signal
	for signal in HUP INT QUIT PIPE ALRM TERM USR1 USR2 XCPU; do
		# shellcheck disable=SC2064 # it is this signal
		trap "end_by $signal" $signal
	done
}
end_by() {
	set +e
	# A terminal that goes sends more than one.
	trap '' HUP INT QUIT PIPE ALRM TERM USR1 USR2 XCPU
	# GNU parallel waits for its jobs after the first TERM, and begins none.
	if [ -n "$(jobs -p)" ]; then
		for _ in 1 2; do
			# shellcheck disable=SC2046 # they are several
			kill -TERM $(descendants)
			sleep 0.1
		done 2>/dev/null
		wait
	fi
	clean_up
	trap - "$1" EXIT
	kill -s "$1" $$
}
# descendants: the processes that this script has begun, and theirs.
descendants() {
	cat /proc/[0-9]*/stat 2>/dev/null | awk -v top=$$ '
		{ pid = $1; sub(/.*\) /, ""); parent[pid] = $2 }
		END {
			for (pid in parent) {
				for (up = pid; up in parent && parent[up] != top; up = parent[up]);
				if (up in parent)
					print pid
			}
		}'
}
# lost: a scratch file could not be written, or what makes it has failed.
lost() {
	echo "$self: cannot go on: a step failed that writes temporary files in '${TMPDIR:-/tmp}'" >&2
	exit 1
}
# whole: ends what a command wrote, when all of it was. MAKE && whole, in a pipe to `put`.
whole() {
	printf '\0whole'
}
# put [OPTION]... FILE: standard input, which `whole` has ended, becomes FILE (`-`: standard output).
put() {
	"$lib/commit" "$self" "${@:1:$#-1}" -- "${@: -1}"
}

# all_lines FILE [JOBS [HOSTS]]: runs the lines of FILE as commands of sh, JOBS at a time on each machine
# (empty: as many as it has processors), also on those of HOSTS. In the background, where signals to this
# script need not wait for their end.
all_lines() {
	local options=(--will-cite --tmpdir "${scratch:-$PWD}" ${2:+-j "$2"})
	[ -z "${3-}" ] || options+=(--sshloginfile "$(realpath -- "$3")" --workdir "$PWD")
	[ ! -t 2 ] || [ -z "${bar-}" ] || options+=(--bar)
	if command -v parallel >/dev/null; then
		parallel "${options[@]}" <"$1" &
	else
		xargs -d '\n' -P "${2:-$(nproc)}" -I '{}' sh -c '{}' <"$1" &
	fi
	wait $!
}
