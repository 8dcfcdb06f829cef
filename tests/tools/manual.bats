#!/usr/bin/env bats
# The manual pages: what each of them has, and that their examples run as they stand there.
load helper

# examples PAGE: the commands of its examples, in order, as a reader would type them.
examples() {
	awk '/^\.EX$/ { on = 1; next } /^\.EE$/ { on = 0; print "echo ----"; next } on' "$1" |
		sed 's/^\\&//; s/\\-/-/g; s/\\e/\\/g'
}

# tools_all: their names, scripts among them.
tools_all() {
	ls "$root/tools" | sed -n 's/\.h2m$//p'
}

# pages: each tool's page, as it is installed.
pages() {
	[ -z "${SAN:-}" ] || skip "the plain build does this"
	make -s -C "$root" BUILD="$build" man
}

@test "every page has examples, exit status, environment and what to see beside it" {
	pages
	for tool in $(tools_all); do
		man -l "$build/man/$tool.1" 2>/dev/null | col -bx >page
		for section in EXAMPLES "EXIT STATUS" ENVIRONMENT "SEE ALSO"; do
			grep -qx "$section" page || { echo "$tool(1) has no $section"; false; }
		done
		for other in $(tools_all); do
			[ "$other" = "$tool" ] || grep -q "$other(1)" page
		done
	done
}

@test "every example of a tool's page runs, and says something" {
	pages
	for tool in $(tools_all); do
		mkdir "$tool"
		(
			cd "$tool"
			examples "$build/man/$tool.1" >script
			grep -q "$tool" script
			bash -eu script >said 2>err || { cat script err; exit 1; }
			! grep -q 'cannot\|unknown\|no option' err || { cat err; exit 1; }
			[ "$(wc -l <said)" -ge 2 ]
		)
		# And the tool has a part in that: without it they say, or write, something else.
		mkdir "$tool.idle"
		{ echo "$tool() { :; }"; cat "$tool/script"; } >idle
		(cd "$tool.idle" && bash -u ../idle >said 2>err || true)
		! diff -rq -x script -x err "$tool" "$tool.idle" >/dev/null || { echo "$tool"; false; }
	done
	[ "$(cmp -l <(head -c 16 trace-gen/x.bin) <(printf '\0\0\0\0\2\0\0\0\4\0\0\0\6\0\0\0') | wc -l)" = 0 ]
}

@test "trace-gen(1) lists the opcodes that kernels may hold, and those that it says are refused are" {
	pages
	man -l "$build/man/trace-gen.1" 2>/dev/null | MANWIDTH=200 col -bx |
		awk '/^[A-Z]/ { on = $1 == "PTX" } on' | tr -s '\n ' ' ' >page
	sed 's/.*neighbours are not\. //; s/\. Refused are.*//; s/, /\n/g' page | sort >listed
	awk -F '"' '/^PTX_OP/ && $2 !~ /^host/ { print $2 }' "$root/sim/ptx/ops.def" | sort >taken
	diff listed taken
	sed 's/.*among others, //; s/\..Functions may.*//; s/, /\n/g' page >refused
	[ "$(wc -l <refused)" -ge 20 ]
	{
		printf '.version 8.0\n.target sm_90\n.address_size 64\n'
		awk '{ print ".visible .entry k" NR "() { " $0 "; }" }' refused
	} >k.ptx
	run trace-gen --parse-only k.ptx
	[ "$status" -eq 1 ]
	printf "%s\n" "$output" >table
	while read -r name; do
		grep -q "no .*unsupported.*'$name'" table || { echo "$name is not refused"; false; }
	done <refused
}
