#!/usr/bin/env bats
# Completion of options and of what they take, from the tools' own tables.
load helper

# Those whose options are as argp has them.
tools_all=$(ls "$BATS_TEST_DIRNAME/../../tools" | sed -n "s|\.h2m\$||p" | sed "s|^|${WARPTRACE_BUILD:-$BATS_TEST_DIRNAME/../../build}/bin/|")

# complete_bash WORD...: what bash offers for the last word.
complete_bash() {
	bash -c '. ./bash
		COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
		_warptrace
		printf "%s\n" "${COMPREPLY[@]}"' - "$@" | paste -s -d ' '
}

@test "bash: options, policies, machines, columns, lists, workloads" {
	"$root/tools/completion" bash $tools_all >bash
	[ "$(complete_bash trace-replay --sch)" = --scheduler ]
	[ "$(complete_bash trace-replay --scheduler cc)" = ccws ]
	[ "$(complete_bash trace-replay -s da)" = daws ]
	[ "$(complete_bash trace-replay --scheduler = cc)" = ccws ]
	[ "$(complete_bash trace-replay --compare gto,cc)" = gto,ccws ]
	[ "$(complete_bash trace-replay -m k2)" = k20c ]
	[ "$(complete_bash trace-replay --set l1d.si)" = l1d.size= ]
	[ "$(complete_bash trace-replay --sort simd_e)" = simd_efficiency ]
	[ "$(complete_bash trace-replay --stats stall)" = stalls ]
	[ "$(complete_bash trace-info --by li)" = line ]
	[ "$(complete_bash trace-gen spmv-s)" = spmv-scalar ]
	[ "$(complete_bash trace-convert --to te)" = text ]
	touch some.wt
	[ "$(complete_bash trace-replay so)" = some.wt ]
	# Every option of every tool is there.
	for tool in $tools_all; do
		"$tool" --help | grep -oE '^ +(-[a-z], )?--[a-z-]+' | grep -oE -- '--[a-z-]+' | while read -r option; do
			complete_bash "${tool##*/}" "$option" | grep -qw -- "$option"
		done
	done
}

@test "zsh takes its script, and has all tools in it" {
	command -v zsh >/dev/null || skip "there is no zsh here"
	mkdir functions
	"$root/tools/completion" zsh $tools_all >functions/_warptrace
	zsh -n functions/_warptrace
	for tool in $tools_all; do
		[ "$(zsh -fc 'fpath=($PWD/functions $fpath); autoload -Uz compinit; compinit -u -D
			echo $_comps[$1]' - "${tool##*/}")" = _warptrace ]
	done
	grep -q "'--scheduler=\[.*(.* ccws " functions/_warptrace
}

@test "fish offers the same" {
	command -v fish >/dev/null || skip "there is no fish here"
	"$root/tools/completion" fish $tools_all >fish
	export HOME=$PWD
	offered() {
		fish -c 'source ./fish; complete -C "$argv[1]"' "$1" | cut -f 1 | paste -s -d ' '
	}
	[ "$(offered 'trace-replay --scheduler cc')" = ccws ]
	[ "$(offered 'trace-replay --machi')" = --machine ]
	[ "$(offered 'trace-info --by li')" = line ]
	offered 'trace-gen spmv-s' | grep -qw spmv-scalar
}
