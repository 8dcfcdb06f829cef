#!/usr/bin/env bats
# trace-convert: text formats, in and out.
load helper

setup_file() {
	fixtures=$(cd "$BATS_TEST_DIRNAME/../fixtures/text" && pwd)
	export fixtures
}

field() { # STREAM COLUMN: of --to text
	trace-convert --to text "$1" | column - "$2"
}

@test "each format is known by its look" {
	for f in bare.addr:addr fetches.din:din all.xdin:xdin sample.lackey:lackey release.ccws:ccws; do
		trace-convert -q --no-provenance "$fixtures/${f%:*}" -o sniffed.wt
		trace-convert -q --no-provenance --from "${f#*:}" "$fixtures/${f%:*}" -o named.wt
		cmp sniffed.wt named.wt
		bash -o pipefail -c "trace-convert -q --no-provenance <$fixtures/${f%:*} >piped.wt"
		cmp sniffed.wt piped.wt
	done
	echo "hello, world" >prose
	expect 1 "cannot tell the format of 'prose': name it with --from" trace-convert prose -o p.wt
	[ ! -e p.wt ]
}

@test "text may come through a pipe, in xz and in zstd" {
	trace-convert -q --no-provenance "$fixtures/sample.lackey" -o a.wt
	zstd -q <"$fixtures/sample.lackey" >l.zst
	trace-convert -q --no-provenance l.zst | cmp - a.wt
	command -v xz || skip "no xz"
	xz <"$fixtures/sample.lackey" >l.xz
	trace-convert -q --no-provenance l.xz | cmp - a.wt
	cat l.xz | trace-convert -q --no-provenance | cmp - a.wt
}

@test "what a table of all five fixtures says" {
	for f in bare.addr fetches.din all.xdin sample.lackey release.ccws; do
		echo "# $f"
		trace-convert -q --no-provenance "$fixtures/$f" | trace-convert --no-provenance --to text
	done >table
	golden text-formats.tsv table
}

@test "remarks count what was not kept" {
	trace-convert "$fixtures/all.xdin" -o x.wt 2>stderr
	diff - stderr <<-'END'
		trace-convert: 1 instruction fetches: counted as instructions, no accesses
		trace-convert: 1 accesses that straddle lines of 128 bytes
		trace-convert: 2 lines left out: they copy a line back or invalidate it
	END
	trace-convert "$fixtures/release.ccws" -o x.wt 2>stderr
	diff - stderr <<-'END'
		trace-convert: 5 accesses, each counted as an instruction: the text counts none
		trace-convert: 1 accesses left out: the cache had refused them, to be tried again
	END
	trace-convert -q "$fixtures/all.xdin" -o x.wt 2>stderr
	[ ! -s stderr ]
}

@test "the size of a line is the user's" {
	trace-convert -q --line 32 "$fixtures/all.xdin" -o x.wt
	[ "$(field x.wt address | tr '\n' ' ')" = "0x1000 0x1060 0x1080 0x2000 0x1000 " ]
	trace-convert -q --line 1024 "$fixtures/all.xdin" -o x.wt
	[ "$(field x.wt address | tr '\n' ' ')" = "0x1000 0x1000 0x2000 0x1000 " ]
	expect 2 "--line: 48 is no power of two" trace-convert --line 48 "$fixtures/all.xdin"
	expect 2 "--line: 16 is outside 32 to 1024" trace-convert --line 16 "$fixtures/all.xdin"
}

@test "a broken line is named with file, line and reason, and nothing is left after" {
	printf '0 1000\n0 1040\n7 1080\n' >bad.din
	expect 1 "trace-convert: bad.din:3: no label from 0 to 4: '7 1080'" trace-convert bad.din -o o.wt
	[ ! -e o.wt ]
	expect 1 "standard input:3: no label from 0 to 4" bash -c 'cat bad.din | trace-convert --from din'
	[ ! -s stdout ]
	printf 'r 1000 4\nr 1000\n' >bad.xdin
	expect 1 "bad.xdin:2: no size after the address: 'r 1000'" trace-convert bad.xdin
	printf 'I  1000,4\n L 1000,8\nhello\n' >bad.lackey
	expect 1 "bad.lackey:3: neither 'I  '" trace-convert bad.lackey
	printf 'F\n1000:r:g:m:0:33:\n' >bad.ccws
	expect 1 "bad.ccws:2: no decimal PC" trace-convert --from ccws bad.ccws
	printf '1000\n12345678901234567\n' >bad.addr
	expect 1 "bad.addr:2: no hexadecimal address of up to 64 bits" trace-convert bad.addr
	: >empty
	expect 1 "empty: there is no access in it" trace-convert --from din empty
	expect 1 "cannot open 'missing': No such file" trace-convert missing
	[ ! -s stdout ]
}

@test "din and ccws are read back as they were written" {
	# Addresses of sectors, for a din trace has no sizes and a line forgets what is within a sector.
	awk 'BEGIN { srand(7)
		for (i = 0; i < 20000; i++) {
			if (i && rand() < 0.001) print 4, 0
			printf "%d %x\n", rand() < 0.3, 32 * int(2 ^ (25 * rand()))
		} }' >a.din
	awk 'BEGIN { srand(8)
		for (i = 0; i < 20000; i++) {
			if (i && rand() < 0.001) print "F"
			printf "%x:%s:%s:%s:%d:%d:%d\n", 32 * int(2 ^ (25 * rand())),
				rand() < 0.3 ? "w" : "r", rand() < 0.1 ? "l" : "g",
				substr("hrmu", 1 + int(4 * rand()), 1), 48 * rand(), 1 + 32 * rand(),
				8 * int(900 * rand())
		} }' >a.ccws
	for format in din ccws; do
		trace-convert -q --no-provenance "a.$format" -o a.wt
		trace-convert --to "$format" a.wt -o b
		cmp "a.$format" b
		trace-convert -q --no-provenance --from "$format" b | cmp - a.wt
	done
}

@test "what trace-coalesce makes goes out and comes back" {
	small
	trace-coalesce --sms 1 small.wt -o c.wt
	for format in din ccws; do
		trace-convert -q --to "$format" c.wt -o t
		trace-convert -q --no-provenance --from "$format" t -o once.wt
		trace-convert -q --to "$format" once.wt | cmp - t
		trace-convert -q --to "$format" once.wt |
			trace-convert -q --no-provenance --from "$format" | cmp - once.wt
	done
	# The same misses, whichever way the accesses came: only their number per instruction is lost.
	for stream in c.wt once.wt; do
		trace-belady --format tsv --policy lru --cache 4K:128:2 $stream | column - misses
	done | uniq | wc -l | grep -qx 1
}

@test "a format for one cache wants one SM" {
	small
	trace-coalesce --sms 2 small.wt -o c.wt
	expect 2 "choose one with --sm" trace-convert --to ccws c.wt -o t
	[ ! -e t ]
	expect 2 "there is no SM 2: the stream has 2" trace-convert --to din --sm 2 c.wt
	all=$(field c.wt sm | wc -l)
	one=$(trace-convert --to text --sm 0 c.wt | column - sm | wc -l)
	two=$(trace-convert --to text --sm 1 c.wt | column - sm | wc -l)
	[ "$one" -gt 0 ] && [ $((one + two)) = "$all" ]
}

@test "a thread trace has no accesses yet" {
	small
	expect 1 "put trace-coalesce before trace-convert --to din" trace-convert --to din small.wt
	expect 1 "put trace-coalesce" bash -c 'trace-convert --to text <small.wt'
}

@test "parts go out alone" {
	trace-convert -q "$fixtures/release.ccws" -o r.wt
	[ "$(trace-convert -q --to ccws --launch 1 r.wt | wc -l)" = 2 ]
	[ "$(trace-convert -q --to ccws r.wt | grep -c F)" = 1 ]
}

@test "a cut stream, a full disk and a closed reader" {
	awk 'BEGIN { for (i = 0; i < 100000; i++) printf "0 %x\n", 64 * i }' >a.din
	trace-convert -q a.din -o a.wt
	head -c 500 a.wt >cut.wt
	expect 1 "cannot convert 'cut.wt'" trace-convert --to din cut.wt -o o
	[ ! -e o ]
	expect 1 "cannot write" bash -c 'trace-convert -q a.din >/dev/full'
	expect 1 "cannot write" bash -c 'trace-convert --to din a.wt >/dev/full'
	bash -c 'trace-convert --to din a.wt 2>stderr | head -n 1 >/dev/null'
	[ ! -s stderr ]
}

# Cachegrind counts an access that straddles two lines as one, with one miss at most.
@test "valgrind's lackey through ours misses as cachegrind does" {
	command -v valgrind || skip "no valgrind"
	cat >k.c <<-'END'
		#include <stdlib.h>
		#include <string.h>
		int main(void)
		{
			static int table[5000];
			char *p = malloc(20001);
			unsigned h = 1;
			memset(p, 1, 20001);
			for (int i = 0; i < 30000; i++) {
				h = h * 1103515245 + 12345;
				table[h / 65536 % 5000] += p[i % 20001];
				memcpy(p + h / 7 % 19000, &h, sizeof(h));
			}
			return table[h % 5000] < 0;
		}
	END
	"${CC:-cc}" -O1 k.c -o k
	valgrind --tool=lackey --trace-mem=yes --log-file=l.txt ./k || skip "no lackey here"
	trace-convert --line 64 l.txt -o l.wt 2>remarks
	insts=$(sed -n 's/.*: \([0-9]*\) instruction fetches.*/\1/p' remarks)
	straddling=$(sed -n 's/.*: \([0-9]*\) accesses that straddle.*/\1/p' remarks)
	modified=$(grep -c '^ M' l.txt)
	for d1 in 1024,1 4096,2 32768,8; do
		valgrind --tool=cachegrind --cache-sim=yes --D1="$d1,64" --cachegrind-out-file=cg.out ./k \
			2>cg.err || skip "no cachegrind here"
		theirs=$(sed -n 's/.*D1 *misses: *\([0-9,]*\).*/\1/p' cg.err | tr -d ,)
		refs=$(sed -n 's/.*D *refs: *\([0-9,]*\).*/\1/p' cg.err | tr -d ,)
		[ "$(sed -n 's/.*I *refs: *\([0-9,]*\).*/\1/p' cg.err | tr -d ,)" = "$insts" ] ||
			skip "the two runs did not execute the same"
		trace-belady --format tsv --policy lru --cache "${d1%,*}:64:${d1#*,}" l.wt >t
		ours=$(column t misses)
		echo "$d1: cachegrind $theirs, ours $ours, $straddling straddle"
		[ "$theirs" -gt 300 ]
		[ "$ours" -ge "$theirs" ] && [ $((ours - theirs)) -le "$straddling" ]
		# It counts a modification as one reference, and we a load and a store.
		[ "$(column t accesses)" = $((refs + straddling + modified)) ]
	done
}

@test "stores of a CPU's trace allocate their lines, those of a GPU's take them out" {
	local f want
	printf 'I  0,4\n L 1000,4\n S 1000,4\n L 1000,4\n S 2000,4\n L 2000,4\n' >l.lackey
	printf '0 1000\n1 1000\n0 1000\n1 2000\n0 2000\n' >d.din
	printf 'r 1000 4\nw 1000 4\nr 1000 4\nw 2000 4\nr 2000 4\n' >x.xdin
	printf '1000 r\n1000 w\n1000 r\n2000 w\n2000 r\n' >a.addr
	for f in l.lackey d.din x.xdin a.addr; do
		trace-convert -q --from "${f#*.}" --line 64 "$f" -o "$f.wt"
		trace-info --dump "$f.wt" | head -n 1 | grep -q 'write=allocate'
		# Five accesses: the first to each of two lines misses.
		trace-belady --policy lru --cache 32K:64:8 --format=tsv -v "$f.wt" >t 2>remarks
		[ "$(column t accesses) $(column t misses)" = "5 2" ] || { echo "$f"; cat t; false; }
		[ ! -s remarks ]
		# --write goes before what the stream says: of three loads the first to each line misses,
		# and the one after the store.
		trace-belady --policy lru --cache 32K:64:8 --format=tsv --write evict "$f.wt" >t
		[ "$(column t accesses) $(column t misses)" = "3 3" ]
	done
	printf '80001000:%s:g:m:0:32:16\n' r w r >g.ccws
	trace-convert -q --from ccws --line 64 g.ccws -o g.wt
	trace-info --dump g.wt | head -n 1 | grep -q 'write=evict'
	for f in trace-belady trace-locality; do
		expect 0 "$f: 'g.wt' does not say what stores to global memory do: they take their lines out" \
			$f -v g.wt
		for want in --quiet "-v --write evict" "-v --write allocate" "-v --write keep"; do
			$f $want g.wt 2>remarks >/dev/null
			[ ! -s remarks ] || { echo "$f $want"; cat remarks; false; }
		done
	done
	# Without a store the rule does not matter.
	printf '80001000:r:g:m:0:32:16\n' >r.ccws
	trace-convert -q --from ccws --line 64 r.ccws -o r.wt
	trace-belady -v r.wt 2>remarks >/dev/null
	[ ! -s remarks ]
}
