# warptrace: one Makefile, no configure step. `make help` lists the targets.
#
#   make V=1                    shows the commands
#   make CC=clang               another compiler (objects are rebuilt when commands change)
#   make SAN=address,undefined  a sanitized build, in a directory of its own
#   make CFLAGS='-O3 -march=native'

# What is computed, sorted and matched is the same under every locale.
export LC_ALL = C

VERSION = 0.1.0
SOVERSION = 1

prefix = $(if $(filter command,$(origin PREFIX)),$(PREFIX),/usr/local)
bindir = $(prefix)/bin
libdir = $(prefix)/lib
includedir = $(prefix)/include
datadir = $(prefix)/share
mandir = $(datadir)/man
shelldir = $(prefix)/lib/warptrace
cudadir = $(shelldir)/cuda
docdir = $(datadir)/doc/warptrace
DESTDIR =

CFLAGS = -O2 -g
LDFLAGS =
SAN =
V = 0
UPDATE =
FUZZ_SECONDS = 60
BENCH =
QUICK =
JOBS = $(shell nproc 2>/dev/null || echo 1)

ifeq ($(origin CC),default)
CC = gcc
endif
comma = ,
space = $(subst ,, )
BUILD = build$(if $(SAN),/san-$(subst $(comma),-,$(SAN)))
B = $(BUILD)

Q = $(if $(filter 1,$(V)),,@)
say = $(if $(filter 1,$(V)),@:,@printf '  %-7s %s\n' "$(1)" "$(2)")

# ---- what there is ----

LIB_C = $(wildcard libtrace/*.c)
SIM_C = $(wildcard sim/*/*.c)
OPS_C = $(wildcard sim/ptx/ops_*.c)
WL_C = $(wildcard datasets/workloads/*.c datasets/workloads/*/*.c)
CUDART_C = $(wildcard tools/cuda/runtime/*.c)
CURAND_C = $(wildcard tools/cuda/curand/*.c)
NVML_C = $(wildcard tools/cuda/nvml/*.c)
TOOLS = $(patsubst tools/%.c,%,$(wildcard tools/trace-*.c))
PUBLIC_H = $(addprefix libtrace/,err.h stream.h program.h trace.h access.h warptrace.h)
# What a policy of one's own includes: <warptrace/sched.h>, <warptrace/warp.h> and what these need.
POLICY_H = sim/sched/sched.h sim/sched/age.h $(addprefix sim/warp/,warp.h pdom.h lcp.h) \
	$(addprefix sim/base/,bits.h config.h geometry.h param.h paths.h priority.h profile.h warp.h)
HEADERS = $(filter-out %/cuda.h,$(wildcard libtrace/*.h sim/*/*.h datasets/workloads/*.h tools/*.h))
UNIT = $(patsubst tests/unit/%.c,$(B)/unit/%,$(wildcard tests/unit/test_*.c))
FUZZ = $(patsubst tests/fuzz/%.c,$(B)/fuzz/%,$(wildcard tests/fuzz/fuzz_*.c))
SEEDS = $(FUZZ:$(B)/fuzz/%=$(B)/seeds/%)
BENCHES = $(patsubst tests/bench/%.c,$(B)/bench/%,$(wildcard tests/bench/bench_*.c))
KERNEL_CU = $(wildcard datasets/workloads/*/*.cu tests/kernels/*.cu)

# Headers as they are installed: base/ has those of sim/base, since two are called warp.h.
installed_h = warptrace/$(patsubst sim/base/%,base/%,$(patsubst sim/warp/%,%,$(patsubst \
	sim/sched/%,%,$(patsubst libtrace/%,%,$(1)))))
INCLUDE = $(foreach h,$(PUBLIC_H) $(POLICY_H),$(B)/include/$(call installed_h,$(h)))

SCRIPTS = trace-nvcc trace-plot trace-report trace-sweep
BIN = $(addprefix $(B)/bin/,$(TOOLS) $(SCRIPTS))
# What the scripts share, which they find as ../lib/warptrace beside bin/.
SHELL_LIB = $(addprefix $(B)/lib/warptrace/,commit shell.bash)
LIBWARPTRACE = $(B)/libwarptrace.a
LIBWARPTRACE_SO = $(B)/libwarptrace.so.$(SOVERSION)
LIBSIM = $(B)/libsim.a
# Reconvergence stacks, for warp policies of one's own.
LIBPOLICY = $(B)/libwarptrace-policy.a
LIBWORKLOADS = $(B)/libworkloads.a
LIBTOOLS = $(B)/libtools.a
# What CUDA programs are linked with, and what trace-nvcc and `trace-gen --run` find beside them.
CUDA = $(B)/cuda
LIBCUDART = $(CUDA)/lib64/libwarptrace-cudart.so.$(SOVERSION)
CUDA_LINKS = libwarptrace-cudart.so libcudart.so libcuda.so libcuda.so.1
LIBCURAND = $(CUDA)/lib64/libcurand.so.10
LIBNVML = $(CUDA)/lib64/libnvidia-ml.so.1
# The libraries that CMake, and Makefiles with a linker of their own, name beside it.
CUDA_NAMED = $(addprefix $(CUDA)/lib64/,libcudart_static.a libcudadevrt.a libnvToolsExt.a)
# For programs of nvcc: RELEASE:LAYOUT of the structs, of runtime/abi.
CUDART_ABI = 11.0:11 12:11 13:13
CUDART_SO = $(foreach a,$(CUDART_ABI),$(CUDA)/lib64/libcudart.so.$(firstword $(subst :, ,$(a))))
CUDA_H = $(shell cd tools/cuda/include && find . -type f -printf '%P\n' | sort)
# In the order in which a linker wants them.
ARCHIVES = $(LIBWORKLOADS) $(LIBSIM) $(LIBWARPTRACE)
LIBS = -lzstd -llzma -lxxhash -linih -lm -ldl -pthread

# The operations of the PTX machine are compiled for the base instruction set and, on x86-64, once
# more for AVX2; the machine picks one when it runs.
ISA_base =
ISA_v3 = -mavx2 -mfma -mbmi -mbmi2
ISAS = base $(if $(filter x86_64-%,$(shell $(CC) -dumpmachine 2>/dev/null)),v3)

obj = $(patsubst %.c,$(B)/obj/%.o,$(1))
LIB_O = $(call obj,$(LIB_C))
OPS_O = $(foreach isa,$(ISAS),$(patsubst %.c,$(B)/obj/%.$(isa).o,$(OPS_C)))
SIM_O = $(call obj,$(filter-out $(OPS_C),$(SIM_C))) $(OPS_O)
WL_O = $(call obj,$(WL_C))
POLICY_O = $(call obj,sim/warp/pdom.c sim/warp/lcp.c)
CUDART_O = $(call obj,$(CUDART_C))
CURAND_O = $(call obj,$(CURAND_C))
NVML_O = $(call obj,$(NVML_C))
TOOLS_O = $(call obj,$(filter-out tools/trace-%,$(wildcard tools/*.c)))

WARN = -Wall -Wextra -Werror -Wshadow -Wmissing-prototypes -Wstrict-prototypes -Wvla -Wundef
BASE_CFLAGS = -std=c11 -D_GNU_SOURCE $(WARN) -ffp-contract=off -I.
# gcc's warnings see ghosts in instrumented code, so there they do not end the build.
SAN_FLAGS = $(if $(SAN),-fsanitize=$(SAN) -fno-sanitize-recover=all -fno-omit-frame-pointer -Wno-error)
COMPILE = $(CC) $(BASE_CFLAGS) $(CPPFLAGS) $(CFLAGS) $(SAN_FLAGS) $(EXTRA_CFLAGS)
LINK = $(CC) $(CFLAGS) $(SAN_FLAGS) $(EXTRA_CFLAGS) $(LDFLAGS)
PATHS = -DWARPTRACE_VERSION='"$(VERSION)"' -DWARPTRACE_DATADIR='"$(datadir)/warptrace"'

.DELETE_ON_ERROR:
.SUFFIXES:
.SECONDARY:
.PHONY: all demo paper sensitivity test check-slow bench validate validate-sensitivity coverage dead dead-objects check-bare fuzz headers \
	public-headers man format \
	formatted install uninstall clean help deps test-deps kernels check-kernels test-programs \
	fuzz-programs bench-programs FORCE

## all: libraries and tools, under build/
all: $(BIN) $(SHELL_LIB) $(LIBWARPTRACE) $(LIBPOLICY) $(if $(SAN),,$(LIBWARPTRACE_SO)) $(INCLUDE) \
	$(LIBCUDART) $(CUDART_SO) $(LIBCURAND) $(LIBNVML) $(CUDA_NAMED) $(CUDA)/include

# ---- how it is made ----

# A file that changes when its text does: objects depend on the command that makes them.
define stamp
@mkdir -p $(@D)
@printf '%s\n' '$(subst ','\'',$(1))' | cmp -s - $@ || printf '%s\n' '$(subst ','\'',$(1))' >$@
endef
$(B)/command: FORCE
	$(call stamp,$(COMPILE))
$(B)/paths: FORCE
	$(call stamp,$(PATHS))

$(LIB_O) $(SIM_O) $(CUDART_O) $(CURAND_O) $(NVML_O): private EXTRA_CFLAGS += -fPIC -fno-semantic-interposition
$(CUDART_O) $(CURAND_O) $(NVML_O): private CPPFLAGS += -Itools/cuda/include
OPS_CFLAGS = -O3 -fno-math-errno -fno-trapping-math
$(OPS_O): private EXTRA_CFLAGS += $(OPS_CFLAGS)
$(B)/obj/tools/common.o: private EXTRA_CFLAGS += $(PATHS)
$(B)/obj/tools/common.o: $(B)/paths

define compile
$(call say,CC,$@)
@mkdir -p $(@D)
$(Q)$(COMPILE) -MMD -MP $(1) -c $< -o $@
endef
$(B)/obj/%.o: %.c $(B)/command
	$(call compile)
define isa_rule
$$(B)/obj/%.$(1).o: %.c $$(B)/command
	$$(call compile,$$(ISA_$(1)) -DPTX_ISA=$(1))
endef
$(foreach isa,$(ISAS),$(eval $(call isa_rule,$(isa))))

define archive
$(call say,AR,$@)
@rm -f $@
$(Q)ar crs $@ $^
endef
$(LIBWARPTRACE): $(LIB_O)
	$(archive)
$(LIBSIM): $(SIM_O)
	$(archive)
$(LIBPOLICY): $(POLICY_O)
	$(archive)
$(LIBWORKLOADS): $(WL_O)
	$(archive)
$(LIBTOOLS): $(TOOLS_O)
	$(archive)

$(LIBWARPTRACE_SO): $(LIB_O) libtrace/libwarptrace.map
	$(call say,LINK,$@)
	$(Q)$(LINK) -shared -Wl,-soname,$(@F) -Wl,--no-undefined \
		-Wl,--version-script=libtrace/libwarptrace.map -o $@ $(LIB_O) -lzstd -lxxhash

# One library: once as trace-nvcc links it, without versions of its symbols, and once for programs of
# nvcc by each release's name, version node and layout of structs.
PER_THREAD = tools/cuda/runtime/per_thread.ld
ABI_O = $(call obj,$(wildcard tools/cuda/runtime/abi/*.c))
$(ABI_O): private EXTRA_CFLAGS += -fPIC
$(ABI_O): private CPPFLAGS += -Itools/cuda/include
define cudart
$(call say,LINK,$@)
@mkdir -p $(@D)
$(Q)$(LINK) -shared -Wl,-soname,$(@F) $(if $(SAN),,-Wl$(comma)--no-undefined -s) \
	-Wl,--version-script=$(1) -o $@ $(filter %.o %.a %.ld,$^) -llz4 $(LIBS)
endef
$(LIBCUDART): $(CUDART_O) $(B)/obj/tools/cuda/runtime/abi/11.o $(LIBSIM) $(LIBWARPTRACE) \
		tools/cuda/runtime/cudart.map $(PER_THREAD)
	$(call cudart,tools/cuda/runtime/cudart.map)
define cudart_rule
$$(CUDA)/lib64/libcudart.so.$(1): $$(CUDART_O) $$(B)/obj/tools/cuda/runtime/abi/$(2).o $$(LIBSIM) \
		$$(LIBWARPTRACE) tools/cuda/runtime/cudart.map $$(PER_THREAD)
	@mkdir -p $$(@D)
	@sed 's/^{/libcudart.so.$(1) {/' tools/cuda/runtime/cudart.map >$$@.map
	$$(call cudart,$$@.map)
endef
$(foreach a,$(CUDART_ABI),$(eval $(call cudart_rule,$(firstword $(subst :, ,$(a))),$(lastword $(subst :, ,$(a))))))

# Over the functions of whichever runtime a program has: it is linked with none.
$(LIBCURAND): $(CURAND_O) tools/cuda/curand/curand.map
	$(call say,LINK,$@)
	@mkdir -p $(@D)
	$(Q)$(LINK) -shared -Wl,-soname,$(@F) $(if $(SAN),,-s) \
		-Wl,--version-script=tools/cuda/curand/curand.map -o $@ $(CURAND_O) -lm -pthread

$(LIBNVML): $(NVML_O) tools/cuda/nvml/nvml.map
	$(call say,LINK,$@)
	@mkdir -p $(@D)
	$(Q)$(LINK) -shared -Wl,-soname,$(@F) $(if $(SAN),,-s) \
		-Wl,--version-script=tools/cuda/nvml/nvml.map -o $@ $(NVML_O)

# A linker looks for it beside the script, also where that is named by its path.
$(CUDA)/lib64/libcudart_static.a: Makefile
	@mkdir -p $(@D)
	@echo 'INPUT(libwarptrace-cudart.so)' >$@
# Of these two there is nothing to link: NVTX is in its headers.
$(CUDA)/lib64/libcudadevrt.a $(CUDA)/lib64/libnvToolsExt.a: Makefile
	@mkdir -p $(@D)
	@rm -f $@ && $(AR) rcs $@

# The names that programs are linked by lead to the one library.
$(CUDA)/include: $(LIBCUDART) FORCE
	@mkdir -p $(CUDA)/bin
	@ln -sfn $(CURDIR)/tools/cuda/include $@
	@ln -sf ../../bin/trace-nvcc $(CUDA)/bin/nvcc
	@ln -sf $(CURDIR)/datasets/workloads/turn.awk $(CUDA)/bin/turn.awk
	@for a in ir launches ptx; do ln -sf $(CURDIR)/tools/cuda/$$a.awk $(CUDA)/bin/$$a.awk; done
	@for l in $(CUDA_LINKS); do \
		ln -sf $(notdir $(LIBCUDART)) $(CUDA)/lib64/$$l; done
	@ln -sf $(notdir $(LIBCURAND)) $(CUDA)/lib64/libcurand.so
	@ln -sf $(notdir $(LIBNVML)) $(CUDA)/lib64/libnvidia-ml.so

define link_tool
$(call say,LINK,$@)
@mkdir -p $(@D)
$(Q)$(LINK) -o $@ $^ $(LIBS)
endef
$(B)/bin/%: $(B)/obj/tools/%.o $(LIBTOOLS) $(ARCHIVES)
	$(link_tool)
$(B)/lib/warptrace/commit: $(B)/obj/tools/shell/commit.o $(LIBTOOLS) $(ARCHIVES)
	$(link_tool)
$(B)/lib/warptrace/shell.bash: tools/shell/shell.bash
	@mkdir -p $(@D)
	@cp $< $@

define header_rule
$$(B)/include/$$(call installed_h,$(1)): $(1) Makefile
	@mkdir -p $$(@D)
	@sed -e 's|^#include "libtrace/\(.*\)"|#include <warptrace/\1>|' \
		-e 's|^#include "sim/base/\(.*\)"|#include <warptrace/base/\1>|' \
		-e 's|^#include "sim/[a-z]*/\(.*\)"|#include <warptrace/\1>|' $$< >$$@
endef
$(foreach h,$(PUBLIC_H) $(POLICY_H),$(eval $(call header_rule,$(h))))

$(addprefix $(B)/bin/,$(SCRIPTS)): $(B)/bin/%: tools/% Makefile
	@mkdir -p $(@D)
	@sed 's/@version@/$(VERSION)/' $< >$@
	@chmod +x $@

define test_program
$(call say,LINK,$@)
@mkdir -p $(@D)
$(Q)$(LINK) -o $@ $^ $(LIBS) $(1)
endef
$(B)/unit/%: $(B)/obj/tests/unit/%.o $(ARCHIVES)
	$(call test_program,-lcmocka)
$(B)/obj/tests/unit/test_fatbin.o: private CPPFLAGS += -Itools/cuda/include
$(B)/unit/test_fatbin: private LIBS = $(LIBWARPTRACE) -lzstd -lxxhash -llz4
$(B)/unit/test_fatbin: $(B)/obj/tools/cuda/runtime/fatbin.o
$(B)/bench/%: $(B)/obj/tests/bench/%.o $(ARCHIVES)
	$(call test_program)
# Where tools' own code runs in a target, their exits lead back to it.
$(B)/fuzz/fuzz_tools $(B)/seeds/fuzz_tools: private LDFLAGS += $(addprefix -Wl$(comma)--wrap=,exit malloc calloc realloc free)
$(B)/fuzz/%: $(B)/obj/tests/fuzz/%.o $(LIBTOOLS) $(ARCHIVES)
	$(call test_program,-fsanitize=fuzzer)
# Each target without a fuzzer, for the tests: it runs the files that it is given.
$(B)/seeds/%: $(B)/obj/tests/fuzz/%.o $(B)/obj/tests/fuzz/seeds.o $(LIBTOOLS) $(ARCHIVES)
	$(call test_program,-lcmocka)

test-programs: $(UNIT) $(SEEDS)
# The readers' tests also write the seeds for their fuzz targets.
fuzz-programs: $(FUZZ) $(addprefix $(B)/unit/,test_stream test_trace test_trace_children)
bench-programs: $(BENCHES)

-include $(shell find $(B)/obj -name '*.d' 2>/dev/null)

# ---- what it is made from ----

# What is needed and Debian's package with it: a command, a header, or a file by its path. Commands
# with a comma between them are as good as each other. NEEDS is for building, figures and manual
# pages; TEST_NEEDS is for tests alone, whatever Debian has that one of them would be skipped without.
NEEDS = gcc:gcc make:make stdlib.h:libc6-dev zstd.h:libzstd-dev lzma.h:liblzma-dev \
	xxhash.h:libxxhash-dev ini.h:libinih-dev lz4.h:liblz4-dev gnuplot:gnuplot-nox \
	help2man:help2man parallel:parallel
TEST_NEEDS = bats:bats cmocka.h:libcmocka-dev g++:g++ pkg-config:pkg-config clang:clang cmake:cmake \
	clang-format:clang-format valgrind:valgrind zstd:zstd xz:xz-utils jq:jq man:man-db \
	col:bsdextrautils rsvg-convert:librsvg2-bin zsh:zsh fish:fish \
	$(subst $(space),$(comma),$(BROWSERS)):chromium-headless-shell \
	/usr/include/thrust/version.h:libthrust-dev \
	/usr/share/i18n/locales/de_DE:locales
BROWSERS = chromium-headless-shell chromium chromium-browser google-chrome headless_shell
# Packages to go on without, where they cannot be had: their tests are skipped.
WITHOUT =

# $(call install,NEEDS): cmocka's header wants others before it.
define install
@missing=; \
for need in $(filter-out $(addprefix %:,$(WITHOUT)),$(1)); do \
	what=$${need%%:*}; \
	case $$what in \
	/*) [ -e "$$what" ] ;; \
	*.h) printf '#include <%s>\n' stdarg.h stddef.h stdint.h setjmp.h $$what | \
		gcc -fsyntax-only -x c - 2>/dev/null ;; \
	*) (IFS=,; for c in $$what; do command -v $$c && break; done) >/dev/null ;; \
	esac || missing="$$missing $${need#*:}"; \
done; \
[ -n "$$missing" ] || exit 0; \
if [ -n "$(NO_INSTALL)" ]; then echo "missing packages:$$missing"; exit 1; fi; \
echo "installing:$$missing"; \
sudo=; [ "$$(id -u)" = 0 ] || sudo=sudo; \
command -v apt-get >/dev/null || { echo "no apt-get here: install them yourself"; exit 1; }; \
$$sudo apt-get -qq update && \
DEBIAN_FRONTEND=noninteractive $$sudo apt-get -qq install -y --no-install-recommends $$missing
endef

## deps: installs the Debian packages that are missing (NO_INSTALL=1 only names them)
deps:
	$(call install,$(NEEDS))

## test-deps: those, and what only tests need (WITHOUT='PACKAGE...' skips the tests of these)
test-deps:
	$(call install,$(NEEDS) $(TEST_NEEDS))

# ---- showing it ----

## demo: records, replays, draws: bfs-levels.svg, ipc.svg, report/index.html in build/demo
demo: deps
	+$(Q)$(MAKE) --no-print-directory -j$(JOBS) all
	$(Q)plots/demo $(B)

## paper: what the papers measure, as build/paper/index.html (QUICK=1: smaller inputs)
## sensitivity: likewise, and which parameters turn it
paper sensitivity:
	+$(Q)$(MAKE) --no-print-directory deps || echo "going on without: tables need no gnuplot"
	+$(Q)$(MAKE) --no-print-directory -j$(JOBS) all
	$(Q)QUICK='$(QUICK)' plots/paper/run -j $(JOBS) $(if $(filter sensitivity,$@),-s plots/paper/sensitivity.tsv) $(B); \
		status=$$?; plots/paper/draw build/paper && exit $$status

## validate: today's machines beside hardware (VALIDATE=DIR has the measurements; UPDATE=1)
validate: all
	$(Q)[ -n "$(VALIDATE)" ] || { echo 'make validate VALIDATE=DIR: see plots/validate/run' >&2; exit 2; }
	$(Q)plots/validate/run $(VALIDATE) $(B) >$(B)/validate.tsv
	$(Q)plots/validate/summary.awk $(B)/validate.tsv
	$(Q)gnuplot -e "term='svg'; out='$(B)/validate.svg'; data='$(B)/validate.tsv'" \
		plots/validate/scatter.gp
	$(Q)[ -z "$(UPDATE)" ] || { cp $(B)/validate.tsv plots/validate/results.tsv && \
		cp $(B)/validate.svg plots/validate/results.svg; }

## validate-sensitivity: which values that nobody published turn them (VALIDATE=DIR: more records)
validate-sensitivity: all
	$(Q)plots/validate/sensitivity -j $(JOBS) $(SENSITIVITY) $(B) $(VALIDATE) >$(B)/validate-sensitivity.tsv
	$(Q)head -n 30 $(B)/validate-sensitivity.tsv

## bench: speed and size (BENCH=all: of every workload; ACCEL=FILE: beside Accel-Sim's rates)
bench:
	+$(Q)$(MAKE) --no-print-directory -j$(JOBS) all bench-programs
	$(Q)BENCH='$(BENCH)' ACCEL='$(ACCEL)' tests/bench/run $(B)

# ---- testing it ----

## test: builds and tests all; ends with a line `N passed, N failed` (UPDATE=1 renews golden files)
test: test-deps
	+$(Q)$(MAKE) --no-print-directory -j$(JOBS) all test-programs
	+$(Q)CC='$(CC)' MAKE='$(MAKE)' UPDATE='$(UPDATE)' SAN='$(SAN)' JOBS='$(JOBS)' \
		tests/run $(B)

## check-slow: all of test, and every workload at its default size
check-slow: test-deps
	+$(Q)$(MAKE) --no-print-directory -j$(JOBS) all test-programs
	+$(Q)CC='$(CC)' MAKE='$(MAKE)' SAN='$(SAN)' JOBS='$(JOBS)' SLOW=1 \
		tests/run $(B)

## check-bare: demo and test in a bare Debian (root, debootstrap, 3 GB in build/; KEEP=1 leaves it)
check-bare:
	$(Q)exec env JOBS='$(JOBS)' KEEP='$(KEEP)' tests/bare

## headers: every header compiles alone, as C and as C++
headers:
	$(Q)for h in $(HEADERS); do \
		printf '#include "%s"\n' $$h | $(CC) $(BASE_CFLAGS) -fsyntax-only -x c - && \
		printf '#include "%s"\n' $$h | \
			$(CC) -std=c++17 -D_GNU_SOURCE -Wall -Wextra -Werror -I. -fsyntax-only -x c++ - || \
			{ echo "$$h does not compile alone"; exit 1; }; \
	done

## dead: functions that no tool and no CUDA program reaches, by what the linker drops
dead:
	+$(Q)$(MAKE) --no-print-directory -j$(JOBS) BUILD=build/sections OPS_CFLAGS= \
		CFLAGS='-O0 -ffunction-sections' dead-objects
	$(Q)tests/dead build/sections '$(LINK)' '$(LIBS)'
dead-objects: $(LIBTOOLS) $(ARCHIVES) $(call obj,$(TOOLS:%=tools/%.c) tools/shell/commit.c) $(CUDART_O) \
	$(CURAND_O) $(NVML_O) $(call obj,tools/cuda/runtime/abi/11.c)

# For a test: what may be used of the library.
public-headers:
	@echo $(PUBLIC_H)

## fuzz: every fuzz target for FUZZ_SECONDS (60) each, JOBS at a time, with clang
fuzz:
	+$(Q)$(MAKE) --no-print-directory -j$(JOBS) CC=clang BUILD=build/fuzzing CFLAGS='-O1 -g' \
		SAN=address,undefined CPPFLAGS='-DTR_FUZZING -fsanitize=fuzzer-no-link' fuzz-programs
	$(Q)JOBS=$(JOBS) tests/fuzz/run build/fuzzing $(FUZZ_SECONDS)

## coverage: line coverage of the tests, in build/coverage/html
coverage:
	+$(Q)$(MAKE) --no-print-directory BUILD=build/coverage CFLAGS='-O1 -g --coverage' test
	$(Q)lcov -q -c -d build/coverage/obj --no-external -b . -o build/coverage/all.info
	$(Q)lcov -q -r build/coverage/all.info '*/tests/*' -o build/coverage/own.info
	$(Q)genhtml -q -o build/coverage/html build/coverage/own.info
	@lcov --summary build/coverage/own.info 2>&1 | grep lines

# ---- kernels ----

# Loops and branches stay as they are written: they are what the mechanisms reason about. The rest
# is as nvcc has it: multiply and add are fused, pointers to shared memory have 32 bits, and a loop
# takes one branch a trip (clang would move its end above its beginning and jump there; turn.awk
# does the rest). tests/bench/nvcc.sh holds the kernels against nvcc's.
CUDA_CLANG = clang
CUDA_FLAGS = -x cuda --cuda-device-only --cuda-gpu-arch=sm_50 -nocudainc -nocudalib -O2 \
	-fno-unroll-loops -fno-slp-vectorize -ffp-contract=fast -mllvm -disable-block-placement \
	-mllvm -nvptx-short-ptr -Xclang -fcuda-short-ptr \
	-mllvm -two-entry-phi-node-folding-threshold=0 -mllvm -phi-node-folding-threshold=0 \
	-Xclang -target-feature -Xclang +ptx64 -gline-tables-only -fdebug-compilation-dir=. \
	-Wno-unknown-cuda-version -fdeclspec
# Compiled in its own folder, so that the names in the PTX are relative.
cuda = cd $(dir $(1)) && $(CUDA_CLANG) $(CUDA_FLAGS) \
	-I$(if $(filter datasets/%,$(1)),..,../../datasets/workloads) -S $(notdir $(1)) -o - >$(2).clang && \
	awk -f $(CURDIR)/datasets/workloads/turn.awk $(2).clang >$(2) && rm $(2).clang

## kernels: compiles the CUDA kernels to the PTX beside them (Debian's clang)
kernels:
	$(Q)set -e; $(foreach k,$(KERNEL_CU),echo '  PTX     $(k:.cu=.ptx)'; \
		($(call cuda,$(k),$(notdir $(k:.cu=.ptx))));)

## check-kernels: compiles them once more and compares
check-kernels:
	$(Q)$(CUDA_CLANG) --version 2>/dev/null | grep -q 'Debian clang version 14' || \
		{ echo "check-kernels: skipped, there is no Debian clang 14 here"; exit 0; }; \
	set -e; mkdir -p $(B)/kernels; $(foreach k,$(KERNEL_CU), \
		($(call cuda,$(k),$(abspath $(B))/kernels/$(notdir $(k:.cu=.ptx)))); \
		cmp $(B)/kernels/$(notdir $(k:.cu=.ptx)) $(k:.cu=.ptx);)

# ---- documents ----

MAN = $(patsubst %,$(B)/man/%.1,$(TOOLS) $(SCRIPTS))
## man: manual pages, from the tools' --help
man: $(MAN)
$(B)/man/%.1: $(B)/bin/% tools/manual $(wildcard tools/*.h2m)
	$(call say,MAN,$@)
	@mkdir -p $(@D)
	$(Q)tools/manual $< >$(@:.1=.h2m)
	$(Q)help2man -N -s 1 -n "$$(sed -n 's/^[ #]\**  *$*: *//p' tools/$*.c tools/$* 2>/dev/null | head -n 1)" \
		-i $(@:.1=.h2m) -o $@ $<

COMPLETIONS = $(B)/completion/bash $(B)/completion/zsh $(patsubst %,$(B)/completion/%.fish,$(TOOLS) $(SCRIPTS))
$(B)/completion/bash $(B)/completion/zsh: $(BIN) tools/completion
	$(call say,SHELL,$@)
	@mkdir -p $(@D)
	$(Q)WARPTRACE_DATA=datasets tools/completion $(@F) $(BIN) >$@
$(B)/completion/%.fish: $(B)/bin/% $(B)/bin/trace-replay tools/completion
	$(call say,SHELL,$@)
	@mkdir -p $(@D)
	$(Q)WARPTRACE_DATA=datasets tools/completion fish $< >$@

FORMATTED = $(LIB_C) $(SIM_C) $(WL_C) $(HEADERS) $(CUDART_C) $(CURAND_C) $(NVML_C) \
	$(wildcard tools/*.c tools/shell/*.c tools/cuda/runtime/*.h tools/cuda/runtime/abi/*.[ch] \
	tools/cuda/curand/*.h datasets/examples/*.c tests/unit/*.[ch] tests/fuzz/*.[ch] \
	tests/bench/*.c tests/example/*.c)
## format: clang-format on all C
format:
	$(Q)clang-format -i $(FORMATTED)

# For a test: format would change nothing.
formatted:
	$(Q)clang-format --dry-run --Werror $(FORMATTED)

# ---- installing ----

KERNEL_FILES = $(foreach k,$(wildcard datasets/workloads/*/*.cu),$(k) $(k:.cu=.ptx))
MACHINES = $(wildcard datasets/machines/*.ini)
EXAMPLES = $(wildcard datasets/examples/*.c) datasets/examples/Makefile
DOCS = README.md ARCHITECTURE.md FORMAT.md MODEL.md SECURITY.md CONTRIBUTING.md NEWS LICENSE
# FILE:DESTINATION, for install and for uninstall alike.
PLOTS = $(addprefix plots/,bars lines stack area heat scatter)
PLOTS_DATA = $(PLOTS:=.gp) $(addprefix plots/,figure.bash pivot.awk style.gp) \
	$(addprefix plots/report/,page.awk page.css page.js)
INSTALL_BIN = $(foreach t,$(TOOLS) $(SCRIPTS),$(B)/bin/$(t):$(bindir)/$(t)) \
	$(B)/lib/warptrace/commit:$(shelldir)/commit \
	$(foreach p,$(PLOTS),$(p):$(datadir)/warptrace/$(p))
INSTALL_DATA = $(LIBWARPTRACE):$(libdir)/libwarptrace.a \
	$(LIBPOLICY):$(libdir)/libwarptrace-policy.a \
	$(LIBWARPTRACE_SO):$(libdir)/libwarptrace.so.$(SOVERSION) \
	$(B)/warptrace.pc:$(libdir)/pkgconfig/warptrace.pc \
	$(B)/lib/warptrace/shell.bash:$(shelldir)/shell.bash \
	$(foreach h,$(INCLUDE),$(h):$(h:$(B)/include/%=$(includedir)/%)) \
	$(foreach m,$(MAN),$(m):$(mandir)/man1/$(notdir $(m))) \
	$(foreach t,$(TOOLS) $(SCRIPTS),$(B)/completion/bash:$(datadir)/bash-completion/completions/$(t)) \
	$(B)/completion/zsh:$(datadir)/zsh/site-functions/_warptrace \
	$(foreach t,$(TOOLS) $(SCRIPTS),$(B)/completion/$(t).fish:$(datadir)/fish/vendor_completions.d/$(t).fish) \
	$(foreach f,$(KERNEL_FILES) datasets/workloads/cuda.h,$(f):$(f:datasets/%=$(datadir)/warptrace/%)) \
	datasets/workloads/turn.awk:$(cudadir)/bin/turn.awk \
	tools/cuda/ir.awk:$(cudadir)/bin/ir.awk \
	tools/cuda/launches.awk:$(cudadir)/bin/launches.awk tools/cuda/ptx.awk:$(cudadir)/bin/ptx.awk \
	$(foreach f,$(MACHINES),$(f):$(f:datasets/%=$(datadir)/warptrace/%)) \
	$(foreach p,$(PLOTS_DATA),$(p):$(datadir)/warptrace/$(p)) \
	$(foreach f,$(EXAMPLES),$(f):$(f:datasets/%=$(datadir)/warptrace/%)) \
	$(foreach l,$(LIBCUDART) $(CUDART_SO) $(LIBCURAND) $(LIBNVML) $(CUDA_NAMED),$(l):$(cudadir)/lib64/$(notdir $(l))) \
	$(foreach h,$(CUDA_H),tools/cuda/include/$(h):$(cudadir)/include/$(h)) \
	plots/trace-plots.7:$(mandir)/man7/trace-plots.7 \
	tools/trace-policies.7:$(mandir)/man7/trace-policies.7 \
	tools/trace-tools.7:$(mandir)/man7/trace-tools.7 \
	$(foreach f,$(DOCS),$(f):$(docdir)/$(f))
INSTALL_DIRS = $(docdir) $(includedir)/warptrace/base $(includedir)/warptrace \
	$(addprefix $(datadir)/warptrace/,$(patsubst datasets/%/,%,$(sort $(dir $(KERNEL_FILES)))) \
	workloads machines plots/report plots examples) $(datadir)/warptrace \
	$(addprefix $(cudadir)/,$(sort $(patsubst %,include/%,$(filter-out ./,$(dir $(CUDA_H)))))) \
	$(addprefix $(cudadir)/include/wrap/,cuda/std cuda) \
	$(addprefix $(cudadir)/,include/wrap include lib64 bin) $(cudadir) $(shelldir)

# Where no loader looks by itself, programs are told where the library is. Where it does, by
# Debian's ld.so.conf.d too, it has a list, which ldconfig renews.
RPATH = $(if $(filter /lib /usr/lib /usr/local/lib $(addsuffix /%-linux-gnu,/lib /usr/lib /usr/local/lib),\
	$(libdir)),,-Wl$(comma)-rpath$(comma)$(libdir) )
LDCONFIG = [ -n "$(DESTDIR)$(RPATH)" ] || [ "$$(id -u)" != 0 ] || ! command -v ldconfig >/dev/null || ldconfig
$(B)/warptrace.pc: warptrace.pc.in Makefile FORCE
	@sed -e 's|@prefix@|$(prefix)|' -e 's|@rpath@|$(RPATH)|' -e 's|@libdir@|$(libdir)|' \
		-e 's|@includedir@|$(includedir)|' -e 's|@version@|$(VERSION)|' $< >$@

## install: tools, manual, library, kernels, machines, examples (DESTDIR, prefix, ...)
install: all man $(COMPLETIONS) $(B)/warptrace.pc
	$(Q)set -e; for f in $(INSTALL_BIN); do \
		install -D -m 755 "$${f%%:*}" "$(DESTDIR)$${f#*:}"; done
	$(Q)set -e; for f in $(INSTALL_DATA); do \
		install -D -m 644 "$${f%%:*}" "$(DESTDIR)$${f#*:}"; done
	$(Q)ln -sf libwarptrace.so.$(SOVERSION) "$(DESTDIR)$(libdir)/libwarptrace.so"
	$(Q)for l in $(CUDA_LINKS); do \
		ln -sf $(notdir $(LIBCUDART)) "$(DESTDIR)$(cudadir)/lib64/$$l"; done
	$(Q)ln -sf $(notdir $(LIBCURAND)) "$(DESTDIR)$(cudadir)/lib64/libcurand.so"
	$(Q)ln -sf $(notdir $(LIBNVML)) "$(DESTDIR)$(cudadir)/lib64/libnvidia-ml.so"
	$(Q)mkdir -p "$(DESTDIR)$(cudadir)/bin"
	$(Q)ln -sf ../../../../bin/trace-nvcc "$(DESTDIR)$(cudadir)/bin/nvcc"
	$(Q)$(LDCONFIG)

## uninstall: removes what install put there, and nothing else
uninstall:
	$(Q)for f in $(INSTALL_BIN) $(INSTALL_DATA); do rm -f "$(DESTDIR)$${f#*:}"; done
	$(Q)for f in $(libdir)/libwarptrace.so $(cudadir)/bin/nvcc \
		$(addprefix $(cudadir)/lib64/,$(CUDA_LINKS) libcurand.so libnvidia-ml.so); do rm -f "$(DESTDIR)$$f"; done
	$(Q)printf '%s\n' $(INSTALL_DIRS) | sort -r | while read -r d; do \
		rmdir "$(DESTDIR)$$d" 2>/dev/null || :; done

## clean: removes build/
clean:
	$(Q)rm -rf build

## help: this list
help:
	@sed -n 's/^## \([^:]*\): /\1\t/p' $(firstword $(MAKEFILE_LIST)) | \
		awk -F '\t' '{ printf "  make %-14s %s\n", $$1, $$2 }'

FORCE:
