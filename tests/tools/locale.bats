#!/usr/bin/env bats
# The same bytes under every locale: what all tools and scripts write, beside what they write under C.
load helper

setup_file() {
	# Those that tests/run has made, or else our own.
	if [ ! -e "${LOCPATH-}/tr_TR.UTF-8" ]; then
		export LOCPATH=$BATS_FILE_TMPDIR/locales
		"$BATS_TEST_DIRNAME/../locales" "$LOCPATH"
	fi
}

# same FUNCTION: it writes the same files under every locale. They stay in folders of the locales' names.
same() {
	local locale
	for locale in C C.UTF-8 de_DE.UTF-8 tr_TR.UTF-8; do
		mkdir here
		cd here
		export LC_ALL=$locale
		"$1"
		LC_ALL=C
		cd ..
		[ -n "$(ls here)" ]
		[ -z "$(find here -type f -size 0)" ]
		mv here $locale
		diff -r C $locale
	done
}

@test "the locales are what they are here for" {
	[ "$(LC_ALL=de_DE.UTF-8 locale decimal_point)" = , ]
	[ "$(LC_ALL=tr_TR.UTF-8 bash -c 'i=i; echo "${i^}"')" = İ ]
	# What a script gets that does not say LC_ALL=C.
	[ "$(LC_ALL=de_DE.UTF-8 bash -c 'printf %.1f 0,5')" = 0,5 ]
}

every_tool() {
	local format
	trace-gen -q bfs --set nodes=300 -o ü.wt
	trace-gen --list --format=tsv >list.tsv
	trace-gen -q kmeans --set points=256 -o one.wt
	trace-coalesce -q ü.wt -o ü.at
	for format in human tsv json; do
		trace-info --format=$format ü.wt one.wt >info.$format
		trace-info --by pc --total --sort thread_insts --format=$format ü.wt >pc.$format
		trace-coalesce -q --summary --format=$format ü.wt >coalesce.$format
		trace-locality --by class --format=$format ü.at >locality.$format
		trace-belady --curve --policy lru,opt --format=$format ü.at >belady.$format
		trace-replay -q --compare gto,ccws --stats=stalls,energy --format=$format ü.wt >replay.$format
		trace-replay -m v100 --set l1d.size=64K --set=help --format=$format >set.$format
	done
	trace-convert -q --to text ü.at -o ü.text
	ptx '	ld.param.f32 %r6, [x];
	mov.f32 %r7, 0.75;
	st.global.b32 [%rd1], %r6;
	st.global.b32 [%rd1+4], %r7;' | sed 's/\.param .u32 n/&, .param .f32 x/' >k.ptx
	trace-gen -q --ptx k.ptx --entry k --grid 1 --block 32 --arg x=buf:256 --arg u32:64 --arg f32:0.375 \
		--dump x=values -o k.wt
	trace-info --dump one.wt | head -n 200 >dump
}

@test "the tables, streams and records of every tool" {
	same every_tool
}

sweep() {
	trace-gen -q bfs --set nodes=300 -o ü.wt
	printf '# scheduler i\nscheduler\tl1d.size\ngto\t16K\nlrr;ccws\t-\n' >recipe.tsv
	trace-sweep -q -s gto,ccws:k=8,base=100 -V l1d.size=16K,32K --stats=stalls -o axes.tsv ü.wt
	trace-sweep -q -r recipe.tsv -o recipe-runs.tsv ü.wt
	trace-sweep -n -s gto -d runs ü.wt | sed "s|$PWD|HERE|g" >commands
	rm -r -- *.runs
}

@test "the table of a sweep, with its runs' commands" {
	same sweep
}

report() {
	trace-gen -q bfs --set nodes=300 -o ü.wt
	trace-report -q -t 'Überblick ığ' -c gto,lrr ü.wt -o page
	trace-report -q -o piped <ü.wt
}

@test "the page of a report, with its tables and pictures" {
	same report
	# What stands there are the numbers of the table.
	trace-replay -q --format=tsv --columns simd_efficiency --no-header C/ü.wt | tail -n 1 |
		awk '{ printf "SIMD efficiency %.3g.", $1 }' >efficiency
	grep -qF -f efficiency de_DE.UTF-8/page/index.html
}

figures() {
	local term
	printf 'w\ts\tn\tv\tu\nüäö\tığ\t1\t1.5\t0.25\nabc\tığ\t2\t2.25\t0.75\nüäö\tb\t3\t3.5\t.5\nabc\tb\t4\t-\t1e-1\n' \
		>t.tsv
	for term in svg png; do
		trace-plot bars -x w -y v -g s -m harmonic -t 'Höhe → ı' -l 'Länge, ğ' -o bars.$term t.tsv
		trace-plot bars -x w -y u -g s -n b -m geometric -o normalized.$term t.tsv
		trace-plot stack -x w,s -y u -c -m arithmetic -o stack.$term t.tsv
		trace-plot lines -x n -y u -L -o lines.$term t.tsv
		trace-plot area -x n -y u -p -o area.$term t.tsv
		trace-plot scatter -x n -y u -o scatter.$term t.tsv
		trace-plot heat -x w -g s -y u -o heat.$term t.tsv
	done
}

@test "every kind of figure, whose texts are drawn as they are" {
	same figures
	for text in üäö abc ığ b 'Höhe → ı' 'Länge, ğ'; do
		grep -qF "<text>$text</text>" tr_TR.UTF-8/bars.svg
	done
	# Of the points (1, .25), (2, .75), (3, .5), (4, .1) the sums of products are 5, .2750 and -.35:
	# r = -.35 / sqrt(5 * .2450).
	grep -q 'r = -0.316, n = 4' de_DE.UTF-8/scatter.svg
}

@test "room for labels goes by their letters, not their bytes" {
	# Twelve letters each, of two bytes and of one.
	printf 'w\ts\tv\nx\tüäöüäöüäöüäö\t1\n' >two.tsv
	printf 'w\ts\tv\nx\tuaouaouaouao\t1\n' >one.tsv
	for name in one two; do
		trace-plot stack -x w,s -y v -c $name.tsv | sed -n 's/^ width=.* height=/&/p' >$name
		[ -s $name ]
	done
	diff one two
}

scripts() {
	"$root/tools/completion" bash "$build"/bin/trace-{gen,replay,sweep} >completion
	"$root/tools/manual" "$build/bin/trace-replay" >manual
	"$root/tests/regression/cover" "$root"/tests/regression/{levels,results}.tsv >covered
	echo >>covered
	"$root/plots/validate/summary.awk" "$root/plots/validate/results.tsv" >summary
}

@test "the scripts that make pages, completions and the tests' tables" {
	same scripts
}

nvcc() {
	cp "$root/tests/programs/saxpy.cu" ü.cu
	trace-nvcc -lineinfo -ptx ü.cu -o ü.ptx
	trace-nvcc --dryrun ü.cu -o ü 2>&1 | sed 's|/tmp[^ ]*/||g' >commands
}

@test "what trace-nvcc compiles, and how it shows that" {
	command -v clang >/dev/null || skip "there is no clang here"
	same nvcc
	grep -qF "'ü.cu'" C/commands
}

@test "every script computes under C" {
	cd "$root"
	# Figures load the script that says so.
	grep -rlI '^#!/bin/bash' Makefile .ci tools plots tests datasets |
		xargs grep -LE '^export LC_ALL=C$|^\. .*/figure\.bash"$' >"$BATS_TEST_TMPDIR/others" || :
	[ "$(cat "$BATS_TEST_TMPDIR/others")" = "" ]
	grep -q '^export LC_ALL=C$' plots/figure.bash
	grep -q '^export LC_ALL = C$' Makefile
	! grep -rnI '^#!/usr/bin/awk' tools plots tests datasets || false
}
