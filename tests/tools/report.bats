#!/usr/bin/env bats
# trace-report: the page and the tables behind it.
load helper

# report [OPTION]...: of small.wt, in r/.
report() {
	[ -e small.wt ] || small
	trace-report -q small.wt -o r "$@"
}

@test "a page with its tables and pictures, which needs no other file" {
	report --compare lrr,gto
	for table in info replay timeline info-pc coalesce-pc replay-pc curve reuse compare; do
		[ "$(grep -vc '^#' r/$table.tsv)" -gt 1 ]
		grep -q "href=\"$table.tsv\"" r/index.html
	done
	! grep -qE '(src|href)="?(https?:)?//' r/index.html || false
	grep -o 'src="[^"]*"' r/index.html | cut -d '"' -f 2 >pictures
	[ "$(wc -l <pictures)" = 6 ]
	while read -r picture; do
		rsvg-convert "r/$picture" -o p.png
	done <pictures
	# The tables are those of the commands that stand there.
	trace-info --by pc --total --format=tsv small.wt | cmp - r/info-pc.tsv
	grep -q 'trace-info --by pc --total --format=tsv small.wt' r/index.html
}

# The same record gives the same page and the same tables, wherever the scratch is.
@test "a report names no scratch file" {
	small
	for way in a b; do
		mkdir "tmp-$way"
		export TMPDIR=$PWD/tmp-$way
		trace-report -q -c gto,lrr -o named-$way small.wt
		trace-report -q -c gto,lrr -o stdin-$way <small.wt
		# shellcheck disable=SC2002 # a pipe is what this is about
		cat small.wt | trace-report -q -o pipe-$way /dev/fd/0
	done
	for kind in named stdin pipe; do
		[ "$(wc -l <$kind-a/timeline.tsv)" -gt 3 ]
		diff -r $kind-a $kind-b
		! grep -rF "$PWD/tmp-a" $kind-a || false
	done
}

@test "where no line is used twice the page says so instead of a picture of that" {
	ptx '	shl.b32 %r6, %r2, 2;
	cvt.u64.u32 %rd2, %r6;
	add.s64 %rd2, %rd1, %rd2;
	ld.global.u32 %r7, [%rd2];' >k.ptx
	run_k -o once.wt
	trace-report once.wt -o r 2>said
	[ ! -s said ]
	grep -q 'no SM loads a line of this record a second time' r/index.html
	! grep -q 'reuse.svg' r/index.html || false
	[ ! -e r/reuse.svg ]
	report
	! grep -q 'a second time' r/index.html || false
	[ -s r/reuse.svg ]
}

@test "lines of the source stand beside what the tables say of them" {
	report
	trace-replay --stats=line --total --format=tsv --no-header --sort stall_cycles \
		--columns file,source_line,stall_cycles small.wt | head -n 1 >worst
	read -r file line stalls <worst
	[ "$(basename "$file")" = bfs.cu ]
	text=$(sed -n "${line}p" "$root/datasets/workloads/bfs/bfs.cu" | tr -d '\t' | sed 's/&/\&amp;/g; s/</\&lt;/g; s/>/\&gt;/g')
	grep -F "$text" r/index.html | grep -q "data-v=\"$stalls\" style"
	grep -q "<td>$line</td><td class=code>" r/index.html
}

@test "without sources there are instructions, and files of other kinds are not opened" {
	echo '.file 1 "/etc/passwd"' >files
	ptx '	.loc 1 1 1
	st.global.u32 [%rd1], %r5;' | sed '3r files' >k.ptx
	run_k -o small.wt
	report
	grep -q 'Not found: /etc/passwd' r/index.html
	! grep -q 'root:' r/index.html || false
	grep -q 'st.global.u32' r/index.html
	# A title is text.
	trace-report -q -t '<script>alert(1)</script>' small.wt -o x
	! grep -q '<script>alert' x/index.html || false
}

@test "--source says where sources lie" {
	mkdir src
	printf '// first\nint second;\n' >src/own.cu
	echo '.file 1 "/away/own.cu"' >files
	ptx '	.loc 1 2 1
	st.global.u32 [%rd1], %r5;' | sed '3r files' >k.ptx
	run_k -o small.wt
	report
	grep -q 'Not found: /away/own.cu' r/index.html
	report --source src
	grep -q '<td>2</td><td class=code>int second;' r/index.html
}

# names FILE...: small.wt, whose lines are the second ones of sources of these names.
names() {
	local name n=0 body=
	for name; do
		n=$((n + 1))
		echo ".file $n \"$name\""
		body+="	.loc $n 2 1
	st.global.u32 [%rd1], %r5;
"
	done >files
	ptx "$body" | sed '3r files' >k.ptx
	run_k -o small.wt
}

@test "sources are shown below the folders that were named, and nowhere else" {
	mkdir -p here/sub there away away/src
	printf 'int a;\nint within;\n' | tee here/sub/a.cu >here/here.cu
	printf 'int a;\nint private;\n' | tee away/b.cu away/notes.txt >away/src/c.cu
	ln -s ../away/b.cu here/link.cu
	ln -s ../away here/folder
	ln -s notes.txt away/notes.cu
	ln -s sub/a.cu here/own.cu
	top=$PWD
	# As a compiler names sources that lie here, and as a stranger's record names others.
	names ./sub/a.cu "$top/here/here.cu" own.cu "$top/away/b.cu" ../away/b.cu link.cu folder/b.cu \
		sub/../../away/src/c.cu "$top/here/../away/src/c.cu"
	mv small.wt here
	cd here
	trace-report -q small.wt -o r
	[ "$(grep -c '<td>2</td><td class=code>int within;' r/index.html)" = 3 ]
	! grep -q private r/index.html || false
	grep -q "Not found: $top/away/b.cu, ../away/b.cu, link.cu, folder/b.cu, sub/../../away/src/c.cu, " \
		r/index.html
	# From elsewhere the record's folder is looked at, of standard input none is known.
	cd ../there
	trace-report -q ../here/small.wt -o r
	[ "$(grep -c '<td>2</td><td class=code>int within;' r/index.html)" = 3 ]
	! grep -q private r/index.html || false
	trace-report -q -o r <../here/small.wt
	! grep -qE 'within|private' r/index.html || false
	# Where the user says so they are shown: three names of b.cu, and the absolute one of c.cu.
	trace-report -q --source ../away -o r <../here/small.wt
	[ "$(grep -c '<td>2</td><td class=code>int private;' r/index.html)" = 4 ]
	! grep -q 'within' r/index.html || false
	trace-report -q --source "$top/away/src" -o r <../here/small.wt
	[ "$(grep -c '<td>2</td><td class=code>int private;' r/index.html)" = 2 ]
	# A link that ends as a source, and leads to what is none.
	cd ../away
	names notes.cu
	trace-report -q small.wt -o r
	! grep -q private r/index.html || false
}

@test "programs that share a kernel's name have their own transactions, by instruction and by line" {
	mkdir twin
	# twin N INSTRUCTION...: the Nth launch of a kernel k, by 32 threads.
	twin() {
		printf '%s\n' '-kernel name = k' "-kernel id = $1" '-grid dim = (1,1,1)' \
			'-block dim = (32,1,1)' '-shmem = 0' '-nregs = 16' '-binary version = 70' \
			'-cuda stream id = 0' '-shmem base_addr = 0x0' '-local mem base_addr = 0x0' \
			'-accelsim tracer version = 3' '' '#traces format' '' '#BEGIN_TB' \
			'thread block = 0,0,0' 'warp = 0' 'insts = 3' "${@:2}" \
			'0030 ffffffff 0 EXIT 0 0 ' '#END_TB' >twin/kernel-$1.traceg
		echo kernel-$1.traceg >>twin/kernelslist.g
	}
	# The second's load stands behind the first's, as if both were one program's; the third's is the first's.
	twin 1 '0000 ffffffff 1 R4 LDG.E 1 R2 4 1 0x10000 128 ' '0010 ffffffff 1 R4 FADD 1 R2 0 '
	twin 2 '0000 ffffffff 1 R4 FADD 1 R2 0 ' '0010 ffffffff 1 R4 LDG.E 1 R2 4 1 0x10000 64 '
	twin 3 '0000 ffffffff 1 R4 LDG.E 1 R2 4 1 0x10000 4 ' '0010 ffffffff 1 R4 IADD3 1 R2 0 '
	trace-convert -q twin -o small.wt
	report
	[ "$(grep -c '<h3><code>k</code></h3>' r/index.html)" = 3 ]
	grep '<td class=code>' r/index.html | sed 's|</td>|,|g; s/<[^>]*>//g' | cut -d , -f 4,8,9 | grep LDG >got
	printf '%s,LDG.E {R4} [R2] R3\n' 32,0x0 16,0x8 1,0x0 | diff - got
	# By line: two programs with the same entry, and the store of each is of another line. The tables of a
	# record of both are those of the two, one after the other.
	printf 'one\ntwo\nthree\n' >own.cu
	mkdir r2
	for line in 1 3; do
		echo '.file 1 "own.cu"' >files
		ptx "	shl.b32 %r6, %r2, $((line + 2));
	cvt.u64.u32 %rd2, %r6;
	add.s64 %rd3, %rd1, %rd2;
	.loc 1 $line 1
	st.global.u32 [%rd3], %r2;
	.loc 1 2 1" | sed '3r files' >k.ptx
		trace-gen --ptx k.ptx --entry k --grid 1 --block 32 --arg x=buf:4K --arg u32:64 -o $line.wt
		trace-report -q $line.wt -o $line
		for table in info replay info-pc coalesce-pc replay-pc; do
			grep -v '^#' $line/$table.tsv | { [ $line = 1 ] && cat || tail -n +2; } >>r2/$table.tsv
		done
	done
	printf 'own.cu\town.cu\n' >r2/sources
	dir=r2 here=$root/plots/report awk -f "$root/plots/report/page.awk" >r/index.html
	sed -n 's|<td class=code>||p' r/index.html | sed 's|</td>|,|g; s/<[^>]*>//g' |
		cut -d , -f 4,8,9 | grep -E ',(one|three)$' >got
	printf '%s\n' 2,1,one 8,3,three | diff - got
}

@test "a pipe is read once, and so is what /dev names" {
	small
	trace-report -q small.wt -o want
	mkfifo pipe
	timeout 20 dd if=small.wt of=pipe 2>dd 3>&- &
	timeout 60 trace-report -q pipe -o r
	wait
	timeout 60 trace-report -q <(cat small.wt) -o s
	timeout 60 trace-report -q /dev/stdin -o t <small.wt
	for folder in r s t; do
		for table in info replay info-pc coalesce-pc curve; do
			diff <(grep -v '^#' want/$table.tsv) <(grep -v '^#' $folder/$table.tsv)
		done
	done
	grep -qF 'trace-info --format=tsv pipe' r/index.html
	# A pipe that says nothing is told so once.
	expect 1 "could not be made" trace-report -q <(:) -o u
}

@test "a browser shows every picture, sorts by a click, and has nothing to complain of" {
	chromium_is_there
	report --compare lrr,gto
	sed 's|</body>|<script>\
		const says = [];\
		addEventListener("error", (e) => says.push(e.message));\
		addEventListener("load", () => {\
			const table = [...document.querySelectorAll("table")].find((t) => /stall cycles/.test(t.textContent));\
			const th = [...table.querySelectorAll("th")].find((h) => h.textContent == "stall cycles");\
			th.click();\
			const first = table.tBodies[0].rows[0].cells[th.cellIndex].dataset.v;\
			const most = Math.max(...[...table.tBodies[0].rows].map((r) => +r.cells[th.cellIndex].dataset.v \|\| 0));\
			document.title = "pictures " + [...document.images].filter((i) => i.complete \&\& i.naturalWidth > 0).length +\
				" sorted " + (first == most \&\& most > 0) + " errors " + says.length;\
		})</script>&|' r/index.html >r/check.html
	"$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$PWD/profile" \
		--enable-logging=stderr --dump-dom "file://$PWD/r/check.html" 2>log >dom
	grep -q "<title>pictures $(grep -c '<img' r/index.html) sorted true errors 0</title>" dom
	! grep -q CONSOLE log || false
}

@test "names and titles of all kinds stand on the page as they are, and no name is an option" {
	small
	local name
	mkdir files
	for name in 'a b.wt' 'x&y.wt' 'p|q.wt' 'n\n.wt' "it's.wt"; do
		cp small.wt "files/$name"
		trace-report -q -o r "files/$name"
		# The commands that are shown make the tables.
		sed -n 's/^<a href="replay.tsv">replay.tsv<.a> *//p' r/index.html |
			sed 's/&quot;/"/g; s/&lt;/</g; s/&gt;/>/g; s/&amp;/\&/g' >command
		[ -s command ]
		(. ./command)
		diff <(grep -v "^#" replay.tsv) <(grep -v "^#" r/replay.tsv)
		rm replay.tsv
	done
	cp small.wt -- -y.wt
	trace-report -q -o -r -t 'C:\new\table' -- -y.wt
	grep -qF '<h1>C:\new\table</h1>' ./-r/index.html
	grep -qF 'trace-info --format=tsv ./-y.wt' ./-r/index.html
	# FILE may stand before --, but only once.
	trace-report -q small.wt -o r -- </dev/null
	grep -qF 'trace-info --format=tsv small.wt' r/index.html
	expect 2 "more than one FILE" trace-report small.wt -o r -- small.wt
}

@test "what is wrong is said, and no page is left" {
	small
	expect 2 "-o DIR is missing" trace-report small.wt
	expect 1 "cannot read 'none.wt'" trace-report none.wt -o r
	expect 2 "there is no option '--wrap'" trace-report --wrap 8 small.wt -o r
	expect 2 "more than one FILE" trace-report small.wt small.wt -o r
	expect 1 "unknown scheduler 'gtoo'" trace-report -s gtoo small.wt -o r
	[ ! -e r/index.html ]
	head -c 200 small.wt >cut.wt
	expect 1 "could not be made" trace-report cut.wt -o r
	[ ! -e r/index.html ]
	rm -rf r
	mkdir -p r/index.html
	expect 1 "cannot write 'r/index.html'" trace-report small.wt -o r
	[ ! -e r/index.html/index.html.part ]
	[ ! -e r/index.html.part ]
	rmdir r/index.html
	trace-report -q -o r <small.wt
	[ -s r/index.html ]
	trace-report --version | grep -q '^trace-report (warptrace) [0-9]'
}
