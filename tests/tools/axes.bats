#!/usr/bin/env bats
# trace-sweep: every combination of the axes as one table, what is there is not run again, and what
# fails is told.
load helper

# rows TABLE: without remarks and headings.
rows() {
	grep -v '^#' "$1" | tail -n +2
}

@test "a row for every combination, with a column for each axis, as single runs have it" {
	small a.wt
	trace-gen matmul --set tiles=2,depth=2 -o m.wt
	trace-sweep --vary l1d.size=16K,32K -V warp=8,fixed:32 --schedulers gto,swl:limit=2,ccws:k=8,base=100 \
		-o s.tsv a.wt m.wt
	[ "$(rows s.tsv | wc -l)" = 24 ]
	[ "$(grep -v '^#' s.tsv | head -n 1 | cut -f 1-6 | tr '\t' ' ')" = "workload file l1d.size kernel scheduler warp" ]
	[ "$(column s.tsv scheduler | sort -u | paste -s -d ' ')" = "ccws:k=8,base=100 gto swl:limit=2" ]
	[ "$(column s.tsv workload | uniq | paste -s -d ' ')" = "bfs matmul" ]
	[ "$(column s.tsv warp | sort -u | paste -s -d ' ')" = "fixed:32 fixed:8" ]
	paste <(column s.tsv file) <(column s.tsv l1d.size) <(column s.tsv scheduler) <(column s.tsv warp) | sort | uniq -d | { ! grep .; }
	trace-replay -q --format=tsv --set l1d.size=16K -s swl:limit=2 -w 8 a.wt | column - cycles | tail -n 1 >one
	grep -v '^#' s.tsv | awk -F '\t' '$2 == "a.wt" && $3 == "16K" && $5 == "swl:limit=2" && $6 == "fixed:8" { print $8 }' | cmp - one
	grep -q '^# trace-sweep .* --vary l1d.size=16K,32K --vary warp=8,fixed:32 ' s.tsv
	# A part of the machine may be named without its .part.
	trace-sweep --vary l1d=real,perfect a.wt >p.tsv
	[ "$(column p.tsv l1d | paste -s -d ' ')" = "real perfect" ]
	[ "$(column p.tsv l1d_misses | sed -n 2p)" = 0 ]
	# A launch a row as well.
	trace-sweep --launches a.wt >l.tsv
	grep -q '^# trace-sweep .* --launches a.wt$' l.tsv
	[ "$(rows l.tsv | wc -l)" = "$(trace-replay --no-header --format=tsv a.wt | wc -l)" ]
}

@test "what is there is not run again; another tool, record or machine is another run" {
	small a.wt
	trace-sweep --vary l1d.size=16K,32K -o s.tsv a.wt
	[ "$(ls s.tsv.runs/*.tsv | wc -l)" = 2 ]
	cp s.tsv first.tsv
	[ "$(trace-sweep -n --vary l1d.size=16K,32K -o s.tsv a.wt)" = "" ]
	[ "$(trace-sweep -n --vary l1d.size=16K,32K,64K -o s.tsv a.wt | wc -l)" = 1 ]
	rm s.tsv "$(ls s.tsv.runs/*.tsv | head -n 1)"
	[ "$(trace-sweep -n --vary l1d.size=16K,32K -o s.tsv a.wt | wc -l)" = 1 ]
	trace-sweep --vary l1d.size=16K,32K -o s.tsv a.wt
	cmp s.tsv first.tsv
	trace-gen bfs --set nodes=80,degree=3 -o a.wt
	[ "$(trace-sweep -n --vary l1d.size=16K,32K -o s.tsv a.wt | wc -l)" = 2 ]
	# Without a folder, what a dry run prints is for the current one.
	trace-sweep -n --vary warp=8,16 a.wt | sh
	[ "$(trace-sweep -n --vary warp=8,16 -d . a.wt)" = "" ]
	printf 'base = ccws\n' >m.ini
	trace-sweep --vary machine=m.ini -o s.tsv a.wt
	printf 'base = ccws\n[sm]\nsms = 2\n' >m.ini
	[ "$(trace-sweep -n --vary machine=m.ini -o s.tsv a.wt | wc -l)" = 1 ]
}

@test "another file behind a policy, a profile or a machine is another run; a further machine is none" {
	small a.wt
	printf 'base = ccws\n[sm]\nscheduler = x.so\n' >m.ini
	# What the files are is not looked at.
	for axis in scheduler=daws:profile=p.tsv scheduler=daws:flow=1,profile=p.tsv,ways=4 scheduler=x.so \
		scheduler=./pol:n=1 warp=./pol sm.scheduler=x.so machine=m.ini; do
		echo one | tee p.tsv x.so pol
		trace-sweep -n -o s.tsv --vary $axis a.wt >first
		[ "$(wc -l <first)" = 1 ]
		trace-sweep -n -o s.tsv --vary $axis a.wt | cmp - first
		echo two | tee p.tsv x.so pol
		trace-sweep -n -o s.tsv --vary $axis a.wt >second
		! cmp -s second first || false
	done
	trace-sweep -o s.tsv --vary machine=k20c a.wt
	[ "$(trace-sweep -n -o s.tsv --vary machine=k20c,ccws a.wt | wc -l)" = 1 ]
}

@test "a recipe: headings are axes, alternatives stand between semicolons" {
	small a.wt
	small b.wt
	printf '# runs\nfile\tmachine\tscheduler\tl1d.size\na.wt\tccws;tbc\tgto;lrr\t16K\nb.wt\t-\t-\t-\n' >r.tsv
	trace-sweep --recipe r.tsv >s.tsv
	[ "$(rows s.tsv | wc -l)" = 5 ]
	[ "$(column s.tsv machine | sort | uniq -c | tr -s ' ' | paste -s -d ,)" = " 3 ccws, 2 tbc" ]
	[ "$(column s.tsv l1d.size | sort | uniq -c | tr -s ' ' | paste -s -d ,)" = " 1 -, 4 16K" ]
	trace-sweep --recipe r.tsv --vary warp=8,16 >s.tsv
	[ "$(rows s.tsv | wc -l)" = 10 ]
	cut -f 2- r.tsv | head -n 3 >n.tsv
	trace-sweep -r n.tsv a.wt b.wt | rows - | wc -l | grep -qx 8
	printf 'file\tmachine\na.wt\n' >r.tsv
	expect 1 "line 2 has 1 cells" trace-sweep -r r.tsv
	# Lines are counted as an editor does.
	printf '# runs\n\nfile\twarp\na.wt\t8\n# more\na.wt\t\n' >r.tsv
	expect 1 "line 6 has an empty value of 'warp'" trace-sweep -r r.tsv
	printf 'file\twarp\na.wt\t8;;16\n' >r.tsv
	expect 1 "line 2 has an empty value of 'warp'" trace-sweep -r r.tsv
	printf '# runs\nfile\twarp\twarp\na.wt\t8\t16\n' >r.tsv
	expect 1 "line 2 has two columns 'warp'" trace-sweep -r r.tsv
	printf 'file\t\twarp\na.wt\t8\t16\n' >r.tsv
	expect 1 "line 1 has an empty heading" trace-sweep -r r.tsv
	echo '# nothing' >r.tsv
	expect 1 "cannot read 'r.tsv': it is empty" trace-sweep -r r.tsv
	printf 'file\twarp\n' >r.tsv
	expect 1 "cannot read 'r.tsv': there are headings, and no run" trace-sweep -r r.tsv
	trace-sweep -r <(printf 'file\twarp\na.wt\t8\n') | rows - | wc -l | grep -qx 1
}

@test "runs that fail are left out and told, with their reason" {
	small a.wt
	status=0
	trace-sweep --vary warp=dwf,32 --schedulers gto,lrr a.wt >s.tsv 2>err || status=$?
	[ $status = 1 ]
	[ "$(rows s.tsv | wc -l)" = 2 ]
	grep -q '2 of 4 runs failed' err
	grep -q '2 times: dwf picks its warps itself' err
	# Another sweep in the same folder leaves their reasons.
	trace-sweep --vary warp=dwf --schedulers gto -d d a.wt >s.tsv 2>err || :
	cp d/*.err kept
	trace-sweep --vary warp=32 -d d a.wt >s.tsv
	cmp d/*.err kept
}

@test "runs that are cut off are told, all of them, and made the next time" {
	small a.wt
	mkdir -p cut
	# One run has begun and said nothing yet, the other waits: then the machine goes.
	printf '%s\n' '#!/bin/sh' 'head -n 1 | sed "s/.* -r .\(.*\.err\). .*/\1/; s/. .*//" | xargs touch' \
		'exit 137' >cut/parallel
	chmod +x cut/parallel
	status=0
	PATH=$PWD/cut:$PATH trace-sweep --schedulers gto,lrr -o s.tsv a.wt 2>err || status=$?
	[ $status = 1 ]
	[ "$(find s.tsv.runs -name '*.err' -empty | wc -l)" = 1 ]
	grep -q '2 of 2 runs failed' err
	grep -q '2 times: it was cut off' err
	trace-sweep --schedulers gto,lrr -o s.tsv a.wt
	[ "$(rows s.tsv | wc -l)" = 2 ]
}

@test "what cannot be is refused before anything runs" {
	small a.wt
	expect 2 "unknown key 'l1d.sze', did you mean 'l1d.size'?" trace-sweep --vary l1d.sze=1 a.wt
	expect 2 "is no AXIS=VALUE" trace-sweep --vary warp a.wt
	expect 2 "'warp' varies twice" trace-sweep --vary warp=8 --vary warp=16 a.wt
	expect 2 "'file' is no axis" trace-sweep --vary file=a.wt a.wt
	expect 2 "name a FILE" trace-sweep --vary warp=8
	expect 1 "cannot read 'none.wt'" trace-sweep none.wt
	expect 2 "there is no option '--vari'" trace-sweep --vari x a.wt
	expect 2 "is a table of its own" trace-sweep --stats=pc a.wt
	for stats in line buffer launches ipc,storage help; do
		expect 2 "--stats: '$stats' is a table of its own" trace-sweep --stats=$stats a.wt
	done
	expect 1 "cannot read 'no/hosts'" trace-sweep --sshloginfile no/hosts a.wt
	expect 2 "--sshloginfile does not go with --slurm" trace-sweep --sshloginfile a.wt --slurm j.sh -d d a.wt
	expect 2 "'x' is no number" trace-sweep -j x a.wt
	expect 2 "--slurm wants" trace-sweep --slurm j.sh a.wt
	trace-sweep --version | grep -q '^trace-sweep (warptrace) [0-9]'
}

@test "what is read is never written, and what cannot be written is told before anything runs" {
	small in.wt
	cp in.wt want
	printf 'file\twarp\nin.wt\t8\n' >r.tsv
	printf 'base = ccws\n' >m.ini
	echo : >hosts
	echo profile >p.tsv
	expect 2 "'in.wt' is both input and output" trace-sweep -o in.wt in.wt
	expect 2 "'in.wt' is both input and output" trace-sweep -d d --slurm in.wt in.wt
	ln -s in.wt link
	expect 2 "'in.wt' is both input and output" trace-sweep -o link in.wt
	expect 2 "'in.wt' is both input and output" trace-sweep -r r.tsv -o in.wt
	expect 2 "'r.tsv' is both input and output" trace-sweep -r r.tsv -o r.tsv
	expect 2 "'m.ini' is both input and output" trace-sweep -V machine=m.ini -o m.ini in.wt
	expect 2 "'hosts' is both input and output" trace-sweep --sshloginfile hosts -o hosts in.wt
	expect 2 "'p.tsv' is both input and output" trace-sweep -s daws:profile=p.tsv -o p.tsv in.wt
	expect 2 "'./s' is to be written twice" trace-sweep -o s --slurm ./s in.wt
	mkdir folder
	expect 1 "cannot write 'folder': Is a directory" trace-sweep -o folder in.wt
	expect 1 "cannot write 'folder': Is a directory" trace-sweep -d d --slurm folder in.wt
	cmp in.wt want
	[ "$(echo *)" = "folder hosts in.wt link m.ini p.tsv r.tsv stderr stdout want" ]
	[ -z "$(ls folder)" ]
}

teardown() {
	[ -z "${shm:-}" ] || rm -rf "$shm"
}

@test "the table goes where its name leads: a link stays one, a pipe is written as it is" {
	small a.wt
	trace-sweep a.wt >want
	sed -i 1d want
	echo old >real.tsv
	chmod 640 real.tsv
	ln -s real.tsv link.tsv
	trace-sweep -o link.tsv a.wt
	[ -L link.tsv ]
	[ "$(stat -c %a real.tsv)" = 640 ]
	sed 1d real.tsv | cmp - want
	mkfifo pipe
	timeout 20 sed 1d pipe >got &
	trace-sweep -o pipe a.wt
	[ -p pipe ]
	wait
	cmp got want
	# As /dev/stdout, whose link must not be at stake here.
	ln -s /proc/self/fd/1 stdout-link
	trace-sweep -o stdout-link a.wt | sed 1d | cmp - want
	trace-sweep -o stdout-link a.wt >got
	sed 1d got | cmp - want
	[ -L stdout-link ]
	[ "$(ls -d ./*.runs *.part 2>/dev/null)" = ./link.tsv.runs ]
	if [ -w /dev/shm ]; then # a file of its own, though it lies in /dev
		shm=$(mktemp -d -p /dev/shm)
		trace-sweep -o "$shm/t.tsv" a.wt
		trace-sweep -o "$shm/t.tsv" a.wt
		sed 1d "$shm/t.tsv" | cmp - want
	fi
}

@test "names may have quotes, backslashes and blanks, and begin with a dash" {
	for name in "it's" 'back\tslash' '-dash' '$(blank) "&;' '100%'; do
		small "./$name.wt"
		trace-sweep --vary warp=8,16 --output "$name.tsv" -- "$name.wt"
		[ "$(rows "./$name.tsv" | wc -l)" = 2 ]
		[ -z "$(trace-sweep --vary warp=8,16 --output "$name.tsv" -n -- "$name.wt")" ]
		mkdir "./$name"
		(cd "./$name" && cp "../$name.wt" . && trace-sweep -d "$name" -- "$name.wt" >s.tsv && [ "$(rows s.tsv | wc -l)" = 1 ])
		trace-sweep --vary warp=8 -d "$name" --slurm job.sh -- "$name.wt"
		SLURM_ARRAY_TASK_ID=1 bash job.sh
		[ "$(trace-sweep --vary warp=8 -d "$name" -- "$name.wt" | rows - | wc -l)" = 1 ]
		rm -r -- "$name"*
	done
}

@test "--slurm writes the missing runs as an array, and afterwards they are gathered" {
	small a.wt
	trace-sweep --vary warp=8,16,32 -o s.tsv --slurm job.sh a.wt
	[ ! -e s.tsv ]
	grep -qx '#SBATCH --array=1-3' job.sh
	for task in 1 2 3; do
		SLURM_ARRAY_TASK_ID=$task bash job.sh
	done
	[ "$(trace-sweep -n --vary warp=8,16,32 -o s.tsv a.wt)" = "" ]
	trace-sweep --vary warp=8,16,32 -o s.tsv a.wt
	[ "$(rows s.tsv | wc -l)" = 3 ]
}

@test "--stats adds its columns, a heat map shows the sweep" {
	small a.wt
	trace-sweep --stats=stalls --vary l1d.size=16K,32K --schedulers gto,lrr -o s.tsv a.wt
	column s.tsv cycles_memory | grep -q '^[0-9]'
	trace-plot heat -x l1d.size -g scheduler -y ipc_thread -o f.svg s.tsv
	# Where policies have columns of their own, the table has them all.
	trace-sweep --stats=policy --vary warp=8,tbc,dwr a.wt >p.tsv
	[ "$(grep -v '^#' p.tsv | awk -F '\t' '{ print NF }' | sort -u | wc -l)" = 1 ]
	[ "$(column p.tsv capri_judged | paste -s -d ' ')" = "- 0 -" ]
	trace-replay -q --format=tsv --stats=policy -w tbc a.wt | column - vta_pki | tail -n 1 >want
	column p.tsv vta_pki | sed -n 2p | cmp - want
	rsvg-convert f.svg -o f.png
	[ "$(grep -c '>gto<' f.svg)" = 1 ]
}
