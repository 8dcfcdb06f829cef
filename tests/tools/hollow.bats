#!/usr/bin/env bats
# tests/hollow, on tests made up for it.
load helper

# check: what it says of the tests on standard input, where TEST is @test.
check() {
	mkdir -p tests/tools
	cp "$root/tests/tools/helper.bash" tests/tools
	{
		echo load helper
		sed "s/^TEST /@test /"
	} >tests/tools/trial.bats
	env -u TOOL_LOG -u WARPTRACE_TOOLS SLOW="${slow-1}" "$root/tests/hollow" "$build" tests/tools/trial.bats >said
}

@test "tests that pass without their tool are found, by the way in which it fails" {
	check <<-'END' || :
		TEST "a pipe hides the crash (and empty is empty)" {
			trace-gen --list | sort >a
			trace-gen --list | sort >b
			cmp a b
		}
		TEST "a crash is seen, no output is not" {
			run trace-gen --list
			[ "$status" = 0 ]
		}
		TEST "any failure will do" {
			! trace-gen --no-such-option
		}
		TEST "the status is held" {
			expect 2 "unrecognized option" trace-gen --no-such-option
		}
		TEST "there is something in it" {
			trace-gen --list >a
			[ -s a ]
		}
		TEST "fails anyhow" {
			trace-gen --list | sort
			false
		}
		TEST "is skipped" {
			trace-gen --list | sort
			skip
		}
		TEST "calls another" {
			trace-info --version | grep -q trace-info
		}
	END
	diff said - <<-'END'
		1..4
		not ok 1 trial.bats: tests that call trace-gen fail when it crashes
		# passes: a pipe hides the crash (and empty is empty)
		# passes: any failure will do
		not ok 2 trial.bats: tests that call trace-gen fail when it does nothing
		# passes: a crash is seen, no output is not
		# passes: a pipe hides the crash (and empty is empty)
		ok 3 trial.bats: tests that call trace-info fail when it crashes
		ok 4 trial.bats: tests that call trace-info fail when it does nothing
	END
}

@test "in short it takes the tool that is called most" {
	slow='' check <<-'END'
		TEST "one" {
			trace-info --version >a
			[ -s a ]
		}
		TEST "two" {
			trace-info --version >a
			trace-gen --version >>a
			grep trace-info a
			grep trace-gen a
		}
	END
	diff said - <<-'END'
		1..2
		ok 1 trial.bats: tests that call trace-info fail when it crashes
		ok 2 trial.bats: tests that call trace-info fail when it does nothing
	END
}

@test "where none is hollow it ends with 0, and where none calls a tool it says so" {
	check <<-'END'
		TEST "there is something in it" {
			trace-gen --list >a
			[ -s a ]
		}
	END
	[ "$(grep -c '^ok' said)" = 2 ]
	check <<-'END'
		TEST "no tool" {
			true
		}
	END
	grep -qx 'ok 1 trial.bats # skip its tests call no tool' said
}
