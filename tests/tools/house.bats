#!/usr/bin/env bats
# What stands around the tools: installing, the demo's figure, the committed kernels.
load helper

# own_build: build is a copy, since another prefix makes some of it anew, while other tests run it.
own_build() {
	mkdir own
	cp -a "$build"/{bin,obj,command,paths} "$build"/lib* own
	build=$PWD/own
}

@test "an installed tree works by itself, and uninstall removes all of it" {
	[ -z "${SAN:-}" ] || skip "the plain build does this"
	tree=$PWD/tree
	own_build
	make -s -C "$root" BUILD="$build" prefix=/usr DESTDIR="$tree" install
	# As a user of the library would, from the tree alone.
	export PKG_CONFIG_PATH=$tree/usr/lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$tree
	flags=$(pkg-config --cflags --libs warptrace)
	gcc -std=c11 -Wall -Werror "$root/tests/example/launches.c" $flags -o launches
	LD_LIBRARY_PATH=$tree/usr/lib
	export LD_LIBRARY_PATH
	"$tree/usr/bin/trace-gen" matmul --set tiles=2,depth=2 -o m.wt
	./launches m.wt | grep -qx 'matmul [0-9]*'
	gcc -std=c11 "$root/tests/example/launches.c" -I"$tree/usr/include" \
		"$tree/usr/lib/libwarptrace.a" -lzstd -lxxhash -o static
	[ "$(./static m.wt)" = "$(./launches m.wt)" ]
	echo 'int cudaDeviceSynchronize(void); int main() { return cudaDeviceSynchronize(); }' >s.c
	gcc s.c "$tree/usr/lib/warptrace/cuda/lib64/libcudart_static.a" -o s
	"$tree/usr/bin/trace-gen" --run -o s.wt -- ./s 2>/dev/null
	[ -s "$tree/usr/share/man/man1/trace-gen.1" ]
	[ -s "$tree/usr/share/man/man7/trace-plots.7" ]
	[ -s "$tree/usr/share/man/man7/trace-tools.7" ]
	printf 'a\tv\nx\t1\n' | "$tree/usr/share/warptrace/plots/bars" -x a -y v | grep -q '</svg>'
	make -s -C "$root" BUILD="$build" prefix=/usr DESTDIR="$tree" uninstall
	find "$tree" -type f -o -type l | { ! grep .; }
	[ ! -e "$tree/usr/share/warptrace" ]
	[ ! -e "$tree/usr/include/warptrace" ]
	[ ! -e "$tree/usr/lib/warptrace" ]
	# A folder's name may have a blank.
	make -s -C "$root" BUILD="$build" PREFIX=/usr DESTDIR="$tree/a here" install
	[ "$(readlink "$tree/a here/usr/lib/libwarptrace.so")" = libwarptrace.so.1 ]
	make -s -C "$root" BUILD="$build" PREFIX=/usr DESTDIR="$tree/a here" uninstall
	find "$tree" -type f -o -type l | { ! grep .; }
	[ ! -e "$tree/a here/usr/lib/warptrace" ]
}

@test "under a prefix of one's own nothing has to be told where the library is" {
	[ -z "${SAN:-}" ] || skip "the plain build does this"
	own_build
	make -s -C "$root" BUILD="$build" prefix="$PWD/mine" install
	export PATH=$PWD/mine/bin:$PATH PKG_CONFIG_PATH=$PWD/mine/lib/pkgconfig
	gcc -std=c11 "$root/tests/example/launches.c" $(pkg-config --cflags --libs warptrace) -o launches
	trace-gen matmul --set tiles=2,depth=2 -o m.wt
	env -u LD_LIBRARY_PATH ./launches m.wt | grep -qx 'matmul [0-9]*'
	# Where every loader looks, it stays out of programs.
	make -s -C "$root" BUILD="$build" prefix=/usr "$build/warptrace.pc"
	! grep -q rpath "$build/warptrace.pc" || false
	make -s -C "$root" BUILD="$build" PREFIX=/usr/local libdir=/usr/local/lib/x86_64-linux-gnu \
		"$build/warptrace.pc"
	! grep -q rpath "$build/warptrace.pc" || false
	make -s -C "$root" BUILD="$build" PREFIX=/usr libdir=/usr/lib64 "$build/warptrace.pc"
	grep -q -e '-Wl,-rpath,/usr/lib64 -lwarptrace' "$build/warptrace.pc"
	grep -qx prefix=/usr "$build/warptrace.pc"
	# Its list is made anew where root installs for all.
	mkdir root
	printf '#!/bin/sh\necho 0\n' >root/id
	printf '#!/bin/sh\necho renewed\n' >root/ldconfig
	chmod +x root/*
	local where
	for where in "PREFIX=/usr/local renewed" "DESTDIR=$PWD/tree" "prefix=$PWD/mine"; do
		make -s -n -C "$root" BUILD="$build" "${where% *}" install | grep 'ldconfig$' >line
		[ "$(PATH=$PWD/root:$PATH sh line)" = "$(cut -d ' ' -f 2 -s <<<"$where")" ]
	done
}

@test "the library and the models keep nothing that changes outside of what they are handed" {
	[ -z "${SAN:-}" ] || skip "the plain build does this"
	# Replays run side by side. What stays is a test's choice of the PTX machine's operations.
	objdump -t "$build/libsim.a" "$build/libwarptrace.a" >symbols
	grep -q '[[:space:]]O \.rodata' symbols
	grep -E '[[:space:]]O (\.(data|bss|data\.rel|data\.rel\.local)|\*COM\*)[[:space:]]' symbols |
		awk '$NF !~ /gcov/ { print $NF }' >changing
	[ "$(cat changing)" = forced ]
}

@test "the shared library shows the functions of its public headers, and no others" {
	[ -z "${SAN:-}" ] || skip "the plain build does this"
	headers=$(make -s -C "$root" public-headers)
	# Where each was declared, as gcc has understood it.
	(cd "$root" && gcc -std=c11 -D_GNU_SOURCE -I. -fsyntax-only -aux-info "$OLDPWD/declared" -x c - \
		<<<'#include "libtrace/warptrace.h"')
	for header in $headers; do
		sed -n "s|^/\* $header:.* extern .*[ *]\([a-z0-9_]*\) (.*|\1|p" declared
	done | sort >want
	[ "$(wc -l <want)" -gt 50 ]
	nm -D --defined-only "$build"/libwarptrace.so.* | awk '$2 != "A" { print $3 }' |
		sed 's/@.*//' | sort >got
	diff want got
}

@test "the manual has every option" {
	[ -z "${SAN:-}" ] || skip "the plain build does this"
	own_build
	make -s -C "$root" BUILD="$build" man
	for tool in trace-gen trace-info; do
		$tool --help | grep -o -- '--[a-z-]*' | sort -u >options
		grep -qx -- --output options
		tr -d '\\' <"$build/man/$tool.1" >page
		while read -r option; do
			grep -qF -- "$option" page
		done <options
	done
}

@test "the demo's figure: every node that was reached leaves the frontier once" {
	trace-gen bfs --set nodes=700,degree=4 -o bfs.wt
	line=$(grep -n 'frontier\[tid\] = 0;' "$root/datasets/workloads/bfs/bfs.cu" | cut -d: -f1)
	trace-info --by pc --format=tsv bfs.wt |
		awk -v line="$line" -f "$root/plots/bfs-levels.awk" >levels
	column levels frontier | head -n 1 | grep -qx 1
	reached=$(column levels frontier | awk '{ n += $1 } END { print n }')
	[ "$reached" -gt 350 ]
	[ "$reached" -le 700 ]
	(cd "$root" && gnuplot -e "term='svg'; out='$BATS_TEST_TMPDIR/l.svg'; data='$BATS_TEST_TMPDIR/levels'" plots/bfs-levels.gp)
	grep -q 'in the frontier' l.svg
}

@test "the demo's schedulers: a row for each, the fastest static limit under its own name" {
	for run in "bfs lrr 5 swl:limit=4 8" "gc swl:limit=16 10 ccws 6"; do
		set -- $run
		printf '# trace-gen 0.1.0 %s --set a=64\n# trace-replay 0.1.0\n' "$1"
		printf 'kernel\tscheduler\tipc_thread\ntotal\t%s\t%s\ntotal\t%s\t%s\n' "${@:2}"
	done | awk -f "$root/plots/demo-ipc.awk" >ipc
	diff ipc - <<-END
		workload	scheduler	ipc_thread	limit
		bfs	lrr	5	-
		bfs	best-swl	8	4
		gc	best-swl	10	16
		gc	ccws	6	-
	END
	awk -f "$root/plots/demo-marks.awk" "$root/datasets/papers/claims.tsv" >marks
	[ "$(column marks scheduler | sort | paste -s -d ' ')" = "ccws lrr" ]
	"$root/plots/bars" -x workload -y ipc_thread -g scheduler -o ipc.svg ipc
}

@test "the committed PTX is what the kernels compile to" {
	make -s -C "$root" check-kernels >said
	! grep -q skipped said || skip "there is no Debian clang 14 here"
}

@test "no test asks a pipe for its size, which is always 0" {
	! grep -nE -- '-[sz] <\(' "$root"/tests/tools/*.bats "$root"/tests/tools/*.bash || false
}

@test "a command that is to fail fails its test where it does not: bash passes over one with ! before it" {
	# What hollow.bats has are tests of a test.
	found=$(awk '
		FILENAME ~ /hollow/ { next }
		/^[[:space:]]*! / {
			line = $0
			while (line ~ /\\$/ && (getline more) > 0)
				line = line more
			if (line !~ /\|\|/)
				print FILENAME ": " line
		}' "$root"/tests/tools/*.bats "$root"/tests/tools/helper.bash)
	echo "$found"
	[ -z "$found" ]
}

@test "every tool takes its options by the one call that looks at how that went" {
	grep -lw argp_parse "$root"/tools/*.c >callers
	[ "$(cat callers)" = "$root/tools/common.c" ]
	[ "$(grep -lw tool_args "$root"/tools/trace-*.c | wc -l)" = "$(ls "$root"/tools/trace-*.c | wc -l)" ]
}

@test "includes follow the arrows, and no part of an SM calls one that calls it" {
	[ -z "${SAN:-}" ] || skip "the plain build does this"
	"$root/tests/arrows" "$build" "$root"
	# And it tells what is planted: includes back, a circle, a call that is not drawn, policies that
	# want the SM, another library or an output.
	mkdir -p copy there/obj/sim
	cp -r "$root"/{libtrace,sim,datasets} copy
	cp -r "$build"/obj/sim/{sm,warp,sched,base} there/obj/sim
	sed -i '1i #include "sim/sm/sm.h"' copy/sim/sched/gto.c
	sed -i '1i # include "sim/mem/mem.h"' copy/sim/sched/lrr.c
	sed -i '1i #include <sim/sm/sm.h>' copy/sim/warp/tbc.c
	echo 'void sim_sm_step(void); void sim_wheel_due(void); void sim_wheel_due(void) { sim_sm_step(); }' |
		gcc -x c -c -o there/obj/sim/sm/wheel.o -
	echo 'void sim_watch_seen(void); void sim_call(void); void sim_call(void) { sim_watch_seen(); }' |
		gcc -x c -c -o there/obj/sim/sm/l1.o -
	for name in an_hits puts; do
		echo "int $name(char *); int call(void); int call(void) { return $name((char *)0); }" |
			gcc -fno-builtin -x c -c -o there/obj/sim/warp/$name.o -
	done
	echo 'void sim_lsu_put(void); void pull(void); void pull(void) { sim_lsu_put(); }' |
		gcc -x c -c -o there/obj/sim/warp/pull.o -
	! "$root/tests/arrows" there copy >said || false
	grep -q 'sim/sched/gto.c includes sim/sm/sm.h: sim/sched may not include sim/sm' said
	grep -q 'sim/sched/lrr.c includes sim/mem/mem.h' said
	grep -q 'sim/warp/tbc.c includes sim/sm/sm.h' said
	grep -q 'in a circle' said
	grep -q 'l1 of sim/sm calls watch, which it may not' said
	grep -q 'an_hits.o wants an_hits of another folder' said
	grep -q 'puts.o wants puts of another folder' said
	grep -q 'pull.o wants sim_lsu_put of another folder' said
}

@test "no function is there that nothing reaches" {
	[ -z "${SAN:-}" ] || skip "the plain build does this"
	make -s -C "$root" dead JOBS=1
	# And it tells what is planted: one that nobody calls, and one of the runtime's.
	cp -r "$root/build/sections" planted
	echo 'void sim_unreached(void); void sim_unreached(void) {}' | gcc -ffunction-sections -x c -c -o lost.o -
	ar r planted/libsim.a lost.o
	echo 'void rt_unreached(void); void rt_unreached(void) {}' |
		gcc -fPIC -ffunction-sections -x c -c -o planted/obj/tools/cuda/runtime/lost.o -
	cd "$root"
	! tests/dead "$OLDPWD/planted" gcc '-lzstd -llzma -lxxhash -linih -lm -ldl -pthread' \
		>"$OLDPWD/said" || false
	grep -qx sim_unreached "$OLDPWD/said"
	grep -qx rt_unreached "$OLDPWD/said"
}

@test "all C is as make format leaves it" {
	clang-format --version 2>/dev/null | grep -q 'version 14' || skip "there is no clang-format 14 here"
	make -s -C "$root" formatted
	# And something is looked at: a copy with a line of another style is told.
	mkdir copy
	cp -r "$root"/{Makefile,.clang-format,sim,libtrace,tools,datasets,tests} copy
	make -s -C copy formatted
	printf 'int  main (void) {return 0;}\n' >>copy/libtrace/buf.c
	expect 2 "libtrace/buf.c" make -s -C copy formatted
}

@test "links within a document lead to one of its headings" {
	for document in "$root"/*.md; do
		sed -n 's/^##* //p' "$document" | tr '[:upper:] ' '[:lower:]-' | tr -cd 'a-z0-9_\n-' >headings
		grep -o '](#[^)]*)' "$document" | sed 's/^](#//; s/)$//' >links || continue
		cat links >>all
		while read -r link; do
			grep -qx -- "$link" headings || echo "${document##*/}: #$link"
		done <links
	done >lost
	diff /dev/null lost
	# MODEL.md's contents name the section of each mechanism.
	sed -n '/^## Contents/,/^## The SM/p' "$root/MODEL.md" >contents
	awk '/^## / { in_it = /^## (Schedulers|Warp policies)$/ } in_it && /^### /' "$root/MODEL.md" |
		sed 's/^### //' >sections
	[ "$(wc -l <sections)" -gt 10 ]
	while read -r section; do
		grep -qF "[$section](" contents || echo "not in the contents: $section"
	done <sections >lost
	diff /dev/null lost
}

@test "nothing that a trial leaves is among the files of the tree" {
	sources >files
	[ "$(wc -l <files)" -gt 500 ]
	# At the top only documents and what builds; no link leads out of the tree.
	grep -v / files |
		{ ! grep -vxE '[A-Z]+\.md|LICENSE|NEWS|Makefile|\.clang-format|\.gitignore|warptrace\.pc\.in'; }
	while read -r file; do
		[ ! -L "$root/$file" ] || readlink "$root/$file"
	done <files | { ! grep '^/'; }
}

@test "what a test is skipped without is installed before the tests, where Debian has it" {
	grep -ohE '(command -v|type -[aP]*) [a-z][a-z0-9-]*' "$root"/tests/tools/*.bats | sed 's/.* //' | sort -u >asked
	grep -qx clang asked
	sed -n '/^NEEDS = /,/^WITHOUT/p' "$root/Makefile" |
		tr -s ' \t' '\n\n' | sed -n 's/:.*//p' >needs
	# NVIDIA's compiler is not in Debian, and a queue wants more than a package.
	printf '%s\n' nvcc sbatch >>needs
	grep -vxF -f needs asked | { ! grep .; }
	# The browsers are those of chromium_is_there.
	sed -n 's/^BROWSERS = //p' "$root/Makefile" >browsers
	grep -qF "in $(cat browsers); do" "$root/tests/tools/helper.bash"
}

@test "all packages that are missing are named at once, those of tests only to who runs them" {
	make=$(command -v make)
	mkdir none
	# missing TARGET [SETTING]: what it says where no command is to be found.
	missing() {
		expect 2 "" env PATH="$PWD/none" "$make" -s -C "$root" NO_INSTALL=1 "$@"
		[ "$(wc -l <stdout)" = 1 ]
		sed -n 's/^missing packages: //p' stdout | tr ' ' '\n' >"$1"
	}
	missing deps
	missing test
	cp test test-deps
	missing demo
	diff deps demo
	for package in gcc libc6-dev libzstd-dev libinih-dev gnuplot-nox; do
		grep -qx "$package" deps
	done
	for package in bats clang libcmocka-dev jq man-db chromium-headless-shell; do
		! grep -qx "$package" deps || false
		grep -qx "$package" test
	done
	grep -vxF -f test deps | { ! grep .; }
	missing test-deps WITHOUT='jq bats'
	grep -vxE 'jq|bats' test | diff - test-deps
}

@test "make help names every target" {
	for target in all demo test check-slow check-bare bench coverage dead fuzz headers man format install uninstall clean; do
		make -s -C "$root" help | grep -q "make $target "
	done
}
