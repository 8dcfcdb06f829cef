# What the tests of the tools share. A test runs in a folder of its own that is thrown away.

# Tests run under the locales of tests/locales, and so do the tools that they call. What tests
# themselves compute, match and sort is read and written as in C: in tr_TR [a-z] has neither i nor w.
for name in awk comm grep join ls od sed sort tr; do
	eval "$name() { LC_ALL=C command $name \"\$@\"; }"
done

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	build=${WARPTRACE_BUILD:-$root/build}
	export WARPTRACE_BUILD=$build # also for scripts that a test has copied
	# Where bin/ is: tests/hollow has stand-ins for tools there, that write down who called them.
	tools=${WARPTRACE_TOOLS:-$build}
	export BATS_TEST_DESCRIPTION
	PATH=$tools/bin:$PATH
	unset WARPTRACE_DATA MAKEFLAGS MFLAGS MAKELEVEL
}

# bare: the tools themselves from here on, not what tests/hollow watches them by. For tests of what
# signals, limits and failing calls do to a process, which is to be the tool and nothing around it.
bare() {
	[ "${tools##*/}" != watch ] || PATH=$build/bin:$PATH
}

# A trace of a few launches, small enough to look at every byte of.
small() {
	trace-gen bfs --set nodes=64,degree=3 -o "${1:-small.wt}"
	[ -s "${1:-small.wt}" ]
}

# sound TRACE: the check finds nothing wrong with it, and there are instructions in it.
sound() {
	trace-info --check "$1"
	trace-info --format=tsv "$1" >"$1.info"
	[ "$(column "$1.info" thread_insts | tail -n 1)" -gt 0 ]
	rm "$1.info"
}

# expect STATUS TEXT COMMAND...: its exit status, and TEXT within what it says on stderr. A tool that
# dies ends with whatever its callers still hold; whether a pointer to it is left for a leak check
# to find is up to the compiler, so only runs that succeed are checked for leaks.
expect() {
	local want=$1 text=$2 status=0
	local -x ASAN_OPTIONS=${ASAN_OPTIONS-}
	shift 2
	[ "$want" -eq 0 ] || ASAN_OPTIONS+=${ASAN_OPTIONS:+:}detect_leaks=0
	"$@" >stdout 2>stderr || status=$?
	if [ "$status" -ne "$want" ] || ! grep -qF -- "$text" stderr; then
		echo "exit status $status, expected $want and '$text'; stderr:"
		cat stderr
		return 1
	fi
}

# column TABLE NAME: one column of a TSV table, without its heading.
column() {
	awk -F '\t' -v name="$2" '
		/^#/ { next }
		!at { for (i = 1; i <= NF; i++) if ($i == name) at = i; if (!at) exit 1; next }
		{ print $at }' "$1"
}

# golden NAME FILE: FILE is as it was when the golden file was last looked at (UPDATE=1 renews).
golden() {
	if [ -n "${UPDATE:-}" ]; then
		cp "$2" "$root/tests/golden/$1"
	fi
	diff -u "$root/tests/golden/$1" "$2"
}

# ptx BODY: a module with one entry k(buf, n), %rd1 = buf, %r1 = n, %r2 = thread of the grid.
ptx() {
	cat <<END
.version 6.4
.target sm_50
.address_size 64

.visible .entry k(.param .u64 buf, .param .u32 n)
{
	.reg .pred %p<8>;
	.reg .b32 %r<16>;
	.reg .b64 %rd<16>;
	.shared .align 4 .b8 tile[256];
	ld.param.u64 %rd1, [buf];
	ld.param.u32 %r1, [n];
	mov.u32 %r3, %ctaid.x;
	mov.u32 %r4, %ntid.x;
	mov.u32 %r5, %tid.x;
	mad.lo.s32 %r2, %r3, %r4, %r5;
$1
	ret;
}
END
}

# run_k [OPTION]...: k.ptx over 64 threads in two CTAs, with a buffer of 256 bytes.
run_k() {
	trace-gen --ptx k.ptx --entry k --grid 2 --block 32 --arg x=buf:256 --arg u32:64 "$@"
}

# sources: the files of the tree, as git knows them, or where this is no clone all outside of build/.
sources() {
	if [ -e "$root/.git" ] && git -C "$root" ls-files 2>/dev/null; then
		return
	fi
	find "$root" -path "$root/build" -prune -o -path "$root/.git" -prune -o \
		\( -type f -o -type l \) -printf '%P\n'
}

# chromium_is_there: sets browser, or skips the test.
chromium_is_there() {
	local name
	for name in chromium-headless-shell chromium chromium-browser google-chrome headless_shell; do
		browser=$(command -v $name) && return
	done
	skip "there is no Chromium here"
}

# build_fail: for setup_file; $fail is what makes calls fail for LD_PRELOAD, from fail.c.
build_fail() {
	${CC:-gcc} -shared -fPIC -O1 -D_GNU_SOURCE -o "$BATS_FILE_TMPDIR/fail.so" \
		"$BATS_TEST_DIRNAME/fail.c" -ldl
	export fail=$BATS_FILE_TMPDIR/fail.so
}

# A sanitizer's allocator wants to be the first of a program's libraries, and here is the second.
asan() {
	export ASAN_OPTIONS=${ASAN_OPTIONS:-}${ASAN_OPTIONS:+:}verify_asan_link_order=0:detect_leaks=0
}
