#!/usr/bin/env bats
# Machine files: what is wrong with one is said with its line, and never is another machine run.
load helper

# refused TEXT FILE: by every tool that reads machines.
refused() {
	expect 1 "$1" trace-replay -m "$2" t.wt
	[ ! -s stdout ]
	expect 1 "$1" trace-coalesce --machine "$2" t.wt
	[ ! -s stdout ]
	expect 1 "$1" trace-gen bfs --resident "$2"
	[ ! -s stdout ]
}

@test "a base is a machine whatever the length of its name" {
	small t.wt
	printf -v deep '%080d/%080d' 0 0
	mkdir -p $deep
	printf 'base = tbc\n[sm]\nsms = 3\n' >$deep/m.ini
	printf '# Over a base.\n[sm]\n' >over.ini
	printf 'base = %s/m.ini # there\n' $deep | cat - over.ini >m.ini
	value() {
		trace-replay -m "$1" --set help --format=tsv | awk -F '\t' -v key="$2" '$1 == key { print $2 }'
	}
	[ "$(value m.ini sm.sms)" = 3 ]
	[ "$(value m.ini sm.warp_size)" = "$(value tbc sm.warp_size)" ]
	printf 'base = %s%s/m.ini\n' $deep $deep >m.ini
	refused "cannot read 'm.ini': line 1: the line is too long" m.ini
}

@test "a chain of bases is taken, and a very long one is said to be one" {
	small t.wt
	printf '[sm]\nsms = 3\n' >0.ini
	for ((i = 1; i <= 70; i++)); do
		printf 'base = %d.ini\n' $((i - 1)) >$i.ini
	done
	[ "$(trace-replay -m 64.ini --set=help --format=tsv | awk -F '\t' '$1 == "sm.sms" { print $2 }')" = 3 ]
	refused "cannot read '0.ini': a chain of more than 64 bases leads to it" 65.ini
	refused "cannot read '5.ini': a chain of more than 64 bases leads to it" 70.ini
}

@test "a machine file that is wrong" {
	small t.wt
	printf 'base = tbc\n\nbase = ccws\n' >m.ini
	refused "cannot read 'm.ini': line 3: 'base' is given twice" m.ini
	printf 'base =\n' >m.ini
	refused "cannot read 'm.ini': line 1: 'base' names no machine" m.ini
	printf '\nbase = cray\n' >m.ini
	refused "cannot read 'm.ini': line 2: its base 'cray': there is no such machine" m.ini
	printf '\nbase = no/where.ini\n' >m.ini
	refused "cannot read 'm.ini': line 2: its base 'no/where.ini': No such file or directory" m.ini
	printf '[sm]\nsms = 3\n\0warp_size = 8\n' >m.ini
	refused "cannot read 'm.ini': line 3: there is a zero byte" m.ini
	printf '\0base = tbc\n' >m.ini
	refused "cannot read 'm.ini': line 1: there is a zero byte" m.ini
	printf '[sm]\nsms = 3%0200d\n' 0 >m.ini
	refused "cannot read 'm.ini': line 2: the line is too long" m.ini
	printf 'base = m.ini\nsms = 3\n' >m.ini
	refused "cannot read 'm.ini': line 2: unknown key 'sms'" m.ini
	printf 'base = m.ini\n' >m.ini
	refused "cannot read 'm.ini': it is its own base" m.ini
	# So is one in a circle, whatever names lead there and however many files it has.
	printf 'base = ./n.ini\n' >m.ini
	printf 'base = o.ini\n' >n.ini
	ln m.ini o.ini
	refused "cannot read 'o.ini': it is its own base" m.ini
	for ((i = 0; i < 40; i++)); do
		printf 'base = %d.ini\n' $(((i + 1) % 40)) >$i.ini
	done
	refused "cannot read '7.ini': it is its own base" 7.ini
	mkdir d.ini
	refused "cannot read 'd.ini': Is a directory" d.ini
	# What a file names is a regular one: a pipe would wait for ever.
	mkfifo pipe.ini
	printf '\nbase = ./pipe.ini\n' >m.ini
	refused "cannot read 'm.ini': line 2: its base './pipe.ini' is no regular file" m.ini
	printf '[sm]\nscheduler = daws:profile=pipe.ini\n' >m.ini
	expect 1 "cannot read 'm.ini': line 2: sm.scheduler: daws: 'pipe.ini' is no regular file" \
		trace-replay -m m.ini t.wt
}

@test "what only shows once all is read has its line as well" {
	small t.wt
	printf 'base = ccws\n[sm]\nsms = 4\n[l1d]\nways = 8\nsize = 33K\n' >m.ini
	expect 1 "cannot read 'm.ini': line 6: l1d.size, l1d.ways, l1d.line: 33 sets are no power of two" \
		trace-replay -m m.ini t.wt
	# Of a machine over this one, and where --set has the last word.
	printf 'base = m.ini\n[sm]\nsms = 3\n' >over.ini
	expect 1 "cannot read 'm.ini': line 6: " trace-replay -m over.ini t.wt
	expect 2 "trace-replay: --set: l1d.size" trace-replay -m m.ini --set sm.sms=3,l1d.size=35K t.wt
	# What --set gives is named only where the sentence has all of its key.
	expect 1 "cannot read 'm.ini': line 6: l1d.size" trace-replay -m m.ini --set l1d=real t.wt
	printf 'base = ccws\n[l1d]\nline = 512\n' >m.ini
	expect 1 "cannot read 'm.ini': line 3: l1d.line: 512 bytes are more than l2.interleave_bytes, 256" \
		trace-replay -m m.ini --set l2=real t.wt
	printf 'base = ccws\n[sm]\nscheduler = gtoo\n' >m.ini
	expect 1 "cannot read 'm.ini': line 3: sm.scheduler: unknown scheduler 'gtoo', did you mean 'gto'?" \
		trace-replay -m m.ini t.wt
	trace-replay -q -m m.ini -s lrr t.wt
	expect 2 "--set: sm.scheduler: unknown scheduler 'ltr'" \
		trace-replay -m m.ini --set sm.scheduler=ltr t.wt
	printf 'base = ccws\n[sm]\nscheduler = swl:limit=0\n' >m.ini
	expect 1 "cannot read 'm.ini': line 3: sm.scheduler: swl: limit=0 is outside 1 to " \
		trace-replay -m m.ini t.wt
	printf 'base = ccws\n[sm]\nscheduler = daws:profile=\n' >m.ini
	expect 1 "cannot read 'm.ini': line 3: sm.scheduler: daws: profile= names no file" \
		trace-replay -m m.ini t.wt
	printf 'base = ccws\n[sm]\nscheduler = ./x.so\n' >m.ini
	expect 1 "cannot read 'm.ini': line 3: sm.scheduler: './x.so' is a file: --scheduler takes one" \
		trace-replay -m m.ini t.wt
	expect 2 "--set: sm.scheduler: './x.so' is a file: --scheduler takes one" \
		trace-replay --set sm.scheduler=./x.so t.wt
	# Each key that has a part in it is named, and so found, whichever of them the file gives.
	printf 'base = ccws\n[l1d]\nways = 7\n' >m.ini
	expect 1 "cannot read 'm.ini': line 3: l1d.size, l1d.ways, l1d.line: 32768 bytes are no whole number of sets of 7 ways of 128 bytes" \
		trace-replay -m m.ini t.wt
	printf 'base = ccws\n[l1d]\nsize = 32K\n' >m.ini
	expect 2 "trace-replay: --set: l1d.size, " trace-replay -m m.ini --set l1d.ways=7 t.wt
	printf 'base = v100\n[dram]\ntRCD = 9000\n' >m.ini
	expect 1 "cannot read 'm.ini': line 3: dram.tREFI: 3420 leaves no time" trace-replay -m m.ini t.wt
	printf 'base = ccws\n[dram]\ntRC = 9\n' >m.ini
	expect 1 "cannot read 'm.ini': line 3: dram.tRC: 9 is less than dram.tRAS, 25" \
		trace-replay -m m.ini t.wt
}

@test "what the memory system cannot be has its line as well" {
	small t.wt
	printf 'base = ccws\n[clock]\ncore = 99991\nicnt = 99989\nl2 = 99971\ndram = 99961\n' >m.ini
	expect 1 "cannot read 'm.ini': line 6: clock.core, clock.icnt, clock.l2, clock.dram: 99991, 99989, 99971 and 99961 MHz have no common tick: round them" \
		trace-replay -m m.ini t.wt
	expect 2 "--set: clock.core, clock.icnt, clock.l2, clock.dram: 99991, 99989, 99971 and 800 MHz" \
		trace-replay --set clock.core=99991,clock.icnt=99989,clock.l2=99971 t.wt
	printf 'base = ccws\n[l2]\nmerges = 65535\nmshrs = 65535\n' >m.ini
	expect 1 "cannot read 'm.ini': line 4: l2.mshrs, l2.merges: 65535 requests for each of 65535 lines are more than" \
		trace-replay -m m.ini t.wt
	expect 1 "cannot read 'm.ini': line 4: l2.mshrs" trace-replay -m m.ini --stats=storage
}

@test "lines may be indented" {
	printf '  base = ccws\n  [sm]\n    sms = 3\n\twarp_size = 16\n' >m.ini
	trace-replay --set help -m m.ini --format=tsv >keys
	grep -qP '^sm.sms\t3\t' keys
	grep -qP '^sm.warp_size\t16\t' keys
}

@test "a comment may be as long as it likes" {
	small t.wt
	printf '# %0500d\n[sm]\nsms = 3 # %0500d\n' 0 0 >m.ini
	trace-replay --set help -m m.ini --format=tsv | grep -qP '^sm.sms\t3\t'
}

@test "names that a stream has no room for say so" {
	small t.wt
	printf -v name 'a-machine-with-a-name-of-%050d' 0
	printf 'base = ccws\n' >$name.ini
	trace-replay -m $name.ini -s ccws:k=8,base=100,vta=16,ways=8,policy=lru --access-stream a.wt \
		--format=tsv t.wt >t.tsv
	column t.tsv machine | head -n 1 | grep -qx "$name"
	trace-info --dump a.wt | grep -q "^info .* order=ccws:k=8,base=100,vta=16,way\.\.\. "
	trace-info --dump a.wt | grep -q "^info .* machine=${name:0:28}\.\.\. "
}

@test "a value of today's machines that nobody published says what was taken in its place" {
	for m in v100 a100 h100 rtx3070 rtx4090; do
		grep -H '# nobody published' "$root/datasets/machines/$m.ini"
	done >ours
	[ "$(wc -l <ours)" -gt 100 ]
	grep -E '# nobody published *$' ours >bare || :
	diff /dev/null bare
}
