/*
 * What tools read beside streams, by the tools' own code: a profile for daws, a machine file with
 * its bases, arguments of a PTX kernel, a scheduler's name with a profile in it, a script of
 * launches, which is run. The first byte of the input says which. A tool ends the program with a
 * sentence where it refuses something; here that leads back, and what was allocated on the way is
 * freed (Makefile: --wrap).
 */
#include "must.h"
#include "tools/files.h"
#include "tools/launches.h"
#include "tools/machine.h"
#include "tools/profile.h"
#include <setjmp.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- the end of the program, and memory ---- */

void __real_exit(int status) __attribute__((noreturn));
void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
void __real_free(void *p);
void __wrap_exit(int status) __attribute__((noreturn));
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t size);
void __wrap_free(void *p);

#define KEPT_MAX 65536

static void *kept[KEPT_MAX]; /* what the tool's code has allocated and not freed */
static size_t nkept;
static int armed;
static jmp_buf back;

void __wrap_exit(int status)
{
	if (!armed)
		__real_exit(status);
	longjmp(back, status + 1);
}

static void *keep(void *p)
{
	if (armed && p && nkept < KEPT_MAX)
		kept[nkept++] = p;
	return p;
}

/* Whether it was one of them: what a tool keeps from one input to the next is not. */
static int forget(const void *p)
{
	size_t i = nkept;

	while (i && kept[i - 1] != p)
		i--;
	if (!i)
		return 0;
	kept[i - 1] = kept[--nkept];
	return 1;
}

void *__wrap_malloc(size_t size)
{
	return keep(__real_malloc(size));
}

void *__wrap_calloc(size_t n, size_t size)
{
	return keep(__real_calloc(n, size));
}

void *__wrap_realloc(void *p, size_t size)
{
	if (armed && p && !forget(p))
		return __real_realloc(p, size);
	return keep(__real_realloc(p, size));
}

void __wrap_free(void *p)
{
	if (armed)
		forget(p);
	__real_free(p);
}

/* What printf and the like allocate inside of the C library cannot be seen: it may leak. */
const char *__asan_default_options(void);

const char *__asan_default_options(void)
{
	return "detect_leaks=0";
}

/* ---- a file of the input ---- */

struct file {
	char path[64];
	int fd;
};

static void put(struct file *f, const void *data, size_t size)
{
	if (!*f->path) {
		f->fd = memfd_create("fuzz", 0);
		assert_true(f->fd >= 0);
		snprintf(f->path, sizeof(f->path), "/proc/self/fd/%d", f->fd);
		input_note(f->path); /* so that the list of files is there, and stays */
	}
	assert_true(!ftruncate(f->fd, 0) && pwrite(f->fd, data, size, 0) == (ssize_t)size);
}

static struct file input;

/* ---- the tools ---- */

static struct tr_program *loops(void)
{
	struct tr_program *p = tr_program_new("k");
	const uint32_t r = (uint32_t)tr_program_reg(p, "%r", 32);
	struct tr_err err;

	for (uint32_t i = 0; i < 5; i++) {
		struct tr_inst in = {.cls = i == 4   ? TR_C_EXIT
					    : i == 3 ? TR_C_BRANCH
						     : TR_C_LOAD,
			.guard = i == 3 ? r : TR_NONE,
			.base = i < 3 ? r : TR_NONE,
			.file = TR_NONE};
		const uint32_t succ[2] = {i + 1, 1};

		if (i < 3) {
			in.space = TR_S_GLOBAL;
			in.bytes = 4;
			in.vec = 1;
		}
		tr_program_inst(p, &in, &r, i < 3, NULL, 0, succ, i == 4 ? 0 : 1 + (i == 3));
	}
	assert_int_equal(tr_program_analyze(p, &err), 1);
	return p;
}

static void try_profile(void)
{
	static struct tr_program *program;
	struct profile p;

	if (!program) {
		armed = 0;
		program = loops();
		armed = 1;
	}
	profile_read(&p, must_printf("%s", input.path));
	for (uint32_t i = 0; i < p.table.nkernels; i++)
		for (uint32_t k = 0; k < p.kernels[i].nloads; k++)
			assert_true(p.kernels[i].loads[k].diverged < 2);
	profile_check(&p, program, true);
	profile_free(&p);
}

static void try_machine(void)
{
	const struct sim_config c = machine_read(input.path);

	assert_true(c.sm.sms && c.sm.ctas);
}

/* An argument a line; files of other names are not opened. */
static void try_args(char *text)
{
	struct launches *l = launches_new();
	char *save = NULL;

	for (char *s = strtok_r(text, "\n", &save); s; s = strtok_r(NULL, "\n", &save)) {
		if (strstr(s, "file:"))
			continue;
		if (*s == 'G')
			launches_grid(l, s + 1);
		else if (*s == 'B')
			launches_block(l, s + 1);
		else if (*s == 'S')
			launches_shared(l, s + 1);
		else if (*s == 'D')
			launches_dump(l, s + 1);
		else
			launches_arg(l, s);
	}
	launches_free(l);
}

static void try_scheduler(const char *text)
{
	char *file, *plain = profile_take(sim_sched_find("daws"), text, &file);

	assert_true(strlen(plain) + (file ? strlen(file) : 0) <= strlen(text));
	free(plain);
	free(file);
}

/* What a script launches: each thread writes a number, and some of them one for ever. */
static const char kernels[] = ".version 6.0\n"
			      ".target sm_50\n"
			      ".address_size 64\n"
			      ".const .u32 c[4];\n"
			      ".global .u32 g[4];\n"
			      ".visible .entry k(.param .u64 p, .param .u32 n)\n"
			      "{\n"
			      "	.reg .u32 %r<4>;\n"
			      "	.reg .u64 %rd<3>;\n"
			      "	.reg .pred %p;\n"
			      "	ld.param.u64 %rd0, [p];\n"
			      "	ld.param.u32 %r0, [n];\n"
			      "	ld.const.u32 %r1, [c];\n"
			      "	mov.u32 %r2, %tid.x;\n"
			      "	mul.wide.u32 %rd1, %r2, 4;\n"
			      "	add.u64 %rd0, %rd0, %rd1;\n"
			      "L:	st.global.u32 [%rd0], %r0;\n"
			      "	setp.lt.u32 %p, %r0, %r1;\n"
			      "	@%p bra L;\n"
			      "	ret;\n"
			      "}\n";

/* What a script runs on is not among what can be freed piece by piece. */
static struct ptx_machine *machine;
static struct tr_writer *writer;
static FILE *recorded;

/* Files of other names are neither read nor written. */
static void try_script(const char *text)
{
	const struct ptx_machine_options options = {.resident = PTX_RESIDENT_DEFAULT,
		.max_insts = 4096,
		.memory = 1 << 20,
		.heap = 4096};
	static struct file module;
	const char *const name = module.path;
	struct launches *l;
	struct tr_err err;

	if (strstr(text, "file:") || strstr(text, "bytes:") || strstr(text, "dump"))
		return;
	put(&module, kernels, strlen(kernels));
	l = launches_new();
	launches_script(l, input.path);
	launches_prepare(l, &name, 1, 1);
	recorded = fopen("/dev/null", "w");
	assert_non_null(recorded);
	assert_int_equal(tr_writer_open(&writer, recorded, NULL, &err), 1);
	assert_int_equal(ptx_machine_new(&machine, &options, &err), 1);
	if (launches_run(l, machine, writer, &err) < 0)
		assert_true(*err.msg);
	launches_free(l);
}

static void end_script(void)
{
	error_place(NULL, 0);
	ptx_machine_free(machine);
	machine = NULL;
	if (writer)
		tr_writer_abandon(writer);
	writer = NULL;
	if (recorded)
		fclose(recorded);
	recorded = NULL;
}

static void try_all(uint8_t which, char *text)
{
	switch (which % 5) {
	case 0:
		try_profile();
		break;
	case 1:
		try_machine();
		break;
	case 2:
		try_args(text);
		break;
	case 3:
		try_scheduler(text);
		break;
	default:
		try_script(text);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char said[4096];
	FILE *const terminal = stderr;
	char *text;
	FILE *sentence;
	int rc;

	if (!size || size > 16384)
		return 0;
	put(&input, data + 1, size - 1);
	text = malloc(size);
	assert_non_null(text);
	memcpy(text, data + 1, size - 1);
	text[size - 1] = 0;
	memset(said, 0, sizeof(said));
	sentence = fmemopen(said, sizeof(said) - 1, "w");
	assert_non_null(sentence);
	stderr = sentence;
	rc = setjmp(back);
	if (!rc) {
		armed = 1;
		try_all(*data, text);
	}
	end_script();
	armed = 0;
	fclose(sentence);
	stderr = terminal;
	while (nkept)
		free(kept[--nkept]);
	if (rc) {
		assert_true(rc == 1 + EXIT_BAD || rc == 1 + EXIT_USAGE);
		if (strncmp(said, "warptrace: ", 11) != 0)
			fail_msg("a tool ended with '%s'", said);
	}
	free(text);
	return 0;
}
