#!/usr/bin/env bats
# trace-info.
load helper

fixed="launch kernel grid block ctas threads thread_insts warp_insts_32 branches"
fixed="$fixed divergent_branches_32 mem_insts bytes_per_thread_inst"

@test "the columns that others rely on come first, in their order" {
	small
	trace-info --format=tsv small.wt | grep -v '^#' | head -n 1 | cut -f 1-12 | tr '\t' ' ' >got
	[ "$(cat got)" = "$fixed" ]
}

@test "provenance stands above a TSV table, and can be left out" {
	small
	trace-info --format=tsv small.wt >t
	sed -n 1p t | grep -q '^# trace-gen [0-9.]* bfs --set nodes=64,degree=3$'
	sed -n 2p t | grep -q '^# trace-info [0-9.]* --format=tsv small.wt$'
	! trace-info --format=tsv --no-provenance small.wt | grep -q '^#' || false
}

@test "launches add up to the total, classes and spaces to the launch" {
	small
	trace-info --format=tsv small.wt >t
	awk -F '\t' '
		/^#/ { next }
		!n { n = NF; for (i = 1; i <= NF; i++) name[i] = $i; next }
		{
			class = space = 0
			for (i = 5; i <= n; i++) {
				if (name[i] ~ /^thread_insts_/) class += $i
				if (name[i] ~ /^mem_insts_/) space += $i
				if (name[i] == "thread_insts") insts = $i
				if (name[i] == "mem_insts") mem = $i
				if ($1 != "total") sum[i] += $i
				else if (name[i] !~ /bytes_per|efficiency|parent|depth|cluster/ && sum[i] != $i) bad = name[i]
			}
			if (class != insts) bad = "classes of " $1
			if (space != mem) bad = "spaces of " $1
			last = $1
		}
		END { print bad; exit bad != "" || last != "total" }' t
}

@test "instructions add up to the launch" {
	small
	trace-info --by pc --format=tsv small.wt >pcs
	trace-info --format=tsv small.wt >launches
	for c in thread_insts warp_insts_32 branches divergent_branches_32; do
		sum=$(column pcs $c | awk '{ n += $1 } END { print n }')
		[ "$sum" -gt 0 ]
		[ "$sum" = "$(column launches $c | tail -n 1)" ]
	done
}

@test "known counts of a kernel that parts" {
	ptx '	and.b32 %r6, %r2, 1;
	setp.eq.u32 %p1, %r6, 0;
	@%p1 bra EVEN;
	mul.wide.u32 %rd2, %r2, 4;
	add.s64 %rd3, %rd1, %rd2;
	st.global.u32 [%rd3], %r2;
EVEN:
	setp.lt.u32 %p2, %r5, 8;
	@%p2 add.u32 %r7, %r2, 1;' >k.ptx
	run_k -o k.wt
	trace-info --format=tsv k.wt >t
	# Per thread 6 + 2 instructions, half of them the branch, the others 3 more; setp; 8 of 32 the
	# add; ret. Per warp 6 + 3 + 3 + 3.
	[ "$(column t thread_insts)" = $((64 * 8 + 32 + 32 * 3 + 64 + 16 + 64)) ]
	[ "$(column t warp_insts_32)" = 30 ]
	[ "$(column t branches)" = 2 ]
	[ "$(column t divergent_branches_32)" = 2 ]
	[ "$(column t mem_insts_global)" = 32 ]
	[ "$(column t mem_insts_param)" = 128 ]
	[ "$(column t ctas)" = 2 ]
}

@test "--dump is text and golden" {
	ptx '	setp.ge.u32 %p1, %r2, 3;
	@%p1 bra DONE;
	mul.wide.u32 %rd2, %r2, 4;
	add.s64 %rd3, %rd1, %rd2;
	st.global.u32 [%rd3], %r2;
DONE:' >k.ptx
	trace-gen --ptx k.ptx --entry k --grid 2 --block 4 --arg x=buf:64:iota --arg u32:3 -o k.wt
	trace-info --dump k.wt >dump
	golden parting.dump dump
	trace-info --dump --cta 1 k.wt | grep '^thread ' | wc -l | grep -qx 4
}

@test "the table for people, golden" {
	ptx '	bar.sync 0;' >k.ptx
	run_k -o k.wt
	# What a launch takes in the file is zstd's affair.
	trace-info --no-provenance k.wt | sed -E 's/ [0-9.e-]+( +[0-9.]+)$/ BYTES\1/' >human
	golden barrier.human human
}

@test "JSON is an array with an object per launch" {
	small
	trace-info --format=json small.wt >j
	head -c 1 j | grep -q '\['
	tail -n 1 j | grep -qx ']'
	[ "$(grep -c '^{"launch":' j)" = "$(trace-info --format=tsv small.wt | column - launch | wc -l)" ]
	[ "$(tr -cd '{' <j | wc -c)" = "$(tr -cd '}' <j | wc -c)" ]
}

@test "a part is the part, from a file and from a pipe" {
	trace-gen bfs --set nodes=900 -o s.wt
	trace-info --format=tsv s.wt >all
	trace-info --format=tsv --launch 1-2 s.wt >part
	[ "$(column part launch | tr '\n' ' ')" = "1 2 total " ]
	[ "$(column part thread_insts | head -n 1)" = "$(column all thread_insts | sed -n 2p)" ]
	trace-info --format=tsv --launch 1-2 --no-provenance <s.wt >piped
	grep -v '^#' part | cmp - piped
	a=$(trace-info --format=tsv --launch 0 --cta 0-1 s.wt | column - thread_insts)
	b=$(trace-info --format=tsv --launch 0 --cta 2-99 s.wt | column - thread_insts)
	[ $((a + b)) = "$(column all thread_insts | head -n 1)" ]
	expect 2 "is no number and no range" trace-info --launch 3-1 s.wt
}

@test "--check is silent on a sound stream, from a file and from a pipe" {
	small
	run trace-info --check small.wt
	[ "$status" -eq 0 ]
	[ -z "$output" ]
	bash -o pipefail -c 'cat small.wt | trace-info --check'
	sound small.wt
}

@test "a stream that is cut is found wherever it is cut" {
	small
	size=$(stat -c %s small.wt)
	for ((at = 0; at < size; at += size / 60 + 1)); do
		head -c "$at" small.wt >cut.wt
		expect 1 "trace-info: cannot read 'cut.wt': " trace-info --check cut.wt
		expect 1 "trace-info: cannot read standard input: " bash -c 'cat cut.wt | trace-info --check'
	done
	head -c $((size - 1)) small.wt >cut.wt
	expect 1 "cannot read" trace-info --check cut.wt
}

@test "a flipped bit is found wherever it is" {
	small
	size=$(stat -c %s small.wt)
	for ((at = 0; at < size; at += size / 60 + 1)); do
		cp small.wt bad.wt
		byte=$(od -An -tu1 -j "$at" -N 1 small.wt)
		printf "\\x$(printf %x $((byte ^ 1 << at % 8)))" |
			dd of=bad.wt bs=1 seek="$at" conv=notrunc status=none
		expect 1 "trace-info: cannot read 'bad.wt': " trace-info --check bad.wt
	done
}

@test "an access stream: how it was made, and what is in it" {
	small
	trace-coalesce --warp-size 16 --sms 3 --order gto small.wt -o a.wt
	trace-info --no-provenance a.wt >human
	golden accesses.human human
	trace-info --format=tsv a.wt >t
	sed -n 2p t | grep -q '^# trace-coalesce'
	[ "$(grep -v '^#' t | head -n 1 | cut -f 1-12 | tr '\t' ' ')" = \
		"launch kernel grid block accesses reads writes atomics mem_insts bytes_per_access warp_insts thread_insts" ]
	[ "$(column t kind | sort -u) $(column t warp_size | sort -u) $(column t sms | sort -u)" = "accesses 16 3" ]
	[ "$(column t thread_insts | tail -n 1)" = "$(trace-info --format=tsv small.wt | column - thread_insts | tail -n 1)" ]
	awk -F '\t' '/^#/ || $1 == "launch" { next }
		$5 != $6 + $7 + $8 { bad = 1 }
		$1 != "total" { for (i = 5; i <= 9; i++) sum[i] += $i; next }
		{ for (i = 5; i <= 9; i++) if ($i != sum[i]) bad = 1; total = 1 }
		END { exit bad || !total }' t
	trace-coalesce --summary --warp-size 16 --format=tsv small.wt >summary
	paste <(column t launch) <(column t mem_insts) <(column t accesses) >got
	paste <(column summary launch) <(column summary mem_insts) <(column summary transactions) | cmp - got
	trace-info --format=tsv --no-provenance <a.wt >piped
	grep -v '^#' t | cmp - piped
	expect 2 "'a.wt' is an access stream: trace-locality and trace-belady split it by pc" trace-info --by pc a.wt
	expect 1 "cannot write standard output" bash -c 'trace-info a.wt >/dev/full'
}

@test "the access stream of a replay names its cache" {
	small
	trace-replay -q --machine k20c --scheduler lrr --access-stream a.wt small.wt >/dev/null
	trace-info a.wt | grep -qx 'access stream: warps of 32, lines of 128 bytes, rule cc2, order lrr, machine k20c, SMs 13'
	trace-info a.wt | grep -qx 'made by a replay with L1Ds of 16384 bytes, 32 sets of 4 ways, index xor, write evict'
}

@test "a part of an access stream is the part" {
	small
	trace-coalesce small.wt -o a.wt
	trace-info --format=tsv a.wt >all
	trace-info --format=tsv --launch 1-2 a.wt >part
	[ "$(column part launch | tr '\n' ' ')" = "1 2 total " ]
	[ "$(column part accesses | head -n 2)" = "$(column all accesses | sed -n 2,3p)" ]
	trace-info --format=tsv --launch 1-2 --no-provenance <a.wt | cmp - <(grep -v '^#' part)
	[ "$(trace-info --format=tsv --cta 0 --launch 1 a.wt | column - warp_insts)" = - ]
	[ "$(trace-info --format=tsv --launch 1 a.wt | column - thread_insts)" = - ]
	[ "$(trace-info --format=tsv --launch 1-2 a.wt | column - thread_insts | sort -u)" = - ]
	expect 2 "cannot read 'a.wt': no CTA" trace-info --launch 99 a.wt
}

@test "--dump of an access stream is text and golden" {
	ptx '	setp.ge.u32 %p1, %r2, 3;
	@%p1 bra DONE;
	mul.wide.u32 %rd2, %r2, 4;
	add.s64 %rd3, %rd1, %rd2;
	st.global.u32 [%rd3], %r2;
DONE:' >k.ptx
	trace-gen --ptx k.ptx --entry k --grid 2 --block 4 --arg x=buf:64:iota --arg u32:3 |
		trace-coalesce -o a.wt
	trace-info --dump a.wt >dump
	golden accesses.dump dump
	bfs=$(trace-gen bfs --set nodes=64 | trace-coalesce | trace-info --dump | grep -c '^access ')
	[ "$bfs" = "$(trace-gen bfs --set nodes=64 | trace-coalesce | trace-info --format=tsv | column - accesses | tail -n 1)" ]
}

@test "--check of an access stream finds every cut and every flipped bit" {
	small
	trace-coalesce small.wt -o a.wt
	run bash -o pipefail -c 'trace-info --check a.wt && cat a.wt | trace-info --check'
	[ "$status" -eq 0 ]
	[ -z "$output" ]
	size=$(stat -c %s a.wt)
	for ((at = 0; at < size; at += size / 40 + 1)); do
		head -c "$at" a.wt >bad.wt
		expect 1 "trace-info: cannot read 'bad.wt': " trace-info --check bad.wt
		cp a.wt bad.wt
		byte=$(od -An -tu1 -j "$at" -N 1 a.wt)
		printf "\\x$(printf %x $((byte ^ 1 << at % 8)))" |
			dd of=bad.wt bs=1 seek="$at" conv=notrunc status=none
		expect 1 "trace-info: cannot read 'bad.wt': " trace-info --check bad.wt
	done
}

@test "what is no trace is refused" {
	: >empty
	expect 1 "cannot read 'empty': " trace-info empty
	echo hello >text
	expect 1 "cannot read 'text': not a warptrace stream" trace-info text
	expect 1 "cannot open 'missing': No such file or directory" trace-info missing
	expect 1 "cannot read '.': " trace-info .
	small
	echo more >>small.wt
	expect 1 "cannot read 'small.wt': " trace-info --check small.wt
}

@test "usage errors end with 2" {
	expect 2 "unknown split 'lines': did you mean 'line'?" trace-info --by lines
	expect 2 "--dump is of one FILE" trace-info --dump a b
	expect 2 "--by tree counts the CTAs of whole launches" trace-info --by tree --cta 0-1 a
	run script -qec "trace-info" /dev/null
	[ "$status" -eq 2 ]
	[[ $output == *"standard input is a terminal"* ]]
}

@test "names in tables and their heads have blanks for control characters" {
	sed 's/^-kernel name = .*/-kernel name = k\x1b[31m\tx\x7f/' \
		"$root/tests/fixtures/accel-sim/v3/kernel-1.traceg" >kernel-1.traceg
	trace-convert kernel-1.traceg -q -o k.wt
	trace-coalesce -q k.wt -o k.as
	for f in k.wt k.as; do
		trace-info $f >human
		trace-info --vertical $f >>human
		trace-info --format=tsv $f >>human
		grep -q 'k \[31m x ' human
		[ "$(tr -d '\n\t -~' <human | tr -d '\200-\377' | wc -c)" = 0 ]
	done
	! trace-info k.wt | grep -q "$(printf '\t')" || false
}

# named BYTES: k.wt, whose kernel has this name.
named() {
	LC_ALL=C sed "s/^-kernel name = .*/-kernel name = $(printf "$1")/" \
		"$root/tests/fixtures/accel-sim/v3/kernel-1.traceg" >kernel-1.traceg
	trace-convert kernel-1.traceg -q -o k.wt
}

@test "control characters of C1 are blanks in tables, as UTF-8 and as single bytes" {
	# U+009B and 0x9b begin a terminal's commands as ESC [ does; U+00A0, o with dots and U+20AC, whose
	# bytes are 0x82 and 0xac, do not.
	named 'k\xc2\x9b31m\x9b1mx\xc2\x80\xc2\xa0\xc3\xb6\xe2\x82\xac\x85\xff'
	printf 'k 31m 1mx \xc2\xa0\xc3\xb6\xe2\x82\xac \xff' >want
	for format in human tsv; do
		trace-info --format=$format --columns kernel k.wt | LC_ALL=C grep -aF 31m >got
		LC_ALL=C grep -aFx -f want got
	done
	trace-info k.wt | LC_ALL=C grep -aF -f want | wc -l | grep -qx 2
}

@test "columns stand below each other, whatever bytes the letters of a name have" {
	named '\xc3\xb6\xe2\x82\xac\xff'
	trace-info --columns kernel,grid k.wt >wide
	named 'oec'
	trace-info --columns kernel,grid k.wt >narrow
	grep -q oec narrow
	LC_ALL=C sed 's/\xc3\xb6\xe2\x82\xac\xff/oec/' wide | diff - narrow
}

@test "JSON is JSON, whatever the names are" {
	# A byte that begins nothing, one that has no end, an overlong /, half a surrogate pair, what is
	# beyond U+10FFFF; and the last one there is.
	named 'a\xffb\xc3 \xc0\xafc\xed\xa0\x80d\xf4\x90\x80\x80e\xf4\x8f\xbf\xbf\xc2\x9b\x01\x7f"'
	trace-info --format=json k.wt >t.json
	iconv -f UTF-8 -t UTF-8 t.json | cmp - t.json
	! LC_ALL=C grep -q "$(printf '[\001\177]')" t.json || false
	jq -r '.[0].kernel' t.json >got
	f='\xef\xbf\xbd'
	printf "a${f}b$f $f${f}c$f$f${f}d$f$f$f${f}e\xf4\x8f\xbf\xbf\xc2\x9b\x01\x7f\"\n" | cmp - got
	# The events and the timeline of a replay, too.
	trace-replay -q --events e.json --timeline t.json -o t.tsv k.wt
	for file in e.json t.json; do
		iconv -f UTF-8 -t UTF-8 $file | cmp - $file
		jq -e . $file >parsed
		LC_ALL=C grep -qF "$(printf 'e\xf4\x8f\xbf\xbf')" $file
	done
}

@test "a full disk and a closed reader" {
	trace-gen bfs --set nodes=900 -o s.wt
	expect 1 "cannot write standard output" bash -c 'trace-info s.wt >/dev/full'
	bash -c 'trace-info --dump s.wt 2>stderr | head -n 1 >/dev/null'
	[ ! -s stderr ]
}

@test "-o writes the same table" {
	small
	trace-info --format=tsv --no-provenance small.wt >a
	trace-info --format=tsv --no-provenance small.wt -o b
	cmp a b
}

@test "the tree of launches: who launched whom, how often, with how many threads" {
	trace-gen bfs-dyn --set form=dyn,nodes=2000 -o dyn.wt
	trace-info --check dyn.wt
	trace-info --by tree --format=tsv --no-provenance dyn.wt >tree
	trace-info --format=tsv dyn.wt >launches
	[ "$(awk -F '\t' '$3 == "bfs_copy" { print $2, $4 }' tree)" = "0 1" ]
	# What threads say that they launched is what was launched.
	[ "$(column launches children | tail -n 1)" = "$(awk -F '\t' '$3 == "bfs_copy" { print $5 }' tree)" ]
	[ "$(column launches depth | grep -c 1)" = "$(column launches children | tail -n 1)" ]
	trace-info dyn.wt | grep -q '^    bfs_copy: .* threads each, 1 deep$'
	trace-info --dump dyn.wt | grep -q ' launches .*value '
	trace-info --dump dyn.wt | grep -q '^launch 1 .* parent=0,0,.* buffer=0x7b'
	# Of a part, launches have the depth that they have in the whole.
	trace-gen amr --set form=dyn,depth=2 -o amr.wt
	trace-info --columns launch,parent,depth --format=tsv --no-header amr.wt | grep -v total >whole
	[ "$(cut -f 3 whole | sort -u | tr '\n' ' ')" = "0 1 2 " ]
	last=$(($(wc -l <whole) - 1))
	for part in 1 2 "2-$last" "1-$last" "3-$((last - 1))"; do
		for form in amr.wt -; do
			trace-info --columns launch,parent,depth --format=tsv --no-header --launch "$part" "$form" \
				<amr.wt | grep -v total | diff <(sed -n "$((${part%-*} + 1)),$((${part#*-} + 1))p" whole) -
		done
	done
	trace-info --by tree --launch 1 --columns parent,depth,launches --format=tsv --no-header amr.wt |
		grep -qx -- '-	1	1'
	trace-info --launch 1 amr.wt | grep -q '^    amr_.*, 1 deep$'
	# The flat form is a record without launches by threads, which says so nowhere.
	trace-gen bfs-dyn --set form=flat,nodes=2000 -o flat.wt
	! trace-info flat.wt | grep -q '^launches' || false
	[ "$(trace-info --by tree --format=tsv flat.wt | awk -F '\t' '!/^#/ && $4 == 1' | wc -l)" = 0 ]
}
