/*
 * Accel-Sim traces: lines of every dialect and address mode, and what is no line; random traces
 * against the obvious reading of their lines; .tracez and xz against the same text plainly; sound
 * and broken files with the place and the reason.
 */
#include "accel_trial.h"
#include "sim/convert/accel.h"
#include <lzma.h>
#include <zstd.h>

/* ---- lines ---- */

static const struct accel_line *read_line(const char *text)
{
	static struct accel_line line;
	const int lead = accel_line_lead(text);
	const char *why;

	memset(&line, 0xee, sizeof(line));
	if (lead < 0)
		fail_msg("no instruction: %s", text);
	why = accel_line_read(text, lead, &line);
	if (why)
		fail_msg("%s: %s", text, why);
	return &line;
}

static void check_line(
	const char *text, uint32_t pc, uint32_t mask, const char *opcode, uint32_t width)
{
	const struct accel_line *l = read_line(text);

	assert_int_equal(l->pc, pc);
	assert_int_equal(l->mask, mask);
	assert_int_equal(l->opcode_len, strlen(opcode));
	assert_memory_equal(l->opcode, opcode, l->opcode_len);
	assert_int_equal(l->width, width);
}

static void test_dialects(void **state)
{
	(void)state;
	check_line("0030 ffffffff 1 R6 IMAD 2 R6 R3 0 0 ", 0x30, 0xffffffff, "IMAD", 0);
	check_line("0030 0000ffff 1 R6 IMAD 2 R6 R3 0", 0x30, 0xffff, "IMAD", 0);
	check_line("1 0 0 3 0050 00000000 0 EXIT 0 0 ", 0x50, 0, "EXIT", 0);
	check_line("217 10a0 f0000000 0 NOP 0 0 0 ", 0x10a0, 0xf0000000, "NOP", 0);
	assert_int_equal(read_line("217 10a0 f0000000 0 NOP 0 0 0 ")->source_line, 217);
	assert_int_equal(read_line("10a0 f0000000 0 NOP 0 0 0 ")->source_line, 0);
	check_line(
		"0050 ffffffff 1 R10 IMAD 3 R10 UR4 R3 0 0 0 NoVal", 0x50, 0xffffffff, "IMAD", 0);
	check_line("0050 ffffffff 1 P0 ISETP.GE 2 UR4 UP1 0 0 0 Val 1 1f 32 0 0", 0x50, 0xffffffff,
		"ISETP.GE", 0);
	check_line("0050 ffffffff 0 HGMMA.64x8x16.F32 2 R4 R8 1 0 0 0 ", 0x50, 0xffffffff,
		"HGMMA.64x8x16.F32", 0);
	check_line("0060 00000001 0 UTMALDG.2D 2 UR4 UR8 16 0x400 0 4096 0 3 2 0x7f10 0x7f90 0 0 ",
		0x60, 1, "UTMALDG.2D", 16);
	check_line("0060 00000001 0 UTMALDG.2D 0 16 400 1 0xf 4096 0 4 0x7f10 3 64 -64 0 ", 0x60, 1,
		"UTMALDG.2D", 16);
}

static void test_address_modes(void **state)
{
	const struct accel_line *l;

	(void)state;
	l = read_line("00a0 00000105 1 R4 LDG.E 1 R4 4 0 0x10 0x7fffffffffffffff 0x30 7 ");
	assert_true(l->addr[0] == 0x10 && l->addr[2] == 0x7fffffffffffffff && l->addr[8] == 0x30);
	assert_true(l->has_imm && l->imm == 7);
	l = read_line("00a0 000000f0 1 R4 LDG.E 1 R4 4 1 0x7fb0fc430e00 -4 0 ");
	for (int i = 0; i < 4; i++)
		assert_true(l->addr[4 + i] == 0x7fb0fc430e00 - 4 * (uint64_t)i);
	assert_true(l->has_imm && l->imm == 0);
	l = read_line("00a0 80000009 1 R4 LDL 1 R4 4 2 0xfffc50 -80 160");
	assert_true(l->addr[0] == 0xfffc50 && l->addr[3] == 0xfffc00 && l->addr[31] == 0xfffca0);
	assert_false(l->has_imm);
	l = read_line("00a0 00000400 0 STG.E 2 R4 R5 4 2 0x1234 -9 ");
	assert_true(l->addr[10] == 0x1234 && l->has_imm && l->imm == -9);
	l = read_line("00a0 00000000 0 STG.E 2 R4 R5 4 1 0x0 0 33 ");
	assert_true(l->has_imm && l->imm == 33);
	l = read_line("00a0 00000000 0 STG.E 2 R4 R5 4 0 33 ");
	assert_true(l->has_imm && l->imm == 33);
}

static void test_bad_lines(void **state)
{
	static const struct {
		const char *text, *why;
	} bad[] = {
		{"00g0 ffffffff 0 NOP 0 0 0", "its PC"},
		{"0010 ffffffff", "number of its registers"},
		{"0010 ffffffff x NOP 0 0 0", "number of its registers"},
		{"0010 ffffffff 33 NOP 0 0 0", "more registers"},
		{"0010 ffffffff 1 NOP 0 0 0", "fewer registers"},
		{"0010 ffffffff 1 R256 MOV 0 0 0", "fewer registers"},
		{"0010 ffffffff 0", "opcode is missing"},
		{"0010 ffffffff 0 0 0 0", "opcode is missing"},
		{"0010 ffffffff 0 NOP", "number of its registers"},
		{"0010 ffffffff 0 NOP 2 R1", "fewer registers"},
		{"0010 ffffffff 0 NOP 0", "access width is missing"},
		{"0010 ffffffff 0 NOP 0 -1", "access width is missing"},
		{"0010 ffffffff 0 HGMMA 0 2 0", "warp group"},
		{"0010 ffffffff 1 R1 LDG 1 R2 4", "mode of its addresses"},
		{"0010 ffffffff 1 R1 LDG 1 R2 4 7 0x0", "no such mode"},
		{"0010 ffffffff 1 R1 LDG 1 R2 4 1 7fff 4", "base address"},
		{"0010 ffffffff 1 R1 LDG 1 R2 4 1 0x7fff", "stride"},
		{"0010 0000000b 1 R1 LDG 1 R2 4 1 0x7fff 4", "no contiguous run"},
		{"0010 00000003 1 R1 LDG 1 R2 4 2 0x7fff", "fewer address deltas"},
		{"0010 00000003 1 R1 LDG 1 R2 4 0 0x7fff", "fewer addresses"},
		{"0010 00000003 1 R1 LDG 1 R2 3 1 0x7fff 0", "no power of two"},
		{"0010 00000003 1 R1 LDG 1 R2 128 1 0x7fff 0", "no power of two"},
		{"0010 00000001 0 UBLKCP 0 16 zz 0", "barrier of its bulk copy"},
		{"0010 00000001 0 UBLKCP 0 16 400 1", "multicast"},
		{"0010 00000001 0 UBLKCP 0 16 400 0 4096", "size of its bulk copy"},
		{"0010 00000001 0 UBLKCP 0 16 400 0 4096 0 1 0x0 4", "mode 3 or 4"},
		{"0010 00000001 0 UBLKCP 0 16 400 0 4096 0 3 2 0x0", "fewer addresses than"},
		{"0010 00000001 0 UBLKCP 0 16 400 0 4096 0 4 2", "base address"},
	};
	struct accel_line line;

	(void)state;
	assert_int_equal(accel_line_lead("hello"), -1);
	assert_int_equal(accel_line_lead("0010 fffffff 0 NOP 0 0"), -1);
	assert_int_equal(accel_line_lead(""), -1);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		const char *why = accel_line_read(bad[i].text, 0, &line);

		if (!why || !strstr(why, bad[i].why))
			fail_msg("'%s' gives '%s', not '%s'", bad[i].text, why ? why : "nothing",
				bad[i].why);
	}
	assert_non_null(accel_line_read("x 0010 ffffffff 0 NOP 0 0 0", 1, &line));
}

/* ---- opcodes ---- */

static void check_op(const char *opcode, uint32_t machine, uint32_t width, enum tr_class cls,
	enum tr_space space, bool known)
{
	const struct accel_op op = accel_op_find(opcode, machine, width);

	if (op.cls != cls || op.space != space || op.known != known)
		fail_msg("%s on %u: %s %s%s", opcode, machine, tr_class_name(op.cls),
			tr_space_name(op.space), op.known ? "" : " unknown");
}

static void test_opcodes(void **state)
{
	(void)state;
	check_op("LDG.E.64.SYS", 70, 8, TR_C_LOAD, TR_S_GLOBAL, true);
	check_op("LDG.E.U8.CONSTANT", 80, 1, TR_C_LOAD, TR_S_TEXTURE, true);
	check_op("LDG.E.CI", 61, 4, TR_C_LOAD, TR_S_TEXTURE, true);
	check_op("LDG", 35, 4, TR_C_LOAD, TR_S_TEXTURE, true);
	check_op("LD.E", 35, 4, TR_C_LOAD, TR_S_GLOBAL, true);
	check_op("LD.E", 61, 4, TR_C_LOAD, TR_S_GENERIC, true);
	check_op("ST.E.64", 35, 8, TR_C_STORE, TR_S_GLOBAL, true);
	check_op("ATOM.E.ADD", 61, 4, TR_C_ATOMIC, TR_S_GLOBAL, true);
	check_op("ATOM.E.ADD", 70, 4, TR_C_ATOMIC, TR_S_GENERIC, true);
	check_op("RED.E.ADD", 70, 4, TR_C_ATOMIC, TR_S_GLOBAL, true);
	check_op("ATOMS.ADD", 70, 4, TR_C_ATOMIC, TR_S_SHARED, true);
	check_op("LDC.64", 70, 0, TR_C_MOVE, TR_S_NONE, true);
	check_op("LDC.64", 70, 8, TR_C_LOAD, TR_S_CONST, true);
	check_op("STL", 70, 4, TR_C_STORE, TR_S_LOCAL, true);
	check_op("LDSM.16.M88.4", 75, 16, TR_C_LOAD, TR_S_SHARED, true);
	check_op("BAR.SYNC", 70, 0, TR_C_BARRIER, TR_S_NONE, true);
	check_op("EXIT", 70, 0, TR_C_EXIT, TR_S_NONE, true);
	check_op("MUFU.RCP", 70, 0, TR_C_SFU, TR_S_NONE, true);
	check_op("HFMA2.MMA", 80, 0, TR_C_FP16, TR_S_NONE, true);
	check_op("FADD7", 70, 0, TR_C_FP32, TR_S_NONE, false);
	check_op("DQUUX.X", 70, 0, TR_C_FP64, TR_S_NONE, false);
	check_op("BRAX", 70, 0, TR_C_OTHER, TR_S_NONE, false);
	check_op("LDQ", 70, 4, TR_C_LOAD, TR_S_GENERIC, false);
	check_op("QQQ", 70, 4, TR_C_LOAD, TR_S_GLOBAL, false);
	check_op("", 70, 0, TR_C_OTHER, TR_S_NONE, false);
	assert_true(accel_op_find("BAR.ARV", 70, 0).arrive);
	assert_true(accel_op_find("SHFL.IDX", 70, 0).collective);
	assert_true(accel_op_find("S2R", 70, 0).special);
	assert_int_equal(accel_op_find("BRA.U", 70, 0).flow, ACCEL_DIRECT);
	assert_int_equal(accel_op_find("BRX", 70, 0).flow, ACCEL_INDIRECT);
	assert_int_equal(accel_op_find("BSYNC", 70, 0).flow, ACCEL_STEP);
}

/* Every opcode that is written stands in the table of opcodes of that machine. */
static void test_opcodes_written(void **state)
{
	static const char kepler[] =
		" IADD FADD DADD MUFU MOV F2F LD LDG LDS LDL LDC ST STL STS ATOM "
		"LDSLK BRA BRX EXIT BAR MEMBAR VOTE SHFL NOP ";
	static const char later[] =
		" IADD3 FADD HADD2 DADD MUFU MOV F2F LD LDG LDS LDL LDC ST STG STL "
		"STS ATOM ATOMG ATOMS RED BRA BRX EXIT BAR MEMBAR VOTE SHFL NOP ";
	static const uint32_t machines[] = {35, 60, 61, 70, 75, 80, 86, 90};
	struct tr_program *p = tr_program_new("all");
	const uint32_t r = (uint32_t)tr_program_reg(p, "%r", 32), exit_only = TR_EXIT, none = 0;

	(void)state;
	for (unsigned cls = 0; cls < TR_NCLASSES; cls++)
		for (unsigned space = 0; space < TR_NSPACES; space++) {
			const bool memory =
				cls == TR_C_LOAD || cls == TR_C_STORE || cls == TR_C_ATOMIC;
			struct tr_inst in = {.cls = (uint8_t)cls,
				.space = (uint8_t)(memory ? space : 0),
				.bytes = memory && space ? 4 : 0,
				.vec = memory && space ? 1 : 0,
				.guard = TR_NONE,
				.base = TR_NONE,
				.file = TR_NONE};

			tr_program_inst(p, &in, &r, space & 1, &r, 0,
				cls == TR_C_BRANCH && space & 1 ? &none : &exit_only, 1);
		}
	for (size_t m = 0; m < sizeof(machines) / sizeof(machines[0]); m++)
		for (uint32_t i = 0; i < p->ninsts; i++) {
			char name[64], root[70];

			accel_op_name(p, i, machines[m], name, sizeof(name));
			snprintf(root, sizeof(root), " %.*s ", (int)strcspn(name, "."), name);
			if (!strstr(machines[m] < 50 ? kepler : later, root))
				fail_msg("%s is unknown on %u", name, machines[m]);
		}
	tr_program_free(p);
}

/* ---- random traces against what their lines say ---- */

#define CTAS 3
#define THREADS 40
#define PLACES 24

static uint64_t seed;

static uint32_t below(uint32_t n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(seed >> 33) % n;
}

struct step {
	uint32_t pc;
	const char *opcode;
	uint64_t value;
	bool has_value;
};

struct expected {
	struct step *steps;
	size_t n, cap;
};

static void expect(struct expected *e, struct step s)
{
	if (e->n == e->cap) {
		e->cap = 2 * e->cap + 16;
		e->steps = realloc(e->steps, e->cap * sizeof(*e->steps));
		assert_non_null(e->steps);
	}
	e->steps[e->n++] = s;
}

/* What stands at a PC: mostly the same, at a few PCs one of two things. */
struct place {
	uint32_t pc, target, target_place;
	const char *opcode[2], *text[2];
	unsigned width[2];
	bool imm;
};

/* Maxwell's words of 8 bytes have one among four that is no instruction. */
static uint32_t place_pc(uint32_t i, bool maxwell)
{
	return maxwell ? 8 * (i + i / 3 + 1) : 16 * i;
}

static void make_place(struct place *p, uint32_t at, bool maxwell)
{
	static const struct {
		const char *opcode, *text;
		unsigned width;
	} kinds[] = {
		{"IADD3", "1 R2 IADD3 2 R3 R255 0", 0},
		{"LDG.E", "1 R4 LDG.E 1 R4 4", 4},
		{"STS.64", "0 STS.64 2 R0 R8 8", 8},
		{"BRA", "0 BRA 0 0", 0},
		{"BRX", "0 BRX 1 R9 0", 0},
		{"VOTE.ALL", "1 R5 VOTE.ALL 0 0", 0},
		{"SYNC", "0 SYNC 0 0", 0},
		{"ODDLY.X", "1 R6 ODDLY.X 1 R6 0", 0},
		{"EXIT", "0 EXIT 0 0", 0},
	};

	p->pc = place_pc(at, maxwell);
	for (int i = 0; i < 2; i++) {
		const uint32_t k = below(9);

		p->opcode[i] = kinds[k].opcode;
		p->text[i] = kinds[k].text;
		p->width[i] = kinds[k].width;
	}
	if (below(6)) {
		p->opcode[1] = p->opcode[0];
		p->text[1] = p->text[0];
		p->width[1] = p->width[0];
	}
	p->target_place = below(PLACES);
	p->target = place_pc(p->target_place, maxwell);
	p->imm = below(2);
}

static void put_line(
	FILE *f, const struct place *p, int look, uint32_t mask, uint64_t address, bool list)
{
	fprintf(f, "%04x %08x %s ", p->pc, mask, p->text[look]);
	if (p->width[look] && list) {
		fputs("0 ", f);
		for (uint32_t m = mask; m; m &= m - 1)
			fprintf(f, "0x%llx ",
				(unsigned long long)(address + 12 * (unsigned)__builtin_ctz(m)));
	} else if (p->width[look]) {
		fprintf(f, "2 0x%llx ",
			(unsigned long long)(address +
					     (mask ? 12 * (unsigned)__builtin_ctz(mask) : 0)));
		for (uint32_t m = mask & (mask - 1), before = mask; m; before = m, m &= m - 1)
			fprintf(f, "%d ", 12 * (__builtin_ctz(m) - __builtin_ctz(before)));
	}
	if (p->imm)
		fprintf(f, "%u ", p->target);
	fputc('\n', f);
}

/* Some lines of a warp: mostly from place to place, sometimes anywhere. */
static void put_warp(
	FILE *f, const struct place *places, struct expected *threads, uint32_t nthreads)
{
	uint32_t live = nthreads == 32 ? UINT32_MAX : (1u << nthreads) - 1,
		 at = below(4) ? 0 : below(PLACES);
	const uint32_t n = below(5) ? below(60) : 0;

	fprintf(f, "insts = %u\n", n);
	for (uint32_t i = 0; i < n; i++) {
		const struct place *p = &places[at];
		const int look = !below(5);
		const uint32_t some = below(3) ? UINT32_MAX : below(4) ? (uint32_t)(seed >> 20) : 0;
		const uint32_t mask = live & some;
		const uint64_t address = 0x7f5000000000 + 4 * below(1000);

		put_line(f, p, look, mask, address, below(2));
		for (uint32_t m = mask; m; m &= m - 1) {
			const unsigned lane = (unsigned)__builtin_ctz(m);
			struct step s = {.pc = p->pc, .opcode = p->opcode[look]};

			s.has_value = p->width[look] || !strcmp(s.opcode, "VOTE.ALL");
			s.value = p->width[look] ? address + 12 * lane : mask;
			expect(&threads[lane], s);
		}
		if (!strcmp(p->opcode[look], "EXIT"))
			live &= ~mask;
		at = !below(6) ? below(PLACES) : p->imm && !below(3) ? p->target_place : at + 1;
		at = at < PLACES ? at : 0;
	}
}

static void check_walk(
	const struct tr_program *p, const struct tr_thread *t, const struct expected *e)
{
	struct tr_walk w;
	size_t n = 0;
	int rc;

	tr_walk_start(&w, p, t);
	while ((rc = tr_walk_next(&w)) > 0) {
		const struct tr_inst *in = &p->insts[w.inst];
		const char *opcode = tr_str(p, in->opcode);

		if (!w.guard || *opcode == '(')
			continue;
		assert_true(n < e->n);
		assert_int_equal(in->line, e->steps[n].pc);
		assert_string_equal(opcode, e->steps[n].opcode);
		assert_int_equal(w.has_value, e->steps[n].has_value);
		if (w.has_value)
			assert_true(w.value == e->steps[n].value);
		n++;
	}
	assert_int_equal(rc, 0);
	assert_int_equal(n, e->n);
}

static void check_threads(char *bytes, size_t len, struct expected all[CTAS][THREADS])
{
	struct tr_err err = {0};
	struct tr_reader *r;
	struct tr_cta cta;
	FILE *f = fmemopen(bytes, len, "rb");
	int event;

	assert_int_equal(tr_reader_open(&r, f, NULL, &err), 1);
	tr_cta_init(&cta);
	for (uint32_t c = 0; (event = tr_reader_next(r, &err)) > 0;) {
		if (event != TR_CTA)
			continue;
		assert_int_equal(tr_reader_cta(r, &cta, &err), 1);
		assert_int_equal(cta.number, c);
		for (uint32_t t = 0; t < THREADS; t++)
			check_walk(tr_reader_program(r), &cta.threads[t], &all[c][t]);
		c++;
	}
	assert_int_equal(event, 0);
	tr_cta_free(&cta);
	tr_reader_close(r);
	fclose(f);
}

static void put_file(struct memory_folder *d, const char *name, char *bytes, size_t len)
{
	struct memory_file *m = &d->files[d->n++];

	snprintf(m->name, sizeof(m->name), "%s", name);
	m->bytes = bytes;
	m->len = len;
}

static const char header[] = "-kernel name = _Z1kv\n-kernel id = 1\n-grid dim = (3,1,1)\n"
			     "-block dim = (40,1,1)\n-shmem = 0\n-nregs = 12\n"
			     "-binary version = %d\n-cuda stream id = 0\n"
			     "-shmem base_addr = 0x0\n-local mem base_addr = 0x0\n"
			     "-accelsim tracer version = 5\n\n#traces format = x\n";

/* The text of a random trace, and what its threads did. */
static char *random_text(uint64_t number, struct expected all[CTAS][THREADS], size_t *len)
{
	struct place places[PLACES];
	char *text;
	FILE *f = open_memstream(&text, len);

	seed = number;
	for (uint32_t i = 0; i < PLACES; i++)
		make_place(&places[i], i, number & 1);
	fprintf(f, header, number & 1 ? 61 : 70);
	for (uint32_t c = 0; c < CTAS; c++) {
		for (uint32_t t = 0; t < THREADS; t++)
			all[c][t].n = 0;
		fprintf(f, "#BEGIN_TB\n\nthread block = %u,0,0\n", c);
		for (uint32_t w = 0; w < 2; w++) {
			if (!below(8))
				continue;
			fprintf(f, "\nwarp = %u\n", w);
			put_warp(f, places, all[c] + 32 * w, w ? 8 : 32);
		}
		fputs("#END_TB\n", f);
	}
	fclose(f);
	return text;
}

static struct expected expected[CTAS][THREADS];

static void free_expected(void)
{
	for (uint32_t c = 0; c < CTAS; c++)
		for (uint32_t t = 0; t < THREADS; t++)
			free(expected[c][t].steps);
	memset(expected, 0, sizeof(expected));
}

/* Imports bytes, which it frees, under a name; the stream is the caller's to free. */
static char *import_bytes(const char *name, char *bytes, size_t len, size_t *out_len)
{
	static struct memory_folder folder;
	struct tr_err err = {0};
	struct cv_report report;
	char *out;

	put_file(&folder, name, bytes, len);
	out = memory_import(&folder, name, out_len, &report, &err);
	if (!out)
		fail_msg("%s: %s", name, err.msg);
	memory_free(&folder);
	return out;
}

static void test_random(void **state)
{
	(void)state;
	for (uint64_t number = 0; number < 2000; number++) {
		size_t len, out_len;
		char *text = random_text(number, expected, &len);
		char *out = import_bytes("kernel-1.traceg", text, len, &out_len);

		check_threads(out, out_len, expected);
		free(out);
	}
	free_expected();
}

/* ---- where lanes meet ---- */

/* A CTA of four threads; lines are PC, mask, opcode and immediate. */
static char *meeting_text(const char *lines, size_t *len)
{
	char *text;
	unsigned ninsts = 0;
	FILE *f = open_memstream(&text, len);

	fputs("-kernel name = k\n-grid dim = (1,1,1)\n-block dim = (4,1,1)\n"
	      "-binary version = 80\n-accelsim tracer version = 5\n\n#traces format = x\n"
	      "#BEGIN_TB\n\nthread block = 0,0,0\n\nwarp = 0\n",
		f);
	for (const char *c = lines; *c; c++)
		ninsts += *c == ';';
	fprintf(f, "insts = %u\n", ninsts);
	for (int n; *lines; lines += n) {
		unsigned pc, mask, imm;
		char opcode[16];

		assert_int_equal(
			sscanf(lines, "%x %x %15s %x;%n", &pc, &mask, opcode, &imm, &n), 4);
		fprintf(f, "%04x %08x 0 %s 0 0 %u\n", pc, mask, opcode, imm);
	}
	fputs("#END_TB\n", f);
	fclose(f);
	return text;
}

/* Instruction i stands at PC 16 i; its branches meet where the list says. */
static void check_meeting(const char *lines, const uint32_t (*want)[2], size_t n)
{
	struct tr_err err = {0};
	struct tr_reader *r;
	size_t len, out_len;
	char *text = meeting_text(lines, &len);
	char *out = import_bytes("kernel-1.traceg", text, len, &out_len);
	FILE *f = fmemopen(out, out_len, "rb");
	const struct tr_program *p;

	assert_int_equal(tr_reader_open(&r, f, NULL, &err), 1);
	while (tr_reader_next(r, &err) != TR_CTA)
		assert_int_equal(err.code, 0);
	p = tr_reader_program(r);
	assert_int_equal(tr_program_validate(p, &err), 1);
	for (size_t i = 0; i < n; i++) {
		const struct tr_inst *in = &p->insts[want[i][0]];

		if (in->cls != TR_C_BRANCH || in->ipdom != want[i][1])
			fail_msg("%s: branch %u meets at %u, not %u", lines, want[i][0], in->ipdom,
				want[i][1]);
	}
	tr_reader_close(r);
	fclose(f);
	free(out);
}

#define CHECK_MEETING(lines, ...)                                                                  \
	do {                                                                                       \
		static const uint32_t want[][2] = {__VA_ARGS__};                                   \
		check_meeting(lines, want, sizeof(want) / sizeof(want[0]));                        \
	} while (0)

static void test_meeting(void **state)
{
#define EARLY                                                                                      \
	"10 e BRA 40;20 1 NOP 0;30 1 BRA 60;40 e NOP 0;50 4 EXIT 0;60 1 BSYNC 0;60 a BSYNC 0;"     \
	"70 b EXIT 0;"
	(void)state;
	/* Lane 2 exits in the region; the others meet after it. */
	CHECK_MEETING("0 f BSSY 60;" EARLY, {1, 6});
	/* No region; one whose end nobody reached; one that a path leaves. */
	CHECK_MEETING("0 f NOP 60;" EARLY, {1, TR_EXIT});
	CHECK_MEETING("0 f BSSY 90;" EARLY, {1, TR_EXIT});
	CHECK_MEETING("0 f BSSY 50;" EARLY, {1, TR_EXIT});
	/* A region in a region: the inner branch meets sooner, ... */
	CHECK_MEETING("0 f BSSY 80;10 8 BRA 80;20 7 BSSY 60;30 4 BRA 50;40 3 BRA 60;50 4 EXIT 0;"
		      "60 3 BSYNC 0;70 2 EXIT 0;80 9 BSYNC 0;90 9 EXIT 0;",
		{1, 8}, {3, 6});
	/* ... but where a path leads out of the inner one, both meet at the outer one's end. */
	CHECK_MEETING("0 f BSSY 80;10 8 BRA 80;20 7 BSSY 60;30 4 BRA 50;40 3 BRA 60;50 4 BRA 80;"
		      "60 3 BSYNC 0;70 2 EXIT 0;80 d BSYNC 0;90 d EXIT 0;",
		{1, 8}, {3, 8});
	/* A loop that is left by exits in the region alone: places would lead in a circle. */
	CHECK_MEETING("0 f BSSY 60;10 c BRA 40;20 1 BRA 60;30 2 EXIT 0;40 4 BRA 60;50 8 EXIT 0;"
		      "60 5 BSYNC 0;70 5 BRA 0;0 5 BSSY 60;10 4 BRA 40;20 0 BRA 60;30 1 EXIT 0;"
		      "40 0 BRA 60;50 4 EXIT 0;",
		{1, TR_EXIT}, {2, 6}, {4, 6});
#undef EARLY
}

/* ---- which barriers they name ---- */

/* Instruction i stands at PC 16 i; the displacements of the first n: 1 + a number, or 0. */
static void check_barriers(const char *lines, const char *want)
{
	struct tr_err err = {0};
	struct tr_reader *r;
	size_t len, out_len;
	char *text = meeting_text(lines, &len);
	char *out = import_bytes("kernel-1.traceg", text, len, &out_len);
	FILE *f = fmemopen(out, out_len, "rb");
	const struct tr_program *p;

	assert_int_equal(tr_reader_open(&r, f, NULL, &err), 1);
	while (tr_reader_next(r, &err) != TR_CTA)
		assert_int_equal(err.code, 0);
	p = tr_reader_program(r);
	for (uint32_t i = 0; want[i]; i++)
		if (p->insts[i].disp != want[i] - '0')
			fail_msg("%s: instruction %u names %d, not %c", lines, i,
				(int)p->insts[i].disp, want[i]);
	tr_reader_close(r);
	fclose(f);
	free(out);
}

static void test_barriers(void **state)
{
	(void)state;
	/* One region; one in another; one after the other. */
	check_barriers("0 f BSSY 30;10 c BRA 30;20 3 NOP 0;30 3 BSYNC 0;30 c BSYNC 0;40 f EXIT 0;",
		"10010");
	check_barriers("0 f BSSY 60;10 c BRA 60;20 3 BSSY 40;30 1 BRA 40;40 1 BSYNC 0;40 2 BSYNC 0;"
		       "50 3 NOP 0;60 3 BSYNC 0;60 c BSYNC 0;70 f EXIT 0;",
		"10202010");
	check_barriers("0 f BSSY 10;10 f BSYNC 0;20 f BSSY 30;30 f BSYNC 0;40 f EXIT 0;", "11110");
	/* BREAK leaves the inner one; each way has then left as many. */
	check_barriers("0 f BSSY 70;10 f BSSY 40;20 c BRA 60;30 3 NOP 0;40 3 BSYNC 0;50 3 BRA 70;"
		       "60 c BREAK 0;70 3 BSYNC 0;70 c BSYNC 0;80 f EXIT 0;",
		"120020210");
	/* Some lanes come to BSYNC from a region that others have left; a region that ends
	 * elsewhere; BSYNC by itself. */
	check_barriers("0 f BSSY 50;10 f BSSY 40;20 c BRA 50;30 3 NOP 0;40 3 BSYNC 0;50 3 BSYNC 0;"
		       "50 c BSYNC 0;60 f EXIT 0;",
		"0000000");
	check_barriers("0 f BSSY 20;10 f BSYNC 0;20 f EXIT 0;", "000");
	check_barriers("0 f BSYNC 0;10 f EXIT 0;", "00");
}

/* ---- packed ---- */

static void put_u32(FILE *f, uint32_t v)
{
	for (int i = 0; i < 4; i++)
		fputc((int)(v >> 8 * i & 255), f);
}

static void put_u64(FILE *f, uint64_t v)
{
	put_u32(f, (uint32_t)v);
	put_u32(f, (uint32_t)(v >> 32));
}

/* The instruction lines of a warp as a .tracez part, some of them to a chunk. */
static void pack_warp(
	FILE *f, FILE *index, char *lines, uint32_t n, const char *dict, size_t dict_len)
{
	const uint32_t per = 5, chunks = (n + per - 1) / per;
	ZSTD_CCtx *z = ZSTD_createCCtx();

	put_u32(index, n);
	put_u32(index, chunks);
	put_u64(index, (uint64_t)ftell(f));
	put_u32(f, n);
	put_u32(f, chunks);
	for (uint32_t c = 0; c < chunks; c++) {
		const uint32_t here = n - c * per < per ? n - c * per : per;
		char packed[8192], *end = lines;
		size_t len;

		for (uint32_t i = 0; i < here; i++)
			end = strchr(end, '\n') + 1;
		len = ZSTD_compress_usingDict(z, packed, sizeof(packed), lines,
			(size_t)(end - 1 - lines), dict, dict_len, 3);
		assert_false(ZSTD_isError(len));
		put_u32(index, here);
		put_u32(f, (uint32_t)len);
		fwrite(packed, 1, len, f);
		lines = end;
	}
	ZSTD_freeCCtx(z);
}

/* The same trace as .tracez; every warp is there, if need be without instructions. */
static char *pack(const char *text, size_t *len, bool with_dict)
{
	static const char dict[] = "ffffffff 1 R4 LDG.E 1 R4 4 2 0x7f500000";
	const size_t dict_len = with_dict ? sizeof(dict) : 0;
	char *out, *index_bytes, *copy = strdup(text), *at = copy;
	size_t index_len;
	FILE *f = open_memstream(&out, len), *index = open_memstream(&index_bytes, &index_len);
	uint64_t index_at;

	fwrite(text, 1, (size_t)(strstr(text, "#traces") - text), f);
	fputc(0, f);
	put_u32(f, (uint32_t)dict_len);
	put_u32(f, 5);
	fwrite(dict, 1, dict_len, f);
	put_u32(index, CTAS);
	for (uint32_t c = 0; c < CTAS; c++) {
		char *next = strstr(at, "#END_TB");

		*next = 0;
		for (int i = 0; i < 10; i++)
			put_u32(index, i ? 0 : c);
		put_u32(index, 2);
		for (uint32_t w = 0; w < 2; w++) {
			char name[16], *warp;
			uint32_t n = 0;

			snprintf(name, sizeof(name), "warp = %u\n", w);
			warp = strstr(at, name);
			if (warp) {
				warp = strstr(warp, "insts = ");
				n = (uint32_t)atoi(warp + 8);
				warp = strchr(warp, '\n') + 1;
			}
			pack_warp(f, index, warp, n, dict, dict_len);
		}
		at = next + 1;
	}
	fflush(f);
	index_at = (uint64_t)ftell(f);
	fclose(index);
	fwrite(index_bytes, 1, index_len, f);
	put_u64(f, index_at);
	fclose(f);
	free(index_bytes);
	free(copy);
	return out;
}

static char *pack_xz(const char *text, size_t len, size_t *out_len)
{
	uint8_t *out = malloc(len + 4096);
	lzma_ret rc;

	*out_len = 0;
	rc = lzma_easy_buffer_encode(
		1, LZMA_CHECK_CRC32, NULL, (const uint8_t *)text, len, out, out_len, len + 4096);
	assert_int_equal(rc, LZMA_OK);
	return (char *)out;
}

static char *pack_zstd(const char *text, size_t len, size_t *out_len)
{
	char *out = malloc(2 * len + 4096);
	size_t first;

	/* Two frames, as `zstd` and `cat` make them. */
	first = ZSTD_compress(out, 2 * len + 4096, text, len / 2, 3);
	*out_len = first + ZSTD_compress(out + first, 2 * len + 4096 - first, text + len / 2,
				   len - len / 2, 3);
	return out;
}

static void test_packed(void **state)
{
	(void)state;
	for (uint64_t number = 0; number < 60; number++) {
		size_t len, packed_len[4], want_len;
		char *text = random_text(number, expected, &len);
		char *packed[4] = {
			pack(text, &packed_len[0], false),
			pack(text, &packed_len[1], true),
			pack_xz(text, len, &packed_len[2]),
			pack_zstd(text, len, &packed_len[3]),
		};
		static const char *const names[4] = {
			"a.tracez", "b.tracez", "a.xz", "a.traceg.zst"};
		char *want = import_bytes("kernel-1.traceg", text, len, &want_len);

		for (int i = 0; i < 4; i++) {
			size_t got_len;
			char *got = import_bytes(names[i], packed[i], packed_len[i], &got_len);

			assert_int_equal(got_len, want_len);
			assert_memory_equal(got, want, got_len);
			free(got);
		}
		free(want);
	}
	free_expected();
}

/* Cut anywhere, or with a bit flipped: a sentence, or a sound trace, but nothing else. */
static void test_damaged(void **state)
{
	size_t len, tracez_len, xz_len;
	char *text = random_text(7, expected, &len);
	char *packed[2] = {pack(text, &tracez_len, true), pack_xz(text, len, &xz_len)};
	const size_t lens[2] = {tracez_len, xz_len};
	static const char *const names[2] = {"a.tracez", "a.xz"};
	static struct memory_folder folder;

	(void)state;
	for (int i = 0; i < 2; i++)
		for (size_t at = 0; at < lens[i]; at += 1 + at / 64)
			for (int flip = 0; flip < 2; flip++) {
				struct tr_err err;
				struct cv_report report;
				char *copy = malloc(lens[i]), *out;
				size_t out_len;

				memcpy(copy, packed[i], lens[i]);
				copy[at] ^= (char)(flip << at % 8);
				put_file(&folder, names[i], copy, flip ? lens[i] : at);
				if (!flip && !at) { /* fmemopen wants a byte */
					memory_free(&folder);
					continue;
				}
				out = memory_import(&folder, names[i], &out_len, &report, &err);
				if (!out && !strstr(err.msg, names[i]))
					fail_msg("%s", err.msg);
				if (out && !flip)
					fail_msg("%s cut at %zu is taken for whole", names[i], at);
				free(out);
				memory_free(&folder);
			}
	free(packed[0]);
	free(packed[1]);
	free(text);
	free_expected();
}

/* ---- whole files: what is refused, and where ---- */

static const char good[] = "-kernel name = k\n"           /* 1 */
			   "-grid dim = (2,1,1)\n"        /* 2 */
			   "-block dim = (40,1,1)\n"      /* 3 */
			   "-binary version = 70\n"       /* 4 */
			   "-shmem = 0\n"                 /* 5 */
			   "#traces format = x\n"         /* 6 */
			   "#BEGIN_TB\n"                  /* 7 */
			   "thread block = 0,0,0\n"       /* 8 */
			   "warp = 0\n"                   /* 9 */
			   "insts = 2\n"                  /* 10 */
			   "0000 ffffffff 0 NOP 0 0 0 \n" /* 11 */
			   "0010 ffffffff 0 EXIT 0 0 0 \n"
			   "warp = 1\n" /* 13 */
			   "insts = 1\n"
			   "0010 000000ff 0 EXIT 0 0 0 \n" /* 15 */
			   "#END_TB\n"
			   "#BEGIN_TB\n" /* 17 */
			   "thread block = 1,0,0\n"
			   "warp = 0\n" /* 19 */
			   "insts = 1\n"
			   "0010 ffffffff 0 EXIT 0 0 0 \n" /* 21 */
			   "#END_TB\n";

static void test_broken_files(void **state)
{
	static const struct {
		const char *from, *to, *why;
	} broken[] = {
		{"-kernel name = k\n", "", ":5: the header names no kernel"},
		{"(2,1,1)", "2,1,1", ":2: ' 2,1,1' is no value of grid dim"},
		{"(2,1,1)", "(2,1)", ":2: ' (2,1)' is no value of grid dim"},
		{"(2,1,1)", "(2,0,1)", ":6: the header lacks a grid or a block"},
		{"-block dim = (40,1,1)\n", "", ":5: the header lacks a grid or a block"},
		{"(40,1,1)", "(1025,1,1)", ":6: the grid or the block is too large"},
		{"(2,1,1)", "(70000,70000,1)", ":6: the grid or the block is too large"},
		{"-shmem = 0", "-shmem = -5", ":5: ' -5' is no value of shmem"},
		{"-shmem = 0", "-shmem 0", ":5: a header line is -KEY = VALUE"},
		{"-shmem = 0", "shmem = 0", ":5: this is no header line"},
		{"#BEGIN_TB\nthread block = 0,0,0", "",
			":8: this stands outside of a thread block"},
		{"thread block = 0,0,0\n", "#BEGIN_TB\n",
			":9: this stands outside of a thread block"},
		{"0,0,0", "0,0", ":8: a thread block is X,Y,Z"},
		{"0,0,0", "0,1,0", ":8: thread block 0,1,0 lies outside of the grid"},
		{"warp = 0\ninsts = 2\n", "insts = 2\n", ":9: this stands outside of a warp"},
		{"warp = 1", "warp = 2", ":13: a thread block has no warp 2"},
		{"warp = 1", "warp = 0", ":13: warp 0 stands twice"},
		{"warp = 1", "warp = x", ":13: this is no warp"},
		{"insts = 2", "insts = 3", ":13: warp 0 has 2 of its 3 instructions"},
		{"insts = 2", "insts = 1", ":12: more than the 1 instructions of warp 0"},
		{"insts = 2", "insts = all", ":10: this is no number of instructions"},
		{"insts = 2\n", "", ":10: more than the 0 instructions of warp 0"},
		{"0000 ffffffff 0 NOP", "000x ffffffff 0 NOP",
			":11: its PC is no hexadecimal number"},
		{"0000 ffffffff", "hello", ":11: this is no instruction"},
		{"000000ff", "000001ff", ":15: its mask has lanes that the block lacks"},
		{"0 NOP", "0 EXIT", ":12: lane 0 goes on after its exit"},
		{"#END_TB\n#BEGIN_TB", "#BEGIN_TB",
			":16: a thread block begins within another one"},
		{"#END_TB\n#BEGIN_TB", "", ":17: a thread block begins within another one"},
		{"#END_TB\n#BEGIN_TB", "#END_TB\n#END_TB", ":17: no thread block ends here"},
		{"1,0,0", "0,0,0", ":18: thread block 0,0,0 stands after its place"},
		{"(2,1,1)", "(5,1,1)", ":22: only 2 of the 5 thread blocks"},
	};
	static struct memory_folder folder;

	(void)state;
	for (size_t i = 0; i < sizeof(broken) / sizeof(broken[0]); i++) {
		const char *at = strstr(good, broken[i].from);
		char *text = malloc(sizeof(good) + 64), want[200], *out;
		struct tr_err err;
		struct cv_report report;
		size_t len;

		assert_non_null(at);
		sprintf(text, "%.*s%s%s", (int)(at - good), good, broken[i].to,
			at + strlen(broken[i].from));
		snprintf(want, sizeof(want), "k.traceg%s", broken[i].why);
		put_file(&folder, "k.traceg", text, strlen(text));
		out = memory_import(&folder, "k.traceg", &len, &report, &err);
		if (out || strncmp(err.msg, want, strlen(want)))
			fail_msg("%s -> %s: '%s', not '%s'", broken[i].from, broken[i].to,
				out ? "sound" : err.msg, want);
		memory_free(&folder);
	}
	/* Cut within a thread block or the header, whatever the line. */
	for (size_t n = 1; n < sizeof(good) - 1; n++) {
		char *out;
		struct tr_err err;
		struct cv_report report;
		size_t len;

		put_file(&folder, "k.traceg", strndup(good, n), n);
		out = memory_import(&folder, "k.traceg", &len, &report, &err);
		/* After the first thread block half of the grid is there. */
		if (out && n < (size_t)(strstr(good, "#END_TB") - good) + 7)
			fail_msg("a file of %zu bytes is taken for whole", n);
		free(out);
		memory_free(&folder);
	}
}

static void test_broken_lists(void **state)
{
	static const struct {
		const char *list, *why;
	} broken[] = {
		{"MemcpyHtoD,0x00,16\n", "kernelslist.g:1: the list names no kernel"},
		{"MemcpyHtoD,16,16\nkernel-1.traceg\n", "kernelslist.g:1: it wants an address"},
		{"MemcpyHtoD,0x10,-4\nkernel-1.traceg\n", "kernelslist.g:1: it wants an address"},
		{"\nMemcpyHtoD,0x10\n", "kernelslist.g:2: it wants an address"},
		{"MemcpyHtoD,0x10000000000000000,4\n", "kernelslist.g:1: it wants an address"},
		{"cudaMalloc,0x10,18446744073709551616\n", "kernelslist.g:1: it wants an address"},
		{"", "kernelslist.g: the list names no kernel"},
		{"kernel-2.traceg\n", "cannot open 'kernel-2.traceg'"},
	};
	static struct memory_folder folder;

	(void)state;
	for (size_t i = 0; i < sizeof(broken) / sizeof(broken[0]); i++) {
		struct tr_err err;
		struct cv_report report;
		size_t len;

		put_file(&folder, "kernelslist.g", strdup(broken[i].list), strlen(broken[i].list));
		put_file(&folder, "kernel-1.traceg", strdup(good), sizeof(good) - 1);
		assert_null(memory_import(&folder, "kernelslist.g", &len, &report, &err));
		if (strncmp(err.msg, broken[i].why, strlen(broken[i].why)))
			fail_msg("'%s', not '%s'", err.msg, broken[i].why);
		memory_free(&folder);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_dialects),
		cmocka_unit_test(test_address_modes),
		cmocka_unit_test(test_bad_lines),
		cmocka_unit_test(test_opcodes),
		cmocka_unit_test(test_opcodes_written),
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_meeting),
		cmocka_unit_test(test_barriers),
		cmocka_unit_test(test_packed),
		cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_broken_files),
		cmocka_unit_test(test_broken_lists),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
