#!/usr/bin/env bats
# trace-sweep: how files are named in its table, and names that it cannot take.
load helper

# rows TABLE: without remarks and headings.
rows() {
	grep -v '^#' "$1" | tail -n +2
}

@test "machines and policies of one name are told apart by their files" {
	small a.wt
	mkdir x y
	printf 'base = ccws\n[sm]\nsms = 2\n' >x/ccws.ini
	printf 'base = ccws\n[sm]\nsms = 4\n' | tee y/ccws.ini >ccws.ini
	gcc -std=c11 -O1 -fPIC -shared "-I$build/include" -o laggard.so "$root/datasets/examples/laggard.c"
	cp laggard.so x
	cp laggard.so y
	trace-sweep --launches -V machine=x/ccws.ini,y/ccws.ini,ccws.ini,ccws \
		-s gto,x/laggard.so,./y/laggard.so:slack=20,laggard.so a.wt >s.tsv
	grep -v '^#' s.tsv | awk -F '\t' '{ print NF }' | sort -u | wc -l | grep -qx 1
	[ "$(column s.tsv machine | uniq | paste -s -d ' ')" = "x/ccws.ini y/ccws.ini ccws.ini ccws" ]
	[ "$(column s.tsv scheduler | uniq | head -n 4 | paste -s -d ' ')" = \
		"gto x/laggard.so ./y/laggard.so:slack=20 laggard.so" ]
	# Every combination is one row of the whole, with the figures of its own run.
	paste <(column s.tsv machine) <(column s.tsv scheduler) <(column s.tsv launch) | sort | uniq -d | { ! grep .; }
	trace-replay -q --format=tsv --machine y/ccws.ini -s x/laggard.so a.wt | column - cycles >want
	awk -F '\t' '$4 == "x/laggard.so" && $6 == "y/ccws.ini" { print $7 }' s.tsv | diff want -
	# A figure can tell them apart.
	trace-sweep -V machine=x/ccws.ini,y/ccws.ini a.wt >m.tsv
	trace-plot bars -x machine -y cycles -o f.svg m.tsv
	grep -q 'x/ccws.ini' f.svg
	# What is built in has its full name, as in trace-replay.
	trace-sweep -V warp=8,32 a.wt >w.tsv
	[ "$(column w.tsv warp | paste -s -d ' ')" = "fixed:8 fixed:32" ]
}

@test "a name with a control character is refused, and no other file is taken for it" {
	small a.wt
	cp a.wt n
	cp a.wt l.wt
	mkdir $'f\ng'
	for name in $'n\nl.wt' $'t\tab.wt' $'bell\a.wt' $'f\ng/a.wt'; do
		cp a.wt "$name"
		expect 2 "has a control character" trace-sweep -s gto "$name"
		grep -qF "${name@Q}" stderr
		[ "$(wc -l <stderr)" = 1 ]
		[ ! -s stdout ]
	done
	printf 'base = ccws\n' | tee x.ini >$'m\nx.ini'
	expect 2 "has a control character" trace-sweep -V machine=$'m\nx.ini' a.wt
	expect 2 "has a control character" trace-sweep -d $'d\ne' a.wt
	expect 2 "has a control character" trace-sweep -o $'d\ne' a.wt
	printf 'file\tscheduler\nbell\a.wt\tgto\n' >c.tsv
	expect 2 "has a control character" trace-sweep -r c.tsv
	# Nor may the folder have one, or the file that a link leads to.
	ln -s $'f\ng/a.wt' link.wt
	expect 2 "has a control character" trace-sweep link.wt
	cp a.wt $'n\n'
	ln -sf $'n\n' link.wt
	expect 2 "has a control character" trace-sweep link.wt
	cd $'f\ng'
	expect 2 "has a control character" trace-sweep a.wt
}

@test "what can be read only once is refused, since every run opens it" {
	small a.wt
	printf 'base = ccws\n' >m.ini
	mkfifo pipe
	again="every run opens it anew"
	expect 1 "cannot read 'pipe': $again" timeout 20 trace-sweep pipe
	expect 1 "cannot read '/dev/fd/" timeout 20 trace-sweep <(cat a.wt)
	grep -qF "$again" stderr
	expect 1 "cannot read '/dev/stdin': $again" trace-sweep /dev/stdin <a.wt
	expect 1 "cannot read '/dev/fd/" trace-sweep -V machine=<(cat m.ini) a.wt
	grep -qF "$again" stderr
	# It would be the runs' own standard input, and another machine.
	expect 1 "cannot read '/dev/stdin': $again" trace-sweep -V machine=/dev/stdin a.wt <m.ini
	expect 1 "cannot read 'pipe': $again" timeout 20 trace-sweep -s daws:profile=pipe a.wt
	printf 'file\na.wt\npipe\n' >r.tsv
	expect 1 "cannot read 'pipe': $again" timeout 20 trace-sweep -r r.tsv
	# A recipe is read once.
	trace-sweep -r <(printf 'file\na.wt\n') >s.tsv
	[ "$(rows s.tsv | wc -l)" = 1 ]
}
