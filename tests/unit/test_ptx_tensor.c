/*
 * Matrix instructions of the PTX machine against products in plain C. The operands are numbers of
 * few digits, so that no order of sums loses any and the results are exact. Where elements lie is
 * said here the other way round than in the machine: from row and column to lane and register.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sim/ptx/vm.h"

/* Formats: h f16, b bf16, t tf32, e e4m3, E e5m2, f f32, d f64, s s8, u u8, x s4, y u4, 1 b1, i
 * s32. */
static unsigned bits_of(char f)
{
	return f == 'd'           ? 64
	       : strchr("tfi", f) ? 32
	       : strchr("hb", f)  ? 16
	       : f == '1'         ? 1
	       : strchr("xy", f)  ? 4
				  : 8;
}

static uint64_t encoded(double v, int exponent_bits, int fraction_bits)
{
	int e;
	const double m = frexp(fabs(v), &e); /* in [0.5, 1) */
	const uint64_t sign = (uint64_t)(v < 0) << (exponent_bits + fraction_bits);
	const int bias = (1 << (exponent_bits - 1)) - 1;

	if (v == 0)
		return 0;
	return sign | (uint64_t)(e - 1 + bias) << fraction_bits |
	       (uint64_t)ldexp(2 * m - 1, fraction_bits);
}

static uint64_t encode(char f, double v)
{
	switch (f) {
	case 'h':
		return encoded(v, 5, 10);
	case 'b':
		return encoded(v, 8, 7);
	case 't':
		return encoded(v, 8, 10) << 13 | 0x1abc; /* the low bits do not count */
	case 'e':
		return encoded(v, 4, 3);
	case 'E':
		return encoded(v, 5, 2);
	case 'f':
		return encoded(v, 8, 23);
	case 'd':
		return encoded(v, 11, 52);
	default:
		return (uint64_t)(int64_t)v &
		       (bits_of(f) == 32 ? UINT32_MAX : (1u << bits_of(f)) - 1);
	}
}

static uint32_t random_number(void)
{
	static uint32_t x = 2463534242u;
	x ^= x << 13;
	x ^= x >> 17;
	x ^= x << 5;
	return x;
}

static double random_value(char f)
{
	const int r = (int)(random_number() % 1000);

	switch (f) {
	case '1':
		return r & 1;
	case 'y':
		return r % 16;
	case 'x':
		return r % 16 - 8;
	case 'u':
		return r % 256;
	case 's':
		return r % 256 - 128;
	case 'i':
		return r - 500;
	default:
		return (r % 13 - 6) / 4.0;
	}
}

/* ---- the machine ---- */

struct bench {
	struct ptx_module *mod;
	struct ptx_machine *m;
	struct tr_writer *w;
	FILE *trace;
	struct tr_err err;
	uint64_t in, out;
};

#define IN_BYTES 16384
#define OUT_BYTES 16384

/* Runs the body for one warp; %d0 is its input's address, %d1 the output's, %r0 the lane. */
static void begin(struct bench *b, const char *body)
{
	const struct ptx_machine_options opt = {.resident = PTX_RESIDENT_DEFAULT, .sync_reads = 1};
	const struct tr_writer_options wopt = {0};
	char *text;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	fprintf(f,
		".version 8.3\n.target sm_90\n.address_size 64\n"
		".visible .entry k(.param .u64 in, .param .u64 out)\n{\n"
		".reg .b32 %%r<80>; .reg .b64 %%d<80>; .shared .align 16 .b8 s[1024];\n"
		"ld.param.u64 %%d0, [in];\nld.param.u64 %%d1, [out];\nmov.u32 %%r0, %%tid.x;\n"
		"%s\nret;\n}\n",
		body);
	fclose(f);
	memset(b, 0, sizeof(*b));
	if (ptx_parse(&b->mod, text, len, "k.ptx", &b->err) < 0)
		fail_msg("%s", b->err.msg);
	free(text);
	assert_int_equal(ptx_machine_new(&b->m, &opt, &b->err), 1);
	assert_int_equal(ptx_load(b->m, b->mod, &b->err), 1);
	b->in = ptx_alloc(b->m, "in", IN_BYTES, &b->err);
	b->out = ptx_alloc(b->m, "out", OUT_BYTES, &b->err);
	b->trace = tmpfile();
	assert_true(tr_writer_open(&b->w, b->trace, &wopt, &b->err) >= 0);
}

static void launch(struct bench *b, uint32_t threads)
{
	const void *args[] = {&b->in, &b->out};
	const struct ptx_launch l = {.kernel = ptx_find(b->mod, "k"),
		.grid = {1, 1, 1},
		.block = {threads, 1, 1},
		.args = args,
		.nargs = 2};

	if (ptx_launch(b->m, &l, b->w, &b->err) < 0)
		fail_msg("%s", b->err.msg);
}

static void end(struct bench *b)
{
	if (b->w)
		tr_writer_abandon(b->w);
	fclose(b->trace);
	ptx_machine_free(b->m);
	ptx_module_free(b->mod);
}

/* ---- mma ---- */

static const struct product {
	const char *opcode;
	unsigned m, n, k;
	char d, a, b, c;
} products[] = {
	{"mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16", 16, 8, 8, 'h', 'h', 'h', 'h'},
	{"mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16", 16, 8, 16, 'h', 'h', 'h', 'h'},
	{"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32", 16, 8, 8, 'f', 'h', 'h', 'f'},
	{"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", 16, 8, 16, 'f', 'h', 'h', 'f'},
	{"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f16", 16, 8, 16, 'f', 'h', 'h', 'h'},
	{"mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32", 16, 8, 8, 'f', 'b', 'b', 'f'},
	{"mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", 16, 8, 16, 'f', 'b', 'b', 'f'},
	{"mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32", 16, 8, 4, 'f', 't', 't', 'f'},
	{"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", 16, 8, 8, 'f', 't', 't', 'f'},
	{"mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32", 16, 8, 32, 'f', 'e', 'E', 'f'},
	{"mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64", 8, 8, 4, 'd', 'd', 'd', 'd'},
	{"mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64", 16, 8, 4, 'd', 'd', 'd', 'd'},
	{"mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64", 16, 8, 8, 'd', 'd', 'd', 'd'},
	{"mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64", 16, 8, 16, 'd', 'd', 'd', 'd'},
	{"mma.sync.aligned.m8n8k16.row.col.s32.s8.u8.s32", 8, 8, 16, 'i', 's', 'u', 'i'},
	{"mma.sync.aligned.m16n8k16.row.col.s32.u8.s8.s32", 16, 8, 16, 'i', 'u', 's', 'i'},
	{"mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.s8.s32", 16, 8, 32, 'i', 's', 's',
		'i'},
	{"mma.sync.aligned.m8n8k32.row.col.s32.s4.u4.s32", 8, 8, 32, 'i', 'x', 'y', 'i'},
	{"mma.sync.aligned.m16n8k64.row.col.s32.u4.s4.s32", 16, 8, 64, 'i', 'y', 'x', 'i'},
	{"mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc", 8, 8, 128, 'i', '1', '1', 'i'},
	{"mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc", 16, 8, 256, 'i', '1', '1',
		'i'},
};

#define MOST 4096
static double a[MOST], b[MOST], c[MOST];

static double product_at(const struct product *p, unsigned row, unsigned col)
{
	double v = c[row * p->n + col];

	for (unsigned k = 0; k < p->k; k++) {
		const double x = a[row * p->k + k], y = b[k * p->n + col];
		v += strstr(p->opcode, "xor") ? (double)(x != y) : x * y;
	}
	return v;
}

/* Lane, register and place in it of an element; parts: elements of a register. */
struct where {
	unsigned lane, reg, part;
};

static unsigned parts(char f)
{
	return bits_of(f) < 32 ? 32 / bits_of(f) : 1;
}

static struct where in_a(char f, unsigned row, unsigned k)
{
	const unsigned p = parts(f);
	return (struct where){row % 8 * 4 + k % (4 * p) / p, row / 8 + 2 * (k / (4 * p)), k % p};
}

static struct where in_b(char f, unsigned k, unsigned col)
{
	const unsigned p = parts(f);
	return (struct where){col * 4 + k % (4 * p) / p, k / (4 * p), k % p};
}

static struct where in_c(char f, unsigned row, unsigned col)
{
	const unsigned nth = row / 8 * 2 + col % 2;
	return (struct where){row % 8 * 4 + col / 2, nth / parts(f), nth % parts(f)};
}

/* A lane's registers stand in 32 places of 8 bytes: a from 0 on, b from 8, c from 16. */
static void put(uint8_t *in, unsigned first, char f, struct where at, double v)
{
	uint64_t *place = (uint64_t *)(void *)in + 32 * at.lane + first + at.reg;
	*place |= encode(f, v) << at.part * bits_of(f);
}

static unsigned registers(char f, unsigned elements)
{
	return elements / 32 / parts(f);
}

/* The text's list of registers: of 32 bits from %r(10 + first) on, or of f64 from %d(10 + first)
 * on. */
static void say(FILE *f, char format, unsigned first, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		fprintf(f, "%s%%%c%u", i ? ", " : "{", format == 'd' ? 'd' : 'r', 10 + first + i);
	fputs("}", f);
}

static void write_product(FILE *f, const struct product *p)
{
	const unsigned na = registers(p->a, p->m * p->k), nb = registers(p->b, p->k * p->n);
	const unsigned nc = registers(p->c, p->m * p->n), nd = registers(p->d, p->m * p->n);
	const struct {
		char f;
		unsigned first, n;
	} all[] = {{p->a, 0, na}, {p->b, 8, nb}, {p->c, 16, nc}};

	fprintf(f, "mul.wide.u32 %%d2, %%r0, 256; add.u64 %%d2, %%d0, %%d2;\n"
		   "mul.wide.u32 %%d3, %%r0, 64; add.u64 %%d3, %%d1, %%d3;\n");
	for (unsigned m = 0; m < 3; m++)
		for (unsigned i = 0; i < all[m].n; i++)
			fprintf(f, "ld.global.b%u %%%c%u, [%%d2+%u];\n", all[m].f == 'd' ? 64 : 32,
				all[m].f == 'd' ? 'd' : 'r', 10 + all[m].first + i,
				8 * (all[m].first + i));
	fprintf(f, "%s ", p->opcode);
	say(f, p->d, 30, nd);
	for (unsigned m = 0; m < 3; m++) {
		fputs(", ", f);
		say(f, all[m].f, all[m].first, all[m].n);
	}
	fputs(";\n", f);
	for (unsigned i = 0; i < nd; i++)
		fprintf(f, "st.global.b%u [%%d3+%u], %%%c%u;\n", p->d == 'd' ? 64 : 32, 8 * i,
			p->d == 'd' ? 'd' : 'r', 40 + i);
}

static void fill(const struct product *p)
{
	for (unsigned i = 0; i < p->m * p->k; i++)
		a[i] = random_value(p->a);
	for (unsigned i = 0; i < p->k * p->n; i++)
		b[i] = random_value(p->b);
	for (unsigned i = 0; i < p->m * p->n; i++)
		c[i] = random_value(p->c);
}

static void test_mma(void **state)
{
	(void)state;
	for (unsigned i = 0; i < sizeof(products) / sizeof(*products); i++) {
		const struct product *p = &products[i];
		char body[8192];
		struct bench t;
		FILE *f = fmemopen(body, sizeof(body), "w");
		write_product(f, p);
		fclose(f);
		begin(&t, body);
		uint8_t *in = ptx_host(t.m, t.in, IN_BYTES), *out = ptx_host(t.m, t.out, OUT_BYTES);
		fill(p);
		for (unsigned row = 0; row < p->m; row++)
			for (unsigned k = 0; k < p->k; k++)
				put(in, 0, p->a, in_a(p->a, row, k), a[row * p->k + k]);
		for (unsigned k = 0; k < p->k; k++)
			for (unsigned col = 0; col < p->n; col++)
				put(in, 8, p->b, in_b(p->b, k, col), b[k * p->n + col]);
		for (unsigned row = 0; row < p->m; row++)
			for (unsigned col = 0; col < p->n; col++)
				put(in, 16, p->c, in_c(p->c, row, col), c[row * p->n + col]);
		launch(&t, 32);
		for (unsigned row = 0; row < p->m; row++)
			for (unsigned col = 0; col < p->n; col++) {
				const struct where at = in_c(p->d, row, col);
				uint64_t got;
				memcpy(&got, out + 64 * at.lane + 8 * at.reg, 8);
				got = got >> at.part * bits_of(p->d) &
				      (bits_of(p->d) == 64 ? ~0ull : (1ull << bits_of(p->d)) - 1);
				const uint64_t want = encode(p->d, product_at(p, row, col));
				if (got != want)
					fail_msg("%s, row %u, column %u: 0x%" PRIx64
						 ", not 0x%" PRIx64,
						p->opcode, row, col, got, want);
			}
		end(&t);
	}
}

/* mma.m8n8k4 of halves: four products, each of a quad and the one 16 lanes on. */
static void test_quads(void **state)
{
	static const char *const layouts[] = {"row", "col"};
	const struct product p = {"", 8, 8, 4, 'f', 'h', 'h', 'f'};

	(void)state;
	for (unsigned way = 0; way < 4; way++) {
		char body[4096], opcode[80];
		double all[4][3][64];
		struct bench t;
		struct product as = p;
		FILE *f = fmemopen(body, sizeof(body), "w");
		snprintf(opcode, sizeof(opcode), "mma.sync.aligned.m8n8k4.%s.%s.f32.f16.f16.f32",
			layouts[way & 1], layouts[way >> 1]);
		fprintf(f, "mul.wide.u32 %%d2, %%r0, 256; add.u64 %%d2, %%d0, %%d2;\n"
			   "mul.wide.u32 %%d3, %%r0, 64; add.u64 %%d3, %%d1, %%d3;\n");
		for (unsigned i = 0; i < 12; i++)
			fprintf(f, "ld.global.b32 %%r%u, [%%d2+%u];\n", 10 + i, 8 * i);
		fprintf(f,
			"%s {%%r30,%%r31,%%r32,%%r33,%%r34,%%r35,%%r36,%%r37}, {%%r10,%%r11}, "
			"{%%r12,%%r13}, "
			"{%%r14,%%r15,%%r16,%%r17,%%r18,%%r19,%%r20,%%r21};\n",
			opcode);
		for (unsigned i = 0; i < 8; i++)
			fprintf(f, "st.global.b32 [%%d3+%u], %%r%u;\n", 8 * i, 30 + i);
		fclose(f);
		begin(&t, body);
		uint8_t *in = ptx_host(t.m, t.in, IN_BYTES), *out = ptx_host(t.m, t.out, OUT_BYTES);
		for (unsigned quad = 0; quad < 4; quad++) {
			fill(&as);
			memcpy(all[quad][0], a, sizeof(all[0][0]));
			memcpy(all[quad][1], b, sizeof(all[0][0]));
			memcpy(all[quad][2], c, sizeof(all[0][0]));
			for (unsigned row = 0; row < 8; row++)
				for (unsigned k = 0; k < 4; k++) {
					const unsigned by_row = row % 4 + (row / 4) * 16 + 4 * quad;
					const unsigned by_k = k + (row / 4) * 16 + 4 * quad;
					const unsigned ea = way & 1 ? row % 4 : k;
					const unsigned eb = way >> 1 ? k : row % 4;
					put(in, 0, 'h',
						(struct where){
							way & 1 ? by_k : by_row, ea / 2, ea % 2},
						a[row * 4 + k]);
					/* b: `row` is its column */
					put(in, 2, 'h',
						(struct where){
							way >> 1 ? by_row : by_k, eb / 2, eb % 2},
						b[k * 8 + row]);
				}
			for (unsigned row = 0; row < 8; row++)
				for (unsigned col = 0; col < 8; col++) {
					const unsigned lane =
						(row & 1) + (col & 2) + (row / 4) * 16 + 4 * quad;
					const unsigned e = (row & 2) + (col & 4) + (col & 1);
					put(in, 4, 'f', (struct where){lane, e, 0},
						c[row * 8 + col]);
				}
		}
		launch(&t, 32);
		for (unsigned quad = 0; quad < 4; quad++) {
			memcpy(a, all[quad][0], sizeof(all[0][0]));
			memcpy(b, all[quad][1], sizeof(all[0][0]));
			memcpy(c, all[quad][2], sizeof(all[0][0]));
			for (unsigned row = 0; row < 8; row++)
				for (unsigned col = 0; col < 8; col++) {
					const unsigned lane =
						(row & 1) + (col & 2) + (row / 4) * 16 + 4 * quad;
					const unsigned e = (row & 2) + (col & 4) + (col & 1);
					uint32_t got;
					memcpy(&got, out + 64 * lane + 8 * e, 4);
					assert_int_equal(
						got, encode('f', product_at(&p, row, col)));
				}
		}
		end(&t);
	}
}

/* Integers that leave s32 wrap, or saturate if they are told to. */
static void test_saturation(void **state)
{
	static const struct {
		const char *opcode;
		uint32_t c, want;
	} cases[] = {{"mma.sync.aligned.m8n8k16.row.col.s32.u8.u8.s32", 0x7fffffff,
			     0x7fffffff + 16u * 255 * 255},
		{"mma.sync.aligned.m8n8k16.row.col.satfinite.s32.u8.u8.s32", 0x7fffffff,
			0x7fffffff},
		{"mma.sync.aligned.m8n8k16.row.col.s32.s8.u8.s32", 0x80000000,
			0x80000000 - 16u * 255},
		{"mma.sync.aligned.m8n8k16.row.col.satfinite.s32.s8.u8.s32", 0x80000000,
			0x80000000}};

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		char body[512];
		struct bench t;
		snprintf(body, sizeof(body),
			"mov.b32 %%r1, -1; mov.b32 %%r2, %u;\n%s {%%r3, %%r4}, {%%r1}, %%r1, "
			"{%%r2, %%r2};\nst.global.u32 [%%d1], %%r4;",
			cases[i].c, cases[i].opcode);
		begin(&t, body);
		launch(&t, 32);
		assert_int_equal(*(uint32_t *)ptx_host(t.m, t.out, 4), cases[i].want);
		end(&t);
	}
}

/* ---- wmma ---- */

static const struct tile {
	const char *shape, *types, *type[3]; /* of wmma.mma; of the loads of a, b and c */
	struct product p;
	unsigned na, nb;
} tiles[] = {
	{"m16n16k16", "f32.f32", {"f16", "f16", "f32"}, {"", 16, 16, 16, 'f', 'h', 'h', 'f'}, 8, 8},
	{"m16n16k16", "f16.f16", {"f16", "f16", "f16"}, {"", 16, 16, 16, 'h', 'h', 'h', 'h'}, 8, 8},
	{"m8n32k16", "f32.f32", {"f16", "f16", "f32"}, {"", 8, 32, 16, 'f', 'h', 'h', 'f'}, 8, 8},
	{"m32n8k16", "f32.f16", {"f16", "f16", "f16"}, {"", 32, 8, 16, 'f', 'h', 'h', 'h'}, 8, 8},
	{"m16n16k16", "f32.bf16.bf16.f32", {"bf16", "bf16", "f32"},
		{"", 16, 16, 16, 'f', 'b', 'b', 'f'}, 4, 4},
	{"m8n32k16", "f32.bf16.bf16.f32", {"bf16", "bf16", "f32"},
		{"", 8, 32, 16, 'f', 'b', 'b', 'f'}, 2, 8},
	{"m16n16k8", "f32.tf32.tf32.f32", {"tf32", "tf32", "f32"},
		{"", 16, 16, 8, 'f', 't', 't', 'f'}, 4, 4},
	{"m8n8k4", "f64.f64.f64.f64", {"f64", "f64", "f64"}, {"", 8, 8, 4, 'd', 'd', 'd', 'd'}, 1,
		1},
	{"m16n16k16", "s32.s8.s8.s32", {"s8", "s8", "s32"}, {"", 16, 16, 16, 'i', 's', 's', 'i'}, 2,
		2},
	{"m32n8k16", "s32.u8.u8.s32", {"u8", "u8", "s32"}, {"", 32, 8, 16, 'i', 'u', 'u', 'i'}, 4,
		1},
};

/* An element of a matrix of rows by cols in memory, by rows or by columns of `stride` elements. */
static uint8_t *element(
	uint8_t *base, char f, unsigned row, unsigned col, int by_col, unsigned stride)
{
	return base + (by_col ? col * stride + row : row * stride + col) * bits_of(f) / 8;
}

enum { STRIDE = 48, AT_A = 0, AT_B = 6144, AT_C = 10240 };

static void write_tile(FILE *f, const struct tile *t, const char *const layout[3])
{
	static const char name[] = "abc";
	const unsigned at[] = {AT_A, AT_B, AT_C}, n[] = {t->na, t->nb, 0};
	const char formats[] = {t->p.a, t->p.b, t->p.c};
	const unsigned nc = registers(t->p.c, t->p.m * t->p.n);
	const unsigned nd = registers(t->p.d, t->p.m * t->p.n);

	fputs("mov.u32 %r1, 48;\n", f);
	for (unsigned m = 0; m < 3; m++) {
		fprintf(f, "add.u64 %%d2, %%d0, %u;\nwmma.load.%c.sync.aligned.%s.%s.global.%s ",
			at[m], name[m], layout[m], t->shape, t->type[m]);
		say(f, formats[m], 10 * m, m == 2 ? nc : n[m]);
		fputs(", [%d2], %r1;\n", f);
	}
	fprintf(f, "wmma.mma.sync.aligned.%s.%s.%s.%s ", layout[0], layout[1], t->shape, t->types);
	say(f, t->p.d, 30, nd);
	for (unsigned m = 0; m < 3; m++) {
		fputs(", ", f);
		say(f, formats[m], 10 * m, m == 2 ? nc : n[m]);
	}
	fprintf(f, ";\nwmma.store.d.sync.aligned.%s.%s.global.%s [%%d1], ", layout[2], t->shape,
		t->p.d == 'f'   ? "f32"
		: t->p.d == 'h' ? "f16"
		: t->p.d == 'd' ? "f64"
				: "s32");
	say(f, t->p.d, 30, nd);
	fputs(", %r1;\n", f);
}

static void lay_out(
	uint8_t *base, const double *v, unsigned rows, unsigned cols, char f, int by_col)
{
	for (unsigned row = 0; row < rows; row++)
		for (unsigned col = 0; col < cols; col++) {
			const uint64_t bits = encode(f, v[row * cols + col]);
			memcpy(element(base, f, row, col, by_col, STRIDE), &bits, bits_of(f) / 8);
		}
}

static void check_tile(const struct tile *t, unsigned way)
{
	static const char *const names[] = {"row", "col"};
	const int by_col[] = {way & 1, way >> 1 & 1, way >> 2 & 1};
	const char *const layout[] = {names[by_col[0]], names[by_col[1]], names[by_col[2]]};
	const struct product *p = &t->p;
	char body[4096];
	struct bench b_;
	FILE *f = fmemopen(body, sizeof(body), "w");

	write_tile(f, t, layout);
	fclose(f);
	begin(&b_, body);
	uint8_t *in = ptx_host(b_.m, b_.in, IN_BYTES), *out = ptx_host(b_.m, b_.out, OUT_BYTES);
	fill(p);
	lay_out(in + AT_A, a, p->m, p->k, p->a, by_col[0]);
	lay_out(in + AT_B, b, p->k, p->n, p->b, by_col[1]);
	lay_out(in + AT_C, c, p->m, p->n, p->c, by_col[2]);
	launch(&b_, 32);
	for (unsigned row = 0; row < p->m; row++)
		for (unsigned col = 0; col < p->n; col++) {
			const uint64_t want = encode(p->d, product_at(p, row, col));
			uint64_t got = 0;
			memcpy(&got, element(out, p->d, row, col, by_col[2], STRIDE),
				bits_of(p->d) / 8);
			if (got != want)
				fail_msg("%s %s way %u, row %u, column %u: 0x%" PRIx64
					 ", not 0x%" PRIx64,
					t->shape, t->types, way, row, col, got, want);
		}
	end(&b_);
}

static void test_wmma(void **state)
{
	(void)state;
	for (unsigned i = 0; i < sizeof(tiles) / sizeof(*tiles); i++)
		for (unsigned way = 0; way < 8; way++)
			check_tile(&tiles[i], way);
}

/* Narrow ones: of 4 bits, and single bits, whose rows and columns lie close. */
static void test_wmma_bits(void **state)
{
	struct bench t;

	(void)state;
	begin(&t,
		"add.u64 %d2, %d0, 1024;\n"
		"wmma.load.a.sync.aligned.row.m8n8k128.b1 {%r1}, [%d0];\n"
		"wmma.load.b.sync.aligned.col.m8n8k128.b1 {%r2}, [%d2];\n"
		"mov.b32 %r3, 5;\n"
		"wmma.mma.xor.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32 {%r4, %r5}, {%r1}, "
		"{%r2}, {%r3, %r3};\n"
		"wmma.store.d.sync.aligned.row.m8n8k128.s32 [%d1], {%r4, %r5};\n"
		"wmma.load.a.sync.aligned.row.m8n8k32.s4 {%r1}, [%d0];\n"
		"wmma.load.b.sync.aligned.col.m8n8k32.s4 {%r2}, [%d2];\n"
		"wmma.mma.sync.aligned.row.col.m8n8k32.s32.s4.s4.s32 {%r4, %r5}, {%r1}, {%r2}, "
		"{%r3, %r3};\n"
		"wmma.store.d.sync.aligned.row.m8n8k32.s32 [%d1+1024], {%r4, %r5};\n");
	uint8_t *in = ptx_host(t.m, t.in, IN_BYTES);
	const int32_t *out = ptx_host(t.m, t.out, OUT_BYTES);
	for (unsigned i = 0; i < 2048; i++)
		in[i] = (uint8_t)random_number();
	launch(&t, 32);
	for (unsigned row = 0; row < 8; row++)
		for (unsigned col = 0; col < 8; col++) {
			int differ = 5, sum = 5;
			for (unsigned i = 0; i < 16; i++) {
				const uint8_t x = in[16 * row + i], y = in[1024 + 16 * col + i];
				differ += __builtin_popcount(x ^ y);
				sum += ((int8_t)(x << 4) >> 4) * ((int8_t)(y << 4) >> 4) +
				       ((int8_t)x >> 4) * ((int8_t)y >> 4);
			}
			assert_int_equal(out[8 * row + col], differ);
			assert_int_equal(out[256 + 8 * row + col], sum);
		}
	end(&t);
}

/* ---- ldmatrix and stmatrix ---- */

static void test_matrices(void **state)
{
	struct bench t;

	(void)state;
	begin(&t, "mul.wide.u32 %d2, %r0, 16; add.u64 %d3, %d0, %d2;\n"
		  "ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%d3];\n"
		  "mov.u32 %r5, s; mad.lo.u32 %r6, %r0, 16, %r5;\n"
		  "st.shared.v4.u32 [%r6], {%r1, %r2, %r3, %r4};\nbar.sync 0;\n"
		  "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r10, %r11, %r12, %r13}, [%r6];\n"
		  "ldmatrix.sync.aligned.m8n8.x2.trans.shared::cta.b16 {%r14, %r15}, [%r6];\n"
		  "ldmatrix.sync.aligned.m8n8.x1.shared.b16 %r16, [%r6];\nbar.sync 0;\n"
		  "stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%r6+512], {%r10, %r11, %r12, "
		  "%r13};\nbar.sync 0;\n"
		  "ld.shared.v4.u32 {%r20, %r21, %r22, %r23}, [%r6+512];\n"
		  "mul.wide.u32 %d2, %r0, 64; add.u64 %d3, %d1, %d2;\n"
		  "st.global.v4.u32 [%d3], {%r10, %r11, %r12, %r13};\n"
		  "st.global.v4.u32 [%d3+16], {%r14, %r15, %r16, %r0};\n"
		  "st.global.v4.u32 [%d3+32], {%r20, %r21, %r22, %r23};\n");
	uint16_t *in = ptx_host(t.m, t.in, IN_BYTES);
	const uint16_t *out = ptx_host(t.m, t.out, OUT_BYTES);
	for (unsigned i = 0; i < 256; i++)
		in[i] = (uint16_t)random_number();
	launch(&t, 32);
	for (unsigned lane = 0; lane < 32; lane++)
		for (unsigned i = 0; i < 2; i++) {
			const unsigned row = lane / 4, col = lane % 4 * 2 + i;
			const uint16_t *lanes = out + 32 * lane;
			for (unsigned m = 0; m < 4; m++)
				assert_int_equal(lanes[2 * m + i], in[64 * m + 8 * row + col]);
			for (unsigned m = 0; m < 2; m++)
				assert_int_equal(lanes[8 + 2 * m + i], in[64 * m + 8 * col + row]);
			assert_int_equal(lanes[12 + i], in[8 * row + col]);
		}
	for (unsigned m = 0; m < 4; m++) /* what was stored is every matrix on its side */
		for (unsigned row = 0; row < 8; row++)
			for (unsigned col = 0; col < 8; col++)
				assert_int_equal(out[32 * (8 * m + row) + 16 + col],
					in[64 * m + 8 * col + row]);
	end(&t);
}

/* Of one or two matrices the other lanes' addresses count for nothing. */
static void test_few_matrices(void **state)
{
	(void)state;
	for (unsigned n = 1; n <= 2; n++) {
		const char *regs = n == 1 ? "{%r10}" : "{%r10, %r11}";
		char body[1024];
		struct bench t;
		snprintf(body, sizeof(body),
			"mul.wide.u32 %%d2, %%r0, 16; add.u64 %%d3, %%d0, %%d2;\n"
			"ld.global.v4.u32 {%%r1, %%r2, %%r3, %%r4}, [%%d3];\n"
			"mov.u32 %%r5, s; mad.lo.u32 %%r6, %%r0, 16, %%r5;\n"
			"st.shared.v4.u32 [%%r6], {%%r1, %%r2, %%r3, %%r4};\nbar.sync 0;\n"
			".reg .pred %%q; setp.ge.u32 %%q, %%r0, %u; @%%q mov.u32 %%r6, "
			"0x7ffffff0;\n"
			"ldmatrix.sync.aligned.m8n8.x%u.shared.b16 %s, [%%r6];\n"
			"@!%%q add.u32 %%r6, %%r6, 512;\n"
			"stmatrix.sync.aligned.m8n8.x%u.trans.shared.b16 [%%r6], %s;\nbar.sync 0;\n"
			"mad.lo.u32 %%r6, %%r0, 16, %%r5;\n"
			"ld.shared.v4.u32 {%%r1, %%r2, %%r3, %%r4}, [%%r6+512];\n"
			"add.u64 %%d3, %%d1, %%d2;\n"
			"st.global.v4.u32 [%%d3], {%%r1, %%r2, %%r3, %%r4};\n",
			8 * n, n, regs, n, regs);
		begin(&t, body);
		uint16_t *in = ptx_host(t.m, t.in, IN_BYTES);
		const uint16_t *out = ptx_host(t.m, t.out, OUT_BYTES);
		for (unsigned i = 0; i < 256; i++)
			in[i] = (uint16_t)random_number();
		launch(&t, 32);
		for (unsigned i = 0; i < 64 * n; i++) /* each on its side */
			assert_int_equal(out[i], in[i / 64 * 64 + i % 8 * 8 + i % 64 / 8]);
		end(&t);
	}
}

/* What is no number in a sum of doubles is the one that the device has for it. */
static void test_no_number(void **state)
{
	struct bench t;

	(void)state;
	begin(&t, "mov.b64 %d2, 0xfff8000000001234; mov.b64 %d3, 0;\n"
		  "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%d4, %d5}, {%d3}, {%d3}, "
		  "{%d2, %d3};\n"
		  "st.global.v2.u64 [%d1], {%d4, %d5};\n");
	const uint64_t *out = ptx_host(t.m, t.out, 16);
	launch(&t, 32);
	assert_true(out[0] == 0x7fffffffffffffff);
	assert_true(out[1] == 0);
	end(&t);
}

/* ---- operands that are no registers ---- */

/* A product's sum alone: its literals and special registers come out as they are. */
static void test_other_operands(void **state)
{
	struct bench t;

	(void)state;
	begin(&t, "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%r1, %r2}, {0}, {0}, "
		  "{%lanemask_eq, %ntid.x};\n"
		  "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%d2, %d3}, {0.0}, {0.0}, "
		  "{1.5, 0d400921fb54442d18};\n"
		  "mad.wide.u32 %d4, %r0, 32, %d1;\nst.global.v2.u32 [%d4], {%r1, %r2};\n"
		  "st.global.v2.u64 [%d4+16], {%d2, %d3};\n");
	const uint32_t *out = ptx_host(t.m, t.out, OUT_BYTES);
	launch(&t, 32);
	for (unsigned lane = 0; lane < 32; lane++) {
		const double *real = (const double *)(const void *)(out + 8 * lane + 4);
		assert_int_equal(out[8 * lane], 1u << lane);
		assert_int_equal(out[8 * lane + 1], 32);
		assert_true(real[0] == 1.5 && real[1] == 0x1.921fb54442d18p+1);
	}
	end(&t);
}

/* A clock is read by the instruction whose first source it is, and a matrix has many. */
static void test_clock(void **state)
{
	struct bench t;

	(void)state;
	begin(&t, "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%r1, %r2}, {0}, {0}, "
		  "{%clock, 5};");
	const struct ptx_launch l = {.kernel = ptx_find(t.mod, "k"),
		.grid = {1, 1, 1},
		.block = {32, 1, 1},
		.args = (const void *[]){&t.in, &t.out},
		.nargs = 2};
	assert_int_equal(ptx_launch(t.m, &l, NULL, &t.err), TR_EDATA);
	assert_non_null(strstr(t.err.msg, "k.ptx:10: a clock that is an operand of a matrix in"));
	end(&t);
}

/* What goes to the sink goes nowhere, and the rest where it should. */
static void test_sinks(void **state)
{
	struct bench t;

	(void)state;
	begin(&t, "mov.u32 %r5, s; mad.lo.u32 %r6, %r0, 16, %r5; mul.lo.u32 %r7, %r0, 0x10001;\n"
		  "st.shared.v4.u32 [%r6], {%r7, %r7, %r7, %r7};\nbar.sync 0;\n"
		  "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r10, _, _, %r13}, [%r6];\n"
		  "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {_, %r14}, {0}, {0}, {5, 6};\n"
		  "wmma.load.c.sync.aligned.row.m8n8k4.f64 {_, %d2}, [%d0];\n"
		  "mad.wide.u32 %d4, %r0, 32, %d1;\n"
		  "st.global.v4.u32 [%d4], {%r10, %r13, %r14, %r0};\nst.global.u64 [%d4+16], %d2;");
	uint64_t *in = ptx_host(t.m, t.in, IN_BYTES);
	const uint32_t *out = ptx_host(t.m, t.out, OUT_BYTES);
	for (unsigned i = 0; i < 64; i++)
		in[i] = i;
	launch(&t, 32);
	for (unsigned lane = 0; lane < 32; lane++) {
		const uint32_t *v = out + 8 * lane;
		assert_int_equal(v[0], lane / 4 * 0x10001);
		assert_int_equal(v[1], (24 + lane / 4) * 0x10001);
		assert_int_equal(v[2], 6);
		assert_int_equal(v[4], 2 * lane + 1);
	}
	end(&t);
}

/* ---- the record, and what is refused ---- */

/* Shares of a tile: each byte of its 16 rows of 32 bytes, 80 bytes apart, once. */
static void test_recorded(void **state)
{
	struct bench t;
	struct tr_reader *r;
	struct tr_cta cta;
	uint8_t seen[16 * 80] = {0};
	unsigned values = 0;
	int event;

	(void)state;
	begin(&t, "mov.u32 %r1, 40;\nwmma.load.a.sync.aligned.row.m16n16k16.f16 "
		  "{%r10,%r11,%r12,%r13,%r14,%r15,%r16,%r17}, [%d0], %r1;\n");
	launch(&t, 32);
	assert_true(tr_writer_close(t.w, &t.err) >= 0);
	t.w = NULL;
	rewind(t.trace);
	assert_true(tr_reader_open(&r, t.trace, NULL, &t.err) >= 0);
	tr_cta_init(&cta);
	while ((event = tr_reader_next(r, &t.err)) != TR_CTA)
		assert_true(event > 0);
	assert_int_equal(tr_reader_cta(r, &cta, &t.err), 1);
	const struct tr_program *p = tr_reader_program(r);
	for (unsigned thread = 0; thread < 32; thread++) {
		struct tr_walk walk;
		tr_walk_start(&walk, p, &cta.threads[thread]);
		while (tr_walk_next(&walk) == 1) {
			const struct tr_inst *i = &p->insts[walk.inst];
			if (!walk.has_value)
				continue;
			assert_int_equal(i->cls, TR_C_LOAD);
			assert_int_equal(i->bytes * i->vec, 16);
			values++;
			for (unsigned k = 0; k < 16; k++)
				seen[walk.value - t.in + k]++;
		}
	}
	assert_int_equal(values, 32);
	for (unsigned i = 0; i < sizeof(seen); i++)
		assert_int_equal(seen[i], i % 80 < 32);
	tr_cta_free(&cta);
	tr_reader_close(r);
	end(&t);
}

static void test_refused(void **state)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{"mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%r1}, {%r1}, {%r1}, {%r1};",
			"k.ptx:10: unsupported modifier '.sp' in"},
		{"mma.sync.aligned.m16n8k4.row.col.f32.f16.f16.f32 {%r1}, {%r1}, {%r1}, {%r1};",
			"k.ptx:10: unsupported opcode 'mma.sync.aligned.m16n8k4.row.col.f32.f16"},
		{"mma.sync.aligned.m16n8k8.row.row.f32.f16.f16.f32 {%r1}, {%r1}, {%r1}, {%r1};",
			"k.ptx:10: unsupported opcode"},
		{"mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%r1}, {%r1}, {%r1}, {%r1};",
			"k.ptx:10: 1 registers, where there should be 2"},
		{"wmma.load.a.sync.aligned.row.m16n16k16.f16 {%r1,%r2,%r3}, [%d0];",
			"k.ptx:10: 3 registers, where there should be 4"},
		{"wmma.load.a.sync.aligned.row.m16n16k16.f16 {%r1,%r2,%r3,%r4}, [s];",
			"k.ptx:10: the address is not in a register"},
		{"wmma.store.a.sync.aligned.row.m16n16k16.f16 [%d0], {%r1,%r2,%r3,%r4};",
			"k.ptx:10: unsupported opcode"},
		{"ldmatrix.sync.aligned.m8n8.x3.shared.b16 {%r1,%r2,%r3}, [%r4];",
			"k.ptx:10: unsupported modifier '.x3' in"},
		{"wgmma.fence.sync.aligned;",
			"k.ptx:10: unsupported opcode 'wgmma.fence.sync.aligned'"},
		{"tcgen05.wait::ld.sync.aligned;",
			"k.ptx:10: unsupported opcode 'tcgen05.wait::ld.sync.aligned'"},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct bench t;
		begin(&t, cases[i].text);
		const char *why = ptx_refusal(ptx_find(t.mod, "k"));
		if (!why || strncmp(why, cases[i].says, strlen(cases[i].says)))
			fail_msg("%s says: %s", cases[i].text, why ? why : "nothing");
		end(&t);
	}
}

/* Fewer than 32 lanes hold no matrix. */
static void test_part_of_a_warp(void **state)
{
	struct bench t;
	const struct ptx_launch l = {.grid = {1, 1, 1}, .block = {16, 1, 1}, .nargs = 2};

	(void)state;
	begin(&t, "mma.sync.aligned.m8n8k16.row.col.s32.u8.u8.s32 {%r3, %r4}, {%r1}, {%r1}, {%r3, "
		  "%r4};");
	const void *args[] = {&t.in, &t.out};
	struct ptx_launch with = l;
	with.kernel = ptx_find(t.mod, "k");
	with.args = args;
	assert_int_equal(ptx_launch(t.m, &with, NULL, &t.err), TR_ERUN);
	assert_non_null(strstr(t.err.msg, "wants all 32 lanes of a warp, and has 16"));
	end(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mma),
		cmocka_unit_test(test_quads),
		cmocka_unit_test(test_saturation),
		cmocka_unit_test(test_wmma),
		cmocka_unit_test(test_wmma_bits),
		cmocka_unit_test(test_matrices),
		cmocka_unit_test(test_few_matrices),
		cmocka_unit_test(test_no_number),
		cmocka_unit_test(test_other_operands),
		cmocka_unit_test(test_clock),
		cmocka_unit_test(test_sinks),
		cmocka_unit_test(test_recorded),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_part_of_a_warp),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
