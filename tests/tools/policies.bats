#!/usr/bin/env bats
# Policies of one's own: trace-policies(7), the headers that they include, and trace-replay with them.
load helper

# Once for the file: what make install puts there, in the folder that `installed` names.
setup_file() {
	local root=$BATS_TEST_DIRNAME/../.. build=${WARPTRACE_BUILD:-$BATS_TEST_DIRNAME/../../build}
	export installed=$BATS_FILE_TMPDIR/tree
	unset MAKEFLAGS MFLAGS MAKELEVEL
	if [ -n "${SAN:-}" ]; then # nothing is installed of a sanitized build
		mkdir -p "$installed/share/warptrace"
		cp -r "$build/include" "$installed"
		cp -r "$root/datasets/examples" "$installed/share/warptrace"
	else
		mkdir "$BATS_FILE_TMPDIR/own"
		cp -a "$build"/{bin,obj,command,paths} "$build"/lib* "$BATS_FILE_TMPDIR/own"
		make -s -C "$root" BUILD="$BATS_FILE_TMPDIR/own" prefix="$installed" \
			bindir=/bin DESTDIR= INSTALL_BIN= install
		rm -r "$BATS_FILE_TMPDIR/own"
	fi
}

# examples: they are built here, as a user does it.
examples() {
	cp "$installed"/share/warptrace/examples/* .
	PKG_CONFIG_PATH=$installed/lib/pkgconfig make -s \
		CFLAGS="-Werror ${SAN:+-I$installed/include}" 2>made || { cat made && return 1; }
}

# object FILE.so [OPTION]...: of the program on standard input.
object() {
	gcc -std=c11 -Wall -Wextra -Werror -fPIC -shared "-I$installed/include" "${@:2}" -x c -o "$1" -
}

# scheduler FILE.so [OPTION]...: one that picks the lowest slot. MEMBERS come after those that it
# needs, and replace them.
scheduler() {
	object "$1" -Wno-override-init "${@:2}" <<-'END'
		#include <warptrace/sched.h>
		#ifndef MEMBERS
		#define MEMBERS
		#endif
		static uint32_t pick(void *s, const struct sim_bits *ready, uint64_t now)
		{
			(void)s;
			(void)now;
			return sim_bits_next(ready, 0);
		}
		#ifdef WRONG
		static uint32_t wrong(void *s, const struct sim_bits *ready, uint64_t now)
		{
			(void)s;
			(void)now;
			return sim_bits_any(ready) ? WRONG : 0;
		}
		#endif
		const struct sim_sched warptrace_sched = {.abi = SIM_SCHED_ABI,
			.bytes = sizeof(struct sim_sched), .name = "lowest", .help = "it",
			.pick = pick, MEMBERS};
	END
}

# warp_policy FILE.so [OPTION]...: the built-in null, with MEMBERS likewise; its text is in own.c.
warp_policy() {
	sed -e 's|"sim/warp/warp.h"|<warptrace/warp.h>|' -e 's/sim_warp_null/warptrace_warp/' \
		-e 's/"null"/"as-null"/' -e 's/\.next = next,/& MEMBERS/' "$root/sim/warp/null.c" >own.c
	sed -i '/^#include/r /dev/stdin' own.c <<-'END'
		#ifdef SLOT
		#ifndef BEATS
		#define BEATS 1
		#endif
		static uint32_t every(void *p, const struct sim_front *front, uint32_t inst)
		{
			(void)p;
			(void)front;
			(void)inst;
			return SIM_ASK_FORM;
		}
		static void join(void *p, struct sim_front *front, uint32_t warp,
			struct sim_bundle *bundle, uint64_t now)
		{
			(void)p;
			(void)front;
			(void)warp;
			(void)now;
			bundle->beat[bundle->n].warp = SLOT;
			bundle->beat[bundle->n++].joins = 1;
		}
		static void pick(void *p, struct sim_front *front, const struct sim_bits *ready,
			struct sim_bundle *bundle, uint64_t now)
		{
			(void)p;
			(void)front;
			(void)ready;
			(void)now;
			bundle->beat[0].warp = SLOT;
			bundle->beat[0].joins = 0;
			bundle->n = BEATS;
		}
		static uint32_t first(void *p, const struct sim_front *front, uint32_t scheduler,
			const uint16_t **list, uint64_t now)
		{
			static const uint16_t one[] = {SLOT};

			(void)p;
			(void)front;
			(void)scheduler;
			(void)now;
			*list = one;
			return 1;
		}
		#endif
	END
	object "$1" -Wno-override-init "${@:2}" <own.c
}

# state OPTION...: the state of a replay in the end.
state() {
	trace-replay -v "$@" t.wt 2>said >table
	sed -n 's/.*; state \([0-9a-f]*\)$/\1/p' said | grep .
}

@test "the examples run beside built-in policies, under names of their own" {
	examples
	trace-gen bfs --set nodes=800,degree=4 -o t.wt
	trace-replay --compare gto,./laggard.so,./laggard.so:slack=20,lrr -w ./stride.so:step=4 \
		--format=tsv t.wt >table
	[ "$(column table scheduler | paste -s -d ' ')" = "gto laggard laggard:slack=20 lrr" ]
	[ "$(column table warp | sort -u)" = stride:step=4 ]
	[ "$(column table thread_insts | sort -u | wc -l)" = 1 ]
	[ "$(column table cycles | sort -u | wc -l)" -gt 2 ]
	# In any order, and one by one.
	trace-replay -j 4 --compare gto,./laggard.so,./laggard.so:slack=20,lrr -w ./stride.so:step=4 \
		--format=tsv t.wt | grep -v '^#' >again
	grep -v '^#' table | diff - again
	trace-replay -s laggard.so:20 -w stride.so:4 --format=tsv t.wt >one
	[ "$(column one scheduler | tail -n 1)" = laggard:20 ]
	[ "$(column one cycles | tail -n 1)" = "$(column table cycles | sed -n 3p)" ]
}

@test "the examples do what they say" {
	examples
	# Lanes that stand every fourth thread: accesses that were side by side are on four lines.
	trace-gen matmul --set tiles=2,depth=2 -o t.wt
	for step in 1 4; do
		trace-replay -w ./stride.so:step=$step --stats=policy --format=tsv t.wt >$step.tsv
	done
	[ "$(column 4.tsv coalescing_rate | tail -n 1 | cut -d. -f1)" -lt \
		"$(column 1.tsv coalescing_rate | tail -n 1 | cut -d. -f1)" ]
	[ "$(column 4.tsv parted_blocks | tail -n 1)" = 0 ]
	trace-gen bfs --set nodes=800,degree=4 -o t.wt
	trace-replay -w ./stride.so --stats=policy --format=tsv t.wt >bfs.tsv
	[ "$(column bfs.tsv parted_blocks | tail -n 1)" -gt 0 ]
	# With a step of 1 it is the policy that it was made from; the counter is the last column.
	trace-replay -w ./stride.so:1 --stats=policy --format=tsv t.wt | grep -v '^#' |
		sed 's/stride:1/null/; s/	[^	]*$//' >stride.tsv
	trace-replay -w null --stats=policy --format=tsv t.wt | grep -v '^#' | diff - stride.tsv
	# With room for all the last one goes on as long as it can.
	[ "$(trace-replay -s ./laggard.so:slack=1000000 --format=tsv t.wt | column - cycles)" != \
		"$(trace-replay -s ./laggard.so --format=tsv t.wt | column - cycles)" ]
}

@test "a policy that is loaded comes to the same state as when it is built in" {
	trace-gen bfs --set nodes=800,degree=4 -o t.wt
	warp_policy ./null.so -DMEMBERS=
	loaded=$(state -w ./null.so)
	[ "$(state -w null)" = "$loaded" ]
	for name in gto ccws; do
		cp "$root"/sim/sched/{$name.c,vta.[ch]} .
		sed -i -e 's#"sim/sched/vta.h"#"vta.h"#; s#"sim/sched/#"warptrace/#' \
			-e 's#"sim/base/#"warptrace/base/#; s#"libtrace/#"warptrace/#' \
			-e "s/sim_sched_$name /warptrace_sched /; s/\"$name\"/\"own\"/" $name.c vta.c
		gcc -std=c11 -Wall -Wextra -Werror -fPIC -shared "-I$installed/include" -I. \
			-o $name.so $name.c $([ $name = gto ] || echo vta.c)
		k=$([ $name = gto ] || echo :k=32)
		[ "$(state -s $name$k)" = "$(state -s ./$name.so$k)" ]
	done
}

@test "a warp policy with stacks is linked with libwarptrace-policy.a, and with nothing else" {
	[ -z "${SAN:-}" ] || skip "the plain build does this"
	trace-gen mummer --set queries=300,reference=4K -o t.wt
	sed -e 's#"sim/warp/#"warptrace/#; s/sim_warp_fixed/warptrace_warp/; s/"fixed"/"own"/' \
		"$root/sim/warp/fixed.c" >own.c
	gcc -std=c11 -Wall -Wextra -Werror -fPIC -shared "-I$installed/include" -o own.so own.c \
		"$installed/lib/libwarptrace-policy.a"
	loaded=$(state -w ./own.so:size=16,lcp=1)
	[ "$(state -w fixed:size=16,lcp=1)" = "$loaded" ]
	[ "$(state -w fixed:size=16)" != "$loaded" ]
	# Without it the loader says what is missing.
	gcc -std=c11 -fPIC -shared "-I$installed/include" -o own.so own.c
	expect 2 "undefined symbol: sim_" trace-replay -w ./own.so t.wt
	# All that its headers declare is there, and it wants no more than libc.
	nm -g --defined-only "$installed/lib/libwarptrace-policy.a" | awk 'NF == 3 { print $3 }' |
		sort >has
	grep -ohE '\bsim_[a-z_]+(\(|\[)' "$installed"/include/warptrace/{pdom,lcp}.h |
		tr -d '[( ' | sort -u >declared
	[ -s declared ]
	diff has declared
	! nm -u "$installed/lib/libwarptrace-policy.a" | grep -E ' U (tr|sim)_' | grep -v sim_lcp_of || false
}

@test "parameters of one's own are read and shown as those of the others" {
	examples
	small t.wt
	trace-replay -s ./laggard.so=help --format=tsv | grep -v '^#' >got
	diff got - <<-END
		name	parameters	bounds	help
		laggard	-	-	the warp that has issued least, so that a CTA's warps stay together
		laggard	slack=0	0 to 1000000	instructions that the last one may be ahead and go on
	END
	trace-replay -w stride.so=help | grep -q '^stride  *step=2'
	trace-replay -s swl=help --format=tsv >got
	[ "$(column got name | sort -u)" = swl ]
	grep -q 'limit=32' got
	trace-replay -w dwr=help | grep -q '^dwr  *ilt=32'
	# The same sentences.
	expect 2 "laggard has no parameter 'slak', did you mean 'slack'?" \
		trace-replay -s ./laggard.so:slak=3 t.wt
	expect 2 "laggard: slack=-1 is outside 0 to 1000000" trace-replay -s ./laggard.so:slack=-1 t.wt
	expect 2 "stride: step: 'two' is no number" trace-replay -w ./stride.so:two t.wt
	expect 2 "'slack' is given twice" trace-replay --compare gto,./laggard.so:slack=1,slack=2 t.wt
	scheduler ./plain.so
	expect 2 "lowest takes no parameters" trace-replay -s ./plain.so:1 t.wt
	trace-replay -s help | grep -q -- '--scheduler ./FILE.so'
	trace-replay -w help | grep -q -- '--warp ./FILE.so'
	! trace-replay -w help --format=tsv | grep -q FILE.so || false
	expect 2 "unknown scheduler 'gtoo', did you mean 'gto'?" trace-replay -s gtoo=help
}

@test "what is no policy is refused with the reason" {
	small t.wt
	examples
	expect 2 "--scheduler: cannot open './nowhere.so': No such file" trace-replay -s ./nowhere.so t.wt
	expect 2 "--compare: cannot open './nowhere.so'" trace-replay --compare gto,nowhere.so t.wt
	expect 2 "--warp: cannot open './nowhere.so'" trace-replay -w nowhere.so=help
	echo text >text.so
	expect 2 "cannot load './text.so': file too short" trace-replay -s ./text.so t.wt
	cp t.wt long.so
	expect 2 "cannot load './long.so': invalid ELF header" trace-replay -w ./long.so t.wt
	mkdir folder.so
	expect 2 "cannot load './folder.so'" trace-replay -s ./folder.so t.wt
	expect 2 "'./stride.so' is no scheduler: it is a warp policy" trace-replay -s ./stride.so t.wt
	expect 2 "'./laggard.so' is no warp policy: it is a scheduler" trace-replay -w ./laggard.so t.wt
	echo 'int other;' | object ./other.so
	expect 2 "'./other.so' has no scheduler: there is no symbol warptrace_sched" \
		trace-replay -s ./other.so t.wt
	expect 2 "there is no symbol warptrace_warp" trace-replay -w ./other.so t.wt
	# A name of the simulator that is no service.
	echo 'void sim_sm_step(void); void call(void); void call(void) { sim_sm_step(); }' |
		object ./call.so
	expect 2 "undefined symbol: sim_sm_step" trace-replay -s ./call.so t.wt
	# A machine brings no code along.
	expect 2 "sm.scheduler: './laggard.so' is a file" \
		trace-replay --set sm.scheduler=./laggard.so t.wt
	# And no run writes what it reads.
	cp laggard.so kept.so
	expect 2 "laggard.so" trace-replay -s ./laggard.so -o laggard.so t.wt
	cmp laggard.so kept.so
}

@test "a policy of another version, or without what it needs, is refused with the reason" {
	small t.wt
	scheduler ./s.so
	trace-replay -s ./s.so --format=tsv t.wt >table
	[ "$(column table scheduler | sort -u)" = lowest ]
	# Each with the members that are wrong, and what is said of them.
	while IFS='|' read -r members sentence; do
		scheduler ./s.so "-DMEMBERS=$members"
		expect 2 "--scheduler: cannot use './s.so': $sentence" trace-replay -s ./s.so t.wt
		expect 2 "cannot use './s.so': $sentence" trace-replay --compare gto,./s.so t.wt
		expect 2 "cannot use './s.so': $sentence" trace-replay -s ./s.so=help
	done <<-'END'
		.abi = SIM_SCHED_ABI + 1|its structs have other sizes than this trace-replay
		.abi = SIM_SCHED_ABI + (1 << 20)|it was compiled for schedulers of version 4, this trace-replay has 3
		.abi = 0|it was compiled for schedulers of version 0, this
		.bytes = sizeof(struct sim_sched) - 8|its `bytes` are
		.bytes = 0|its `bytes` are 0, a struct sim_sched has
		.pick = 0|it lacks pick
		.name = 0|it lacks a name
		.name = ""|it lacks a name
		.name = "a name:x"|it lacks a name
		.help = 0|it lacks a name
		.name = "gto"|its name is 'gto', and so is a built-in one's
		.params = {{"n", 5, 0, 4, "h", 0}}|parameter 'n': its default is outside its bounds
		.params = {{"n", 1, 0, 4, 0, 0}}|parameter 1 has no name or no help text
		.params = {{"n", 1, 0, 1, "h", (const char *const[]){"one", 0}}}|parameter 'n': not all values have a word
	END
	warp_policy ./w.so -DMEMBERS=
	trace-replay -w ./w.so t.wt >table
	grep -q as-null table
	while IFS='|' read -r members sentence; do
		warp_policy ./w.so "-DMEMBERS=$members" -Wno-unused
		expect 2 "--warp: cannot use './w.so': $sentence" trace-replay -w ./w.so t.wt
	done <<-'END'
		.abi = SIM_WARP_ABI - 1,|its structs have other sizes
		.abi = SIM_WARP_ABI + (1 << 20),|it was compiled for warp policies of version 4, this
		.bytes = 96,|its `bytes` are 96, a struct sim_warp_policy has
		.shape = 0,|it lacks one of shape, start, arrive and next
		.start = 0,|it lacks one of shape
		.arrive = 0,|it lacks one of shape
		.next = 0,|it lacks one of shape
		.hears = SIM_TOLD_DATA,|it lacks told, though it hears
		.priority = 77,|its priority is none
		.name = "fixed",|its name is 'fixed', and so is
		.counters = {{"two words", "h", 0}},|counter 1 has no name or no help text
	END
}

@test "instructions at which a policy asks for what it has not are as any other" {
	trace-gen bfs --set nodes=800,degree=4 -o t.wt
	warp_policy ./w.so -DMEMBERS=
	cat >>own.c <<-'END'
		static uint32_t all(void *p, const struct sim_front *front, uint32_t inst)
		{
			(void)p;
			(void)front;
			(void)inst;
			return SIM_ASK_MAY | SIM_ASK_FORM | SIM_ASK_TOLD;
		}
	END
	sed -i '/^#include/a static uint32_t all(void *, const struct sim_front *, uint32_t);' own.c
	object ./w.so '-DMEMBERS=.asks = all,' <own.c
	loaded=$(state -w ./w.so)
	[ "$(state -w null)" = "$loaded" ]
}

@test "loaded policies work under a bound of memory" {
	examples
	small t.wt
	trace-replay --max-memory=200M -s ./laggard.so -w ./stride.so --format=tsv t.wt >table
	[ "$(column table scheduler | sort -u)" = laggard ]
}

@test "the headers that are installed compile alone, as C and as C++, and name nothing else" {
	cd "$installed/include"
	ls warptrace/sched.h warptrace/warp.h warptrace/age.h warptrace/base/warp.h
	for header in warptrace/*.h warptrace/base/*.h; do
		echo "#include <$header>" >"$BATS_TEST_TMPDIR/one.c"
		gcc -std=c11 -pedantic -Wall -Wextra -Werror -I. -fsyntax-only "$BATS_TEST_TMPDIR/one.c"
		g++ -std=c++17 -Wall -Wextra -Werror -I. -fsyntax-only -x c++ "$BATS_TEST_TMPDIR/one.c"
	done
	# What the simulator offers itself, and policies do not get.
	! grep -rE '^[a-z].*\bsim_[a-z_]*\(' warptrace | grep -vE 'static inline|/(pdom|lcp).h:' || false
	! grep -rE '#include "(sim|libtrace)/' warptrace || false
}

@test "a policy's version has the size of each struct that it shares with its SM" {
	cd "$installed/include/warptrace"
	# structs HEADER...: that they define; those of a parting are gone when a call returns.
	structs() { sed -n 's/^struct \([a-z_]*\) {.*/\1/p' "$@" | grep -vx sim_parting; }
	structs sched.h base/{param,bits,profile,paths,warp}.h | grep -vx 'sim_sched\|sim_thread' >sched
	structs warp.h base/{param,bits,config,geometry,paths,warp}.h | grep -vx sim_warp_policy >warp
	for kind in sched warp; do
		grep -q sim_path $kind
		# Those of both kinds stand in base/warp.h.
		sed -n "/^#define SIM_${kind^^}_ABI_SIZES/,/^$/p; /^#define SIM_ABI_SIZES/,/^$/p" $kind.h base/warp.h |
			sed '/^#define SIM_[A-Z]*_ABI (/d' >macro
		grep -q SIM_ABI_SIZES macro
		while read -r name; do
			grep -q "sizeof(struct $name) \* [0-9]*u" macro || echo "$kind.h: $name"
		done <$kind
		# No two by the same factor.
		grep -oE '[0-9]+u' macro | sort | uniq -d
	done >lost
	diff /dev/null lost
}

@test "a policy that picks a warp which is not ready ends the run with its name" {
	small t.wt
	for pick in 5000 'sim_bits_has(ready, 0) ? 7 : 0'; do
		scheduler ./s.so "-DMEMBERS=.pick = wrong" "-DWRONG=$pick"
		for more in '' --priority=age; do
			expect 1 "scheduler 'lowest' picked warp" trace-replay $more -s ./s.so t.wt
			grep -q 'which is not ready' stderr
		done
	done
	for slot in 5000 7; do
		for member in ".asks = every, .form = join" ".pick = pick"; do
			warp_policy ./w.so "-DMEMBERS=$member," "-DSLOT=$slot" -Wno-unused
			expect 1 "warp policy 'as-null' picked warp $slot, which is not ready" \
				trace-replay -w ./w.so t.wt
		done
	done
	# What goes first is a warp of the SM.
	warp_policy ./w.so "-DMEMBERS=.first = first," -DSLOT=5000 -Wno-unused
	expect 1 "warp policy 'as-null' picked warp 5000, which is not ready" trace-replay -w ./w.so t.wt
	warp_policy ./w.so "-DMEMBERS=.pick = pick," -DSLOT=0 -DBEATS=1000 -Wno-unused
	expect 1 "warp policy 'as-null' picked 1000 warps, of at most" trace-replay -w ./w.so t.wt
}

@test "the manual's first example" {
	awk '/^\.EX$/ { on = 1; next } /^\.EE$/ { on = 0 } on' "$root/tools/trace-policies.7" |
		sed "s|/usr/local|$installed|; s/trace-gen bfs/& --set nodes=800,degree=4/" >example
	[ "$(wc -l <example)" = 4 ]
	export PKG_CONFIG_PATH=$installed/lib/pkgconfig
	[ -z "${SAN:-}" ] || export CFLAGS=-I$installed/include
	bash -eu -o pipefail example >said
	grep -q '^total  *laggard:slack=20 ' said
	grep -q '^total  *gto  *stride:step=4 ' said
	grep -q 'parted_blocks$' said
}
