#!/usr/bin/env bats
# trace-tools(7): the tools that it lists, and its pipelines as they stand there.
load helper

# pipeline N: the page's example runs; what it says is in `said`.
pipeline() {
	awk -v n="$1" '/^\.EX$/ { on = ++i == n; next } /^\.EE$/ { on = 0 }
		on { gsub(/\\e/, "\\"); print }' "$root/tools/trace-tools.7" >example
	[ -s example ]
	bash -eu -o pipefail example >said
}

@test "it lists every tool, with the line of the tool's own page" {
	ls "$root/tools" | sed -n 's/\.h2m$//p' >tools
	for tool in $(cat tools); do
		cat "$root/tools/$tool"{,.c} 2>/dev/null | sed -n "s/^[ #]\**  *$tool: *//p" >line
		[ -s line ]
		sed -n "/^\.SH STREAMS/q; /^\.BR $tool (1)/{n;p}" "$root/tools/trace-tools.7" | diff line -
	done
	[ "$(grep -c '^\.TP' "$root/tools/trace-tools.7")" = "$(wc -l <tools)" ]
}

@test "the first pipeline: branches that part" {
	pipeline 1
	grep -q '\bbfs_visit\b' said
}

@test "the second pipeline: what replacement could win" {
	pipeline 2
	grep -q '^lru ' said
	grep -q '^opt ' said
}

@test "the third pipeline: locality, load by load" {
	pipeline 3
	grep -q 'ld\.global' said
}

@test "the fourth pipeline: schedulers, and the best of the last" {
	pipeline 4
	grep -q '\bccws\b' said
	grep -q '^opt ' said
	[ -s ccws.txt ]
}

@test "the fifth pipeline: accesses for another simulator" {
	pipeline 5
	[ "$(grep -c '^[01] [0-9a-f]*$' sssp.din)" -gt 100 ]
	[ "$(grep -cx '\.EX' "$root/tools/trace-tools.7")" = 5 ]
}
