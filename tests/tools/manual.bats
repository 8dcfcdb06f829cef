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
	done
	[ "$(cmp -l <(head -c 16 trace-gen/x.bin) <(printf '\0\0\0\0\2\0\0\0\4\0\0\0\6\0\0\0') | wc -l)" = 0 ]
}
