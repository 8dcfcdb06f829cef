/*
 * Texture fetches on a few texels, worked out by CUDA's rules for them (C Programming Guide,
 * "Texture Fetching"): filtering and its eight bits, integers as numbers up to 1, levels of a
 * mipmap, layers, faces of a cube, and which address is recorded.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sim/ptx/vm.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

#define PLANE "tex.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%d0, {%f0, %f1}];"
#define LEVEL "tex.level.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%d0, {%f0, %f1}], %f2;"
#define LAYER "tex.a2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%d0, {%r1, %f0, %f1, %f1}];"
#define CUBE "tex.cube.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%d0, {%f0, %f1, %f2, %f2}];"

/* A kernel whose threads read four words, %f0 to %f3, fetch, and write %f4 to %f7. */
static struct ptx_module *module_with(const char *fetch)
{
	static const char *const form =
		".version 8.5\n.target sm_90\n.address_size 64\n"
		".visible .entry k(.param .u64 texture, .param .u64 in, .param .u64 out)\n{\n"
		".reg .b64 %%d<4>;\n.reg .b32 %%r<2>;\n.reg .f32 %%f<8>;\n"
		"ld.param.u64 %%d0, [texture];\nld.param.u64 %%d1, [in];\n"
		"ld.param.u64 %%d2, [out];\nmov.u32 %%r0, %%tid.x;\n"
		"mul.wide.u32 %%d3, %%r0, 16;\nadd.u64 %%d1, %%d1, %%d3;\n"
		"add.u64 %%d2, %%d2, %%d3;\n"
		"ld.global.v4.f32 {%%f0, %%f1, %%f2, %%f3}, [%%d1];\n"
		"cvt.rzi.s32.f32 %%r1, %%f2;\n%s\n"
		"st.global.v4.f32 [%%d2], {%%f4, %%f5, %%f6, %%f7};\nret;\n}\n";
	struct ptx_module *mod;
	struct tr_err err;
	char text[2000];
	const int n = snprintf(text, sizeof(text), form, fetch);

	assert_true(n > 0 && n < (int)sizeof(text));
	if (ptx_parse(&mod, text, (size_t)n, "k.ptx", &err) < 0)
		fail_msg("%s", err.msg);
	return mod;
}

/* The value that thread 0 has recorded of its fetch. */
static uint64_t recorded(FILE *trace)
{
	struct tr_reader *r;
	struct tr_walk walk;
	struct tr_cta cta;
	struct tr_err err;
	uint64_t value = 0;

	rewind(trace);
	assert_int_equal(tr_reader_open(&r, trace, NULL, &err), 1);
	tr_cta_init(&cta);
	assert_int_equal(tr_reader_next(r, &err), TR_LAUNCH);
	assert_int_equal(tr_reader_next(r, &err), TR_CTA);
	assert_int_equal(tr_reader_cta(r, &cta, &err), 1);
	tr_walk_start(&walk, tr_reader_program(r), &cta.threads[0]);
	while (tr_walk_next(&walk) == 1)
		if (tr_reader_program(r)->insts[walk.inst].space == TR_S_TEXTURE)
			value = walk.value;
	tr_cta_free(&cta);
	tr_reader_close(r);
	return value;
}

/*
 * n threads fetch from a texture, whose base and whose levels' are offsets into the texels. Returns
 * such an offset: what thread 0 has recorded.
 */
static uint64_t fetch(const char *how, struct ptx_texture t, const void *texels, size_t bytes,
	unsigned n, const float (*in)[4], float (*out)[4])
{
	const struct ptx_machine_options opt = {.resident = PTX_RESIDENT_DEFAULT};
	struct ptx_module *mod = module_with(how);
	struct ptx_machine *m;
	struct tr_writer *w;
	struct tr_err err;
	FILE *trace = tmpfile();
	uint64_t from, to, base, value;

	assert_non_null(trace);
	assert_int_equal(ptx_machine_new(&m, &opt, &err), 1);
	assert_int_equal(ptx_load(m, mod, &err), 1);
	assert_int_equal(tr_writer_open(&w, trace, NULL, &err), 1);
	from = ptx_alloc(m, "in", n * sizeof(*in), &err);
	to = ptx_alloc(m, "out", n * sizeof(*out), &err);
	base = ptx_alloc(m, "texels", bytes, &err);
	assert_true(from && to && base);
	memcpy(ptx_host(m, from, n * sizeof(*in)), in, n * sizeof(*in));
	memcpy(ptx_host(m, base, bytes), texels, bytes);
	t.base += base;
	for (uint32_t i = 0; i < t.nmore; i++)
		t.more[i].base += base;
	const uint64_t texture = ptx_texture_bind(m, 0, &t);
	const void *args[] = {&texture, &from, &to};
	const struct ptx_launch l = {.kernel = ptx_find(mod, "k"),
		.grid = {1, 1, 1},
		.block = {n, 1, 1},
		.args = args,
		.nargs = 3};
	if (ptx_launch(m, &l, w, &err) < 0)
		fail_msg("%s", err.msg);
	memcpy(out, ptx_host(m, to, n * sizeof(*out)), n * sizeof(*out));
	assert_int_equal(tr_writer_close(w, &err), 1);
	value = recorded(trace) - base;
	fclose(trace);
	ptx_machine_free(m);
	ptx_module_free(mod);
	return value;
}

/* Floats in w columns and h rows. */
static struct ptx_texture plane(unsigned w, unsigned h)
{
	return (struct ptx_texture){.size = {w, h, 1},
		.pitch = 4 * w,
		.slice = 4 * w * h,
		.channels = 1,
		.channel_bits = 32,
		.texels = PTX_TEXELS_FLOAT,
		.wrap = {PTX_WRAP_CLAMP, PTX_WRAP_CLAMP, PTX_WRAP_CLAMP}};
}

/* Texels are at halves. Where one is between two of them, it is so in steps of a 256th. */
static void test_filtered(void **state)
{
	static const float texels[] = {0, 256, 512, 768, /* second row */ 4096, 4352, 4608, 4864};
	static const struct {
		float x, y, want;
	} cases[] = {{.5f, .5f, 0}, {1.5f, .5f, 256}, {1.75f, .5f, 320}, {.5f, 1, 2048},
		{2, 1.25f, 384 + 3072}, {-9, -9, 0}, {9, 9, 4864}, {4, .5f, 768},
		{1.5f + .6f / 256, .5f, 257}, {1.5f + .4f / 256, .5f, 256},
		{1.5f + 255.6f / 256, .5f, 512}};
	float in[COUNT(cases)][4] = {{0}}, out[COUNT(cases)][4];
	struct ptx_texture t = plane(4, 2);

	(void)state;
	t.linear = 1;
	for (unsigned i = 0; i < COUNT(cases); i++) {
		in[i][0] = cases[i].x;
		in[i][1] = cases[i].y;
	}
	fetch(PLANE, t, texels, sizeof(texels), COUNT(cases), in, out);
	for (unsigned i = 0; i < COUNT(cases); i++) {
		assert_true(out[i][0] == cases[i].want);
		assert_true(out[i][1] == 0 && out[i][3] == 0); /* channels that there are not */
	}
}

/* What is recorded is the lowest address, also where the lowest index is not. */
static void test_recorded(void **state)
{
	static const float texels[12] = {0};
	static const struct {
		float x, y;
		uint64_t at;
	} cases[] = {{.5f, .25f, 8}, {.5f, .75f, 24 + 8}, {.999f, .25f, 0}, {.001f, .75f, 24}};
	float out[1][4];

	(void)state;
	for (unsigned i = 0; i < COUNT(cases); i++) {
		const float in[1][4] = {{cases[i].x, cases[i].y}};
		struct ptx_texture t = plane(6, 2);

		t.linear = t.normalized = 1;
		t.wrap[0] = PTX_WRAP_WRAP; /* the last column is the first one's neighbour */
		assert_int_equal(fetch(PLANE, t, texels, sizeof(texels), 1, in, out), cases[i].at);
	}
}

/* Signed integers as numbers from -1 to 1, of which the lowest one is no further out. */
static void test_scaled(void **state)
{
	static const int8_t bytes[] = {127, -127, -128, 64};
	static const uint8_t more[] = {255, 0, 51, 1};
	static const float in[1][4] = {{.5f, .5f}};
	float out[1][4];
	struct ptx_texture t = plane(1, 1);

	(void)state;
	t.channels = 4;
	t.channel_bits = 8;
	t.texels = PTX_TEXELS_SIGNED;
	t.scaled = 1;
	fetch(PLANE, t, bytes, sizeof(bytes), 1, in, out);
	assert_true(out[0][0] == 1 && out[0][1] == -1 && out[0][2] == -1);
	assert_true(out[0][3] == (float)(64 / 127.0));
	t.texels = PTX_TEXELS_UNSIGNED;
	fetch(PLANE, t, more, sizeof(more), 1, in, out);
	assert_true(out[0][0] == 1 && out[0][1] == 0 && out[0][2] == .2f);
	assert_true(out[0][3] == (float)(1 / 255.0));
}

/*
 * 6 x 3 texels, 3 x 1 and 1 x 1: each says its level and its column. The nearest level, or two that
 * are weighed, within bounds.
 */
static void test_levels(void **state)
{
	static const float texels[] = {0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5,
		/* level 1 */ 100, 101, 102, /* level 2 */ 200};
	static const struct {
		float lod, bias, least, most;
		int blends;
		float want; /* at .9 of the width */
	} cases[] = {{0, 0, 0, 9, 0, 5}, {.4f, 0, 0, 9, 0, 5}, {.6f, 0, 0, 9, 0, 102},
		{1.4f, 0, 0, 9, 0, 102}, {1.6f, 0, 0, 9, 0, 200}, {7, 0, 0, 9, 0, 200},
		{-3, 0, 0, 9, 0, 5}, {2, 0, 0, 1, 0, 102}, {0, 0, 1, 9, 0, 102},
		{0, 1, 0, 9, 0, 102}, {2, -1, 0, 9, 0, 102}, {.5f, 0, 0, 9, 1, 5 + 97 / 2.f},
		{1.25f, 0, 0, 9, 1, 102 + 98 / 4.f}, {7, 0, 0, 9, 1, 200}, {1, 0, 0, 9, 1, 102}};

	(void)state;
	for (unsigned i = 0; i < COUNT(cases); i++) {
		const float in[1][4] = {{.9f, .9f, cases[i].lod}};
		float out[1][4];
		struct ptx_texture t = plane(6, 3);

		t.normalized = 1;
		t.nmore = 2;
		t.more[0] = (struct ptx_level){4 * 18, 12, 12};
		t.more[1] = (struct ptx_level){4 * 21, 4, 4};
		t.bias = cases[i].bias;
		t.min_level = cases[i].least;
		t.max_level = cases[i].most;
		t.blends = (uint8_t)cases[i].blends;
		fetch(LEVEL, t, texels, sizeof(texels), 1, in, out);
		assert_true(out[0][0] == cases[i].want);
	}
}

/* Of layers beyond the last one it is the last. */
static void test_layers(void **state)
{
	static const float texels[] = {0, 1, 10, 11, 20, 21};
	static const float in[4][4] = {
		{1.5f, .5f, 0}, {.5f, .5f, 1}, {1.5f, .5f, 2}, {.5f, .5f, 9}};
	static const float want[] = {1, 10, 21, 20};
	float out[4][4];
	struct ptx_texture t = plane(2, 1);

	(void)state;
	t.layers = 3;
	fetch(LAYER, t, texels, sizeof(texels), 4, in, out);
	for (unsigned i = 0; i < 4; i++)
		assert_true(out[i][0] == want[i]);
}

/*
 * The guide's table: the face of the longest direction, where on it by s and t, the axes that lie
 * beside it. The texel of a half is where s, or t, is above 0.
 */
static void test_cube(void **state)
{
	static const struct {
		int axis, back, s, s_sign, t, t_sign;
	} faces[] = {{0, 0, 2, -1, 1, -1}, {0, 1, 2, 1, 1, -1}, {1, 0, 0, 1, 2, 1},
		{1, 1, 0, 1, 2, -1}, {2, 0, 0, 1, 1, -1}, {2, 1, 0, -1, 1, -1}};
	float texels[6][4], in[24][4] = {{0}}, out[24][4];
	struct ptx_texture t = plane(2, 2);

	(void)state;
	t.layers = 6;
	t.normalized = 1;
	for (unsigned f = 0; f < 6; f++)
		for (unsigned i = 0; i < 4; i++) {
			texels[f][i] = (float)(10 * f + i);
			in[4 * f + i][faces[f].axis] = faces[f].back ? -2 : 2;
			in[4 * f + i][faces[f].s] = (float)faces[f].s_sign * (i & 1 ? 1 : -1);
			in[4 * f + i][faces[f].t] = (float)faces[f].t_sign * (i & 2 ? 1 : -1);
		}
	fetch(CUBE, t, texels, sizeof(texels), 24, (const float(*)[4])in, out);
	for (unsigned i = 0; i < 24; i++)
		assert_true(out[i][0] == (float)(10 * (i / 4) + i % 4));
}

/* Who is unbound is gone, and the others are not. */
static void test_bound(void **state)
{
	const struct ptx_machine_options opt = {.resident = PTX_RESIDENT_DEFAULT};
	uint64_t handle[20];
	struct ptx_machine *m;
	struct tr_err err;

	(void)state;
	assert_int_equal(ptx_machine_new(&m, &opt, &err), 1);
	for (unsigned i = 0; i < 20; i++) {
		const struct ptx_texture t = plane(1 + i, 1);

		handle[i] = ptx_texture_bind(m, 0, &t);
		assert_true(handle[i]);
	}
	for (unsigned gone = 0; gone < 20; gone += 3) {
		assert_int_equal(ptx_texture_unbind(m, handle[gone]), 1);
		assert_int_equal(ptx_texture_unbind(m, handle[gone]), 0);
		for (unsigned i = 0; i < 20; i++) {
			const struct ptx_texture *t = ptx_texture_bound(m, handle[i]);

			if (i <= gone && i % 3 == 0)
				assert_null(t);
			else
				assert_int_equal(t->size[0], 1 + i);
		}
	}
	ptx_machine_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_filtered),
		cmocka_unit_test(test_recorded),
		cmocka_unit_test(test_scaled),
		cmocka_unit_test(test_levels),
		cmocka_unit_test(test_layers),
		cmocka_unit_test(test_cube),
		cmocka_unit_test(test_bound),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
