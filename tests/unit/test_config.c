/*
 * The machine's parameters: every key printed, set and bounded; texts with every kind of mistake;
 * what only makes sense together. The presets: complete, each key with its source, and holding
 * what their papers' tables say, written down here a second time. MODEL.md's list of keys is the
 * table's own (UPDATE=1 renews it).
 */
#include "sim/base/words.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* 200 letters */
#define FORTY "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define LONG FORTY FORTY FORTY FORTY FORTY

static const char *const presets[] = {"dwr", "tbc", "crown", "crown-wide", "crown-deep",
	"crown-512", "crown-512-deep", "ccws", "daws-spmv", "vws", "vws-4", "vws-8", "vws-16",
	"k20c", NULL};
static const char *const today[] = {"v100", "a100", "h100", "rtx3070", "rtx4090", NULL};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* Of all of them; NULL: there are no more. */
static bool is_today(int i)
{
	return i >= (int)COUNT(presets) - 1;
}

static const char *name_at(int i)
{
	return is_today(i) ? today[i - (int)COUNT(presets) + 1] : presets[i];
}

static char *read_file(const char *path)
{
	FILE *f = fopen(path, "rb");
	char *text = calloc(1, 1 << 20);

	if (!f || !text)
		fail_msg("cannot read %s", path);
	text[fread(text, 1, (1 << 20) - 1, f)] = 0;
	fclose(f);
	return text;
}

static char *preset_text(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "datasets/machines/%s.ini", name);
	return read_file(path);
}

static struct sim_config preset(const char *name)
{
	struct sim_config c;
	struct tr_err err = {0};
	char base[64], *text = preset_text(name);

	sim_config_default(&c);
	if (sim_config_base(text, base, sizeof(base)))
		c = preset(base);
	if (sim_config_read(&c, text, name, &err) < 0)
		fail_msg("%s", err.msg);
	free(text);
	return c;
}

static const char *value(const struct sim_config *c, const char *name)
{
	static struct sim_key key;

	for (unsigned i = 0; sim_config_key(c, i, &key); i++)
		if (!strcmp(key.name, name))
			return key.value;
	fail_msg("no key %s", name);
	return NULL;
}

static void set(struct sim_config *c, const char *key, const char *text)
{
	struct tr_err err = {0};

	if (sim_config_set(c, key, text, &err) < 0)
		fail_msg("%s", err.msg);
}

static void expect(const char *msg, const char *part)
{
	if (!strstr(msg, part))
		fail_msg("'%s' lacks '%s'", msg, part);
}

/* ---- keys ---- */

static void test_every_key(void **state)
{
	struct sim_config c, before;
	struct sim_key key, again;
	unsigned n = 0;

	(void)state;
	sim_config_default(&c);
	for (; sim_config_key(&c, n, &key); n++) {
		assert_non_null(strchr(key.name, '.'));
		assert_true(*key.help && *key.value && *key.bounds);
		for (unsigned i = 0; i < n; i++) {
			assert_true(sim_config_key(&c, i, &again));
			assert_string_not_equal(key.name, again.name);
		}
		/* What is printed can be set, and changes nothing. */
		before = c;
		set(&c, key.name, key.value);
		assert_memory_equal(&c, &before, sizeof(c));
		/* Nonsense is refused, and changes nothing. */
		assert_int_equal(sim_config_set(&c, key.name, "", NULL), TR_EUSAGE);
		if (strcmp(key.name, "sm.scheduler"))
			assert_int_equal(sim_config_set(&c, key.name, "-1", NULL), TR_EUSAGE);
		if (strcmp(key.name, "sm.scheduler"))
			assert_int_equal(
				sim_config_set(&c, key.name, "5000000000", NULL), TR_EUSAGE);
		assert_memory_equal(&c, &before, sizeof(c));
	}
	assert_in_range(n, 100, 300);
}

/* Both ends of "A to B" can be set, and print as they were given. */
static void test_bounds(void **state)
{
	struct sim_config c;
	struct sim_key key, now;

	(void)state;
	for (unsigned i = 0;; i++) {
		char min[32], max[32];

		sim_config_default(&c);
		if (!sim_config_key(&c, i, &key))
			break;
		if (sscanf(key.bounds, "%31s to %31[0-9KM]", min, max) != 2)
			continue;
		for (int end = 0; end < 2; end++) {
			set(&c, key.name, end ? max : min);
			sim_config_key(&c, i, &now);
			assert_string_equal(now.value, end ? max : min);
		}
	}
}

static void refused(const char *key, const char *text, const char *why)
{
	struct sim_config c;
	struct tr_err err = {0};

	sim_config_default(&c);
	assert_int_equal(sim_config_set(&c, key, text, &err), TR_EUSAGE);
	expect(err.msg, why);
}

static void test_setting(void **state)
{
	struct sim_config c;

	(void)state;
	sim_config_default(&c);
	set(&c, "l1d.size", "64k");
	assert_int_equal(c.l1d.size_bytes, 65536);
	assert_int_equal(c.l1d.g.sets, 64);
	assert_string_equal(value(&c, "l1d.size"), "64K");
	set(&c, "l1d.size", "8M");
	assert_int_equal(c.l1d.g.sets, 8192);
	set(&c, "l1d.size", "unbounded");
	assert_int_equal(c.l1d.g.sets, 0);
	assert_string_equal(value(&c, "l1d.size"), "unbounded");
	set(&c, "l1d", "perfect");
	set(&c, "memory", "perfect");
	set(&c, "l2", "absent");
	assert_int_equal(c.l1d.part, SIM_PERFECT);
	assert_int_equal(c.memory.part, SIM_PERFECT);
	assert_int_equal(c.l2.part, SIM_ABSENT);
	set(&c, "coalesce.width", "16");
	assert_int_equal(c.coalesce.width, 16);
	set(&c, "coalesce.width", "warp");
	assert_int_equal(c.coalesce.width, 0);
	set(&c, "coalesce.rule", "sector32");
	assert_int_equal(c.coalesce.rule, SIM_SECTOR32);
	set(&c, "sm.scheduler", "swl:limit=4");
	assert_string_equal(c.scheduler, "swl:limit=4");
	set(&c, "latency.fp32", "9");
	assert_int_equal(c.latency[TR_C_FP32], 9);
	set(&c, "interval.other", "3");
	assert_int_equal(c.interval[TR_C_OTHER], 3);

	refused("sm.smss", "1", "unknown key 'sm.smss', did you mean 'sm.sms'?");
	refused("hit_latency", "1", "unknown key 'hit_latency'");
	refused("", "1", "unknown key ''");
	refused("sm", "perfect", "unknown key 'sm'");
	refused("sm.sms", "0", "sm.sms: '0' is outside 1 to 1024");
	refused("sm.sms", "1025", "outside 1 to 1024");
	refused("sm.sms", "no", "sm.sms: 'no' is no number");
	refused("sm.sms", "4K", "no number");
	refused("sm.sms", "4 4", "no number");
	refused("sm.sms", "+4", "no number");
	refused("sm.warp_size", "24", "not one of 1 to 256, a power of two");
	refused("l1d.size", "0", "outside 32 to 1024M, or unbounded");
	refused("l1d.size", "4294967328", "outside");
	refused("l1d.size", "99999999999999999999", "no number");
	refused("l1d.size", "9999999999999999G", "no number");
	refused("l2.size", "unbounded", "no number");
	refused("l1d.index", "hsah", "l1d.index: 'hsah' is none of modulo, hash, xor or ipoly");
	refused("l1d.part", "absent", "none of real or perfect");
	refused("l2.part", "gone", "none of real, perfect or absent");
	refused("l1d.sector_bytes", "64", "outside 32 or none");
	refused("sm.scheduler",
		"a-name-of-more-than-sixty-three-letters-which-no-scheduler-ever-had-or-will-have",
		"no scheduler");
}

/* Size, line and ways come in any order. */
static void test_geometry_order(void **state)
{
	static const char *const sets[3][2] = {
		{"l1d.size", "48K"}, {"l1d.line", "64"}, {"l1d.ways", "12"}};
	static const int orders[6][3] = {
		{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
	struct sim_config c;

	(void)state;
	for (int o = 0; o < 6; o++) {
		sim_config_default(&c);
		for (int k = 0; k < 3; k++)
			set(&c, sets[orders[o][k]][0], sets[orders[o][k]][1]);
		assert_int_equal(c.l1d.g.sets, 64);
		assert_int_equal(sim_config_check(&c, NULL), 1);
	}
}

/* ---- texts ---- */

static void test_texts(void **state)
{
	static const struct {
		const char *text, *why;
	} bad[] = {
		{"[sm]\nsms = 3\nsmss = 4\n",
			"line 3: unknown key 'sm.smss', did you mean 'sm.sms'?"},
		{"[ms]\nsms = 3\n", "line 2: unknown key 'ms.sms', did you mean 'sm.sms'?"},
		{"sms = 3\n", "line 1: unknown key 'sms'"},
		{"[sm]\nsms = 0\n", "line 2: sm.sms: '0' is outside 1 to 1024"},
		{"[sm]\nsms =\n", "line 2: sm.sms: '' is no number"},
		{"[sm]\nsms = # none\n", "line 2: sm.sms: '' is no number"},
		{"[sm]\nsms = 3\n\nsms = 3\n", "line 4: 'sm.sms' is given twice"},
		{"[sm]\nsms = 3\n  4\n", "line 3: it is no 'key = value'"},
		{"[sm]\n  sms = 3\n\tsms = 4\n", "line 3: 'sm.sms' is given twice"},
		{"[sm]\nsms\n", "line 2: it is no 'key = value'"},
		{"[sm\nsms = 3\n", "line 1: it is no 'key = value'"},
		{"[l1d]\nl1d.size = 3\n", "unknown key 'l1d.l1d.size'"},
		{"l1d = perfect\n", "line 1: unknown key 'l1d'"},
		{"[sm]\nbase = ccws\n", "unknown key 'sm.base'"},
		{"[sm]\nthis_is_a_key_that_is_longer_than_any_other_key_that_there_could_ever_be_"
		 "in_"
		 "such_a_file_as_this = 1\n",
			"line 2: the line is too long"},
		{"base = ccws\nbase = tbc\n", "line 2: 'base' is given twice"},
		{"base = ccws\n base = tbc\n", "line 2: 'base' is given twice"},
		{"base =\n", "line 1: 'base' names no machine"},
		{"base = # ccws\n", "line 1: 'base' names no machine"},
		{"[sm]\nsms = 3" LONG "0\n", "line 2: the line is too long"},
		{"\nbase = " LONG "\n", "line 2: the line is too long"},
		{"sms\nbase = " LONG "\n", "line 1: it is no 'key = value'"},
	};
	struct sim_config c;
	struct tr_err err;
	char base[32];

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		sim_config_default(&c);
		memset(&err, 0, sizeof(err));
		assert_int_equal(sim_config_read(&c, bad[i].text, "m.ini", &err), TR_EDATA);
		assert_int_equal(err.code, TR_EDATA);
		expect(err.msg, "cannot read 'm.ini': line ");
		expect(err.msg, bad[i].why);
	}
	sim_config_default(&c);
	assert_int_equal(sim_config_read(&c, "", "m", NULL), 1);
	assert_int_equal(
		sim_config_read(&c, "# about\r\nbase = tbc  # theirs\r\n\r\n[sm]\r\nsms=7# x\r\n",
			"m", &err),
		TR_EDATA);
	expect(err.msg, "'7# x' is no number");
	assert_int_equal(
		sim_config_read(&c, "base = tbc\n[sm]\nsms=7 # x\nwarp_size = 8\n", "m", NULL), 1);
	assert_int_equal(c.sm.sms, 7);
	assert_int_equal(c.sm.warp_size, 8);
	/* Lines may be indented, each by as much as it likes. */
	assert_int_equal(
		sim_config_read(&c,
			" base = tbc\n  [sm]\n\tsms = 5\n \t # x\n  \n    warp_size = 16\n", "m",
			&err),
		1);
	assert_int_equal(c.sm.sms, 5);
	assert_int_equal(c.sm.warp_size, 16);
	assert_int_equal(sim_config_base("\n  base = tbc\n", base, sizeof(base)), 2);
	assert_int_equal(sim_config_line("base = tbc\n  [sm]\n  sms = 5\n", "sm.sms"), 3);
	assert_int_equal(sim_config_base("base = tbc  # it\n[sm]\n", base, sizeof(base)), 1);
	assert_string_equal(base, "tbc");
	assert_int_equal(sim_config_base("[sm]\nbase = tbc\n", base, sizeof(base)), 0);
	assert_int_equal(sim_config_base("", base, sizeof(base)), 0);
	assert_int_equal(
		sim_config_base("#" LONG "\n# it\nbase = tbc # " LONG, base, sizeof(base)), 3);
	assert_string_equal(base, "tbc");
	assert_int_equal(sim_config_base("base = tbc\n[sm]\nsms\n", base, 3), TR_EDATA);
	/* A comment may be of any length, also one that would be a line of its own where it is cut.
	 */
	assert_int_equal(
		sim_config_read(&c, "[sm]\n# " LONG LONG "\nsms = 9 # " LONG "\n", "m", &err), 1);
	assert_int_equal(c.sm.sms, 9);
}

/* Whatever a text is: an answer, and only values that can be printed and set again. */
static void test_garbage(void **state)
{
	char *whole = preset_text("ccws"), *text = calloc(1, strlen(whole) + 1);
	uint64_t seed = 1;

	(void)state;
	for (int round = 0; round < 3000; round++) {
		struct sim_config c;
		struct sim_key key;
		const size_t len = strlen(whole);

		strcpy(text, whole);
		for (int flips = 0; flips < 4; flips++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			text[(seed >> 33) % len] = (char)(seed >> 17);
		}
		sim_config_default(&c);
		(void)sim_config_read(&c, text, "garbage", NULL);
		for (unsigned i = 0; sim_config_key(&c, i, &key); i++)
			assert_int_equal(sim_config_set(&c, key.name, key.value, NULL), 1);
		(void)sim_config_check(&c, NULL);
	}
	free(whole);
	free(text);
}

/* ---- together ---- */

static void clash(const char *why, const char *settings)
{
	char text[256], *key, *rest = text;
	struct tr_err err = {0};
	struct sim_config c;

	sim_config_default(&c);
	snprintf(text, sizeof(text), "%s", settings);
	while ((key = strtok_r(rest, " ", &rest))) {
		char *equals = strchr(key, '=');

		*equals = 0;
		set(&c, key, equals + 1);
	}
	assert_int_equal(sim_config_check(&c, &err), TR_EUSAGE);
	expect(err.msg, why);
}

static void test_together(void **state)
{
	struct sim_config c;

	(void)state;
	sim_config_default(&c);
	assert_int_equal(sim_config_check(&c, NULL), 1);
	clash("l1d.size, l1d.ways, l1d.line: 40000 bytes are no whole number of sets of 8 ways of "
	      "128 bytes",
		"l1d.size=40000");
	clash("l1d.size, l1d.ways, l1d.line: 3 sets are no power of two",
		"l1d.size=3K l1d.ways=8 l1d.line=128");
	clash("l2.size, l2.ways, l2.line: 1024 bytes are no whole", "l2.size=1024 l2.ways=16");
	clash("constant.size", "constant.size=96");
	clash("texture.size", "texture.ways=3");
	clash("l1d.line: 512 bytes are more than l2.interleave_bytes, 256", "l1d.line=512");
	clash("dram.row_bytes: 64 bytes are less than l2.line, 128", "dram.row_bytes=64");
	clash("dram.tRC: 35 is less than dram.tRAS, 36", "dram.tRAS=36");
	clash("dram.slices: 3 do not divide l2.slices, 8", "dram.slices=3");
	clash("l2.slice_of: ipoly wants a power of two of slices, and l2.slices is 80",
		"l2.slice_of=ipoly l2.slices=80");
	clash("sm.shared_reserved: 2048 bytes of each CTA leave it nothing of sm.shared_per_sm, "
	      "2048",
		"sm.shared_per_sm=2K sm.shared_reserved=2K");
	clash("dram.groups: 3 do not divide dram.banks, 8", "dram.groups=3");
	clash("dram.group_bytes: 64 is not between l2.line, 128, and dram.row_bytes, 2048",
		"dram.group_bytes=64");
	clash("dram.group_bytes: 4096 is not", "dram.group_bytes=4K");
	clash("dram.tREFI: 7 is less than dram.banks, 8", "dram.tREFI=7");
	/* tRFC 100, tRC 35, tRAS 25, tRP 10, tRCD 12, tRRD 8, tCL 10, a burst 8, tWR 13, tWTR 6,
	 * tCCD 2: 229 */
	clash("dram.tREFI: 229 leaves no time for a request: it is to be more than dram.tRFC, "
	      "dram.tRAS, dram.tRP, dram.tRC, dram.tRRD, dram.tRRDL, dram.tFAW, dram.tRCD, "
	      "dram.tCL, dram.tWR, dram.tWTR, dram.tCCD, dram.tCCDL and a burst together, 229",
		"dram.tREFI=229 dram.tRFC=100");
	sim_config_default(&c);
	set(&c, "dram.tREFI", "230");
	set(&c, "dram.tRFC", "100");
	assert_int_equal(sim_config_check(&c, NULL), 1);
	clash("dram.tREFI: 9000 leaves no time", "dram.tREFI=9000 dram.tRCD=9000");
	clash("dram.tREFI: 100 leaves no time", "dram.tREFI=100 dram.tRRD=10000");
	clash("sm.threads_per_sm: 64 are less than sm.warp_size, 128",
		"sm.threads_per_sm=64 sm.warp_size=128");
}

/* ---- presets ---- */

static void test_presets(void **state)
{
	struct sim_config ccws = preset("ccws"), c;
	struct tr_err err = {0};

	(void)state;
	sim_config_default(&c);
	assert_memory_equal(&c, &ccws, sizeof(c));
	for (int i = 0; name_at(i); i++) {
		c = preset(name_at(i));
		if (sim_config_check(&c, &err) < 0)
			fail_msg("%s: %s", name_at(i), err.msg);
	}
}

/* Every key is there, but where the file has a base; and every key says where it comes from. */
static void test_sources(void **state)
{
	(void)state;
	for (int i = 0; name_at(i); i++) {
		char *text = preset_text(name_at(i)), *rest = text, *line, base[32];
		const bool has_base = sim_config_base(text, base, sizeof(base));
		struct sim_key key;
		struct sim_config c;
		unsigned keys = 0, lines = 0;

		sim_config_default(&c);
		for (unsigned k = 0; sim_config_key(&c, k, &key); k++)
			keys += !key.today || is_today(i);
		assert_int_equal(*text, '#');
		while ((line = strsep(&rest, "\n"))) {
			const char *source = strchr(line, '#');

			if (strlen(line) > 100)
				fail_msg("%s: longer than 100 letters: %s", name_at(i), line);
			if (!*line || *line == '#' || *line == '[' || !strncmp(line, "base", 4))
				continue;
			lines++;
			if (!source || strlen(source) < 6)
				fail_msg("%s: no source: %s", name_at(i), line);
		}
		if (!has_base)
			assert_int_equal(lines, keys);
		free(text);
	}
}

/* The papers' own figures. */
static void test_papers(void **state)
{
	static const struct {
		const char *machine, *key, *value;
	} facts[] = {
		/* Lashgar et al. 2012, II and V */
		{"dwr", "sm.sms", "16"},
		{"dwr", "sm.threads_per_sm", "1024"},
		{"dwr", "sm.registers_per_sm", "16384"},
		{"dwr", "sm.shared_per_sm", "16K"},
		{"dwr", "sm.simd_width", "8"},
		{"dwr", "sm.one_pipeline", "yes"},
		{"dwr", "latency.fp32", "24"},
		{"dwr", "l1d.size", "48K"},
		{"dwr", "l1d.ways", "12"},
		{"dwr", "l1d.line", "64"},
		{"dwr", "l2.part", "absent"},
		{"dwr", "l2.slices", "6"},
		/* Fung, Aamodt 2011, table 2 */
		{"tbc", "sm.sms", "30"},
		{"tbc", "sm.simd_width", "8"},
		{"tbc", "sm.one_in_flight", "yes"},
		{"tbc", "sm.one_pipeline", "yes"},
		{"tbc", "sm.scheduler", "lrr"},
		{"tbc", "l1d.size", "32K"},
		{"tbc", "l1d.line", "64"},
		{"tbc", "l1d.ways", "8"},
		{"tbc", "texture.ways", "16"},
		{"tbc", "l2.size", "1M"},
		{"tbc", "l2.ways", "64"},
		{"tbc", "clock.core", "1300"},
		{"tbc", "clock.icnt", "650"},
		{"tbc", "clock.dram", "800"},
		{"tbc", "dram.queue", "32"},
		{"tbc", "dram.order", "fr-fcfs"},
		/* Rogers, tables 3.1 and 4.1; chapter 5 */
		{"ccws", "sm.sms", "30"},
		{"ccws", "l1d.size", "32K"},
		{"ccws", "l1d.line", "128"},
		{"ccws", "l1d.ways", "8"},
		{"ccws", "l2.slices", "8"},
		{"ccws", "l2.size", "128K"},
		{"ccws", "dram.tCL", "10"},
		{"ccws", "dram.tRP", "10"},
		{"ccws", "dram.tRC", "35"},
		{"ccws", "dram.tRAS", "25"},
		{"ccws", "dram.tRCD", "12"},
		{"ccws", "dram.tRRD", "8"},
		{"ccws", "dram.bytes_per_cycle", "16"},
		{"ccws", "l1d.hit_latency", "10"},
		{"ccws", "dram.banks", "8"},
		{"daws-spmv", "sm.shared_per_sm", "48K"},
		{"daws-spmv", "l1d.size", "32K"},
		/* slides 41, 68 to 71 */
		{"crown", "sm.threads_per_sm", "1024"},
		{"crown", "sm.simd_width", "8"},
		{"crown", "latency.int", "8"},
		{"crown", "coalesce.width", "8"},
		{"crown-wide", "sm.simd_width", "16"},
		{"crown-wide", "coalesce.width", "16"},
		{"crown-wide", "latency.int", "8"},
		{"crown-deep", "sm.simd_width", "8"},
		{"crown-deep", "latency.int", "16"},
		{"crown-deep", "latency.exit", "16"},
		{"crown-deep", "l1d.hit_latency", "16"},
		{"crown-512", "sm.threads_per_sm", "512"},
		{"crown-512", "latency.int", "8"},
		{"crown-512-deep", "sm.threads_per_sm", "512"},
		{"crown-512-deep", "latency.int", "16"},
		/* Rogers, table 6.1 */
		{"vws", "sm.sms", "1"},
		{"vws", "sm.simd_width", "32"},
		{"vws", "l1d.size", "64K"},
		{"vws", "l2.size", "128K"},
		{"vws", "dram.bytes_per_cycle", "32"},
		{"vws", "latency.int", "10"},
		/* Rogers, section 6.4.1: 32 thread instructions a cycle at each warp size */
		{"vws-4", "sm.warp_size", "4"},
		{"vws-4", "sm.schedulers", "8"},
		{"vws-8", "sm.warp_size", "8"},
		{"vws-8", "sm.schedulers", "4"},
		{"vws-16", "sm.warp_size", "16"},
		{"vws-16", "sm.schedulers", "2"},
		{"vws-16", "l1d.size", "64K"},
		{"vws-4", "sm.lsu_rate", "1"}, /* 6.3: the same memory system */
		/* Wang et al. 2015, table 2 */
		{"k20c", "clock.core", "706"},
		{"k20c", "clock.dram", "2600"},
		{"k20c", "sm.sms", "13"},
		{"k20c", "sm.ctas_per_sm", "16"},
		{"k20c", "sm.threads_per_sm", "2048"},
		{"k20c", "sm.registers_per_sm", "65536"},
		{"k20c", "sm.shared_per_sm", "48K"},
		{"k20c", "l1d.size", "16K"},
		{"k20c", "launch.kde", "32"},
		{"k20c", "launch.hwq", "32"},
		{"k20c", "launch.agt", "1K"},
		{"k20c", "launch.search", "1"},
		{"k20c", "launch.stream", "7165"},
		{"k20c", "launch.buffer", "8023"},
		{"k20c", "launch.buffer_thread", "129"},
		{"k20c", "launch.device", "12187"},
		{"k20c", "launch.device_thread", "1592"},
		{"k20c", "launch.dispatch", "283"},
		/* JEDEC: 4 groups, of a pseudo-channel, and of each stack ID */
		{"v100", "dram.groups", "4"},
		{"a100", "dram.groups", "4"},
		{"h100", "dram.groups", "8"},
		{"rtx3070", "dram.groups", "4"},
		{"rtx4090", "dram.groups", "4"},
		{"v100", "dram.commands", "two"},
		{"rtx4090", "dram.commands", "one"},
		/* CUDA guide: 1 KB of each CTA from 8.0 on */
		{"v100", "sm.shared_reserved", "0"},
		{"a100", "sm.shared_reserved", "1K"},
		{"h100", "sm.shared_reserved", "1K"},
		{"rtx3070", "sm.shared_reserved", "1K"},
		{"rtx4090", "sm.shared_reserved", "1K"},
		/* JEDEC: a pseudo-channel of HBM each, and two at each of 16 and 24 channels of
		   GDDR6 */
		{"v100", "dram.slices", "1"},
		{"a100", "dram.slices", "1"},
		{"h100", "dram.slices", "1"},
		{"rtx3070", "dram.slices", "2"},
		{"rtx4090", "dram.slices", "2"},
		{"ccws", "dram.slices", "1"},
		{"ccws", "sm.shared_reserved", "0"},
		{"ccws", "l2.slice_of", "modulo"},
		{"v100", "l2.slice_of", "ipoly"},
		{"a100", "l2.slice_of", "hash"},
		{"h100", "l2.slice_of", "hash"},
		{"rtx3070", "l2.slice_of", "ipoly"},
		{"rtx4090", "l2.slice_of", "hash"},
		{"ccws", "dram.groups", "1"},
		{"ccws", "dram.tREFI", "0"},
		{"dwr", "dram.commands", "one"},
	};
	struct sim_config c;

	(void)state;
	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++) {
		c = preset(facts[i].machine);
		if (strcmp(value(&c, facts[i].key), facts[i].value))
			fail_msg("%s: %s is %s", facts[i].machine, facts[i].key,
				value(&c, facts[i].key));
	}
	/* The bandwidths that follow, in GB/s: 76.8 of dwr, 208 of the K20c, and 102.4 of the
	 * Quadro FX 5800 that ccws and tbc are. */
	c = preset("dwr");
	assert_int_equal(c.l1d.g.sets, 64);
	assert_int_equal(c.l2.slices * c.dram.bytes_per_cycle * c.clock.dram, 76800);
	c = preset("k20c");
	assert_int_equal(c.l2.slices * c.dram.bytes_per_cycle * c.clock.dram, 208000);
	c = preset("ccws");
	assert_int_equal(c.l2.slices * c.dram.bytes_per_cycle * c.clock.dram, 102400);
	assert_int_equal(c.clock.core * c.sm.simd_width, 1300 * 8);
}

/* ---- MODEL.md ---- */

/* A table of machines and all keys, or those that papers' machines have, with its last newline. */
static char *key_table(const char *const *names, bool all)
{
	struct sim_config c[sizeof(presets) / sizeof(presets[0])];
	struct sim_key key;
	char *text;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	assert_non_null(f);
	fputs(all ? "| key of today's |" : "| key |", f);
	for (int m = 0; names[m]; m++) {
		c[m] = preset(names[m]);
		fprintf(f, " %s |", names[m]);
	}
	fputs(" unit | meaning | bounds |\n|---|", f);
	for (int m = 0; names[m]; m++)
		fputs("---|", f);
	fputs("---|---|---|\n", f);
	for (unsigned i = 0; sim_config_key(&c[0], i, &key); i++) {
		if (key.today && !all)
			continue;
		fprintf(f, "| `%s` |", key.name);
		for (int m = 0; names[m]; m++) {
			sim_config_key(&c[m], i, &key);
			fprintf(f, " %s |", key.value);
		}
		fprintf(f, " %s | %s | %s |\n", key.unit, key.help, key.bounds);
	}
	fclose(f);
	return text;
}

/* MODEL.md's table under a heading is this one. */
static void model_table(const char *heading, char *table)
{
	const char *update = getenv("UPDATE");
	char *model = read_file("MODEL.md");
	char *from = strstr(model, heading), *to = from ? strstr(from, "\n\n") : NULL;
	FILE *f;

	assert_non_null(from);
	assert_non_null(to);
	to++;
	if (update && !strcmp(update, "1")) {
		f = fopen("MODEL.md", "wb");
		assert_non_null(f);
		fprintf(f, "%.*s%s%s", (int)(from - model), model, table, to);
		assert_int_equal(fclose(f), 0);
	} else if (strlen(table) != (size_t)(to - from) || strncmp(from, table, strlen(table))) {
		fail_msg("the table of keys in MODEL.md is not that of sim/base/config.c");
	}
	free(model);
	free(table);
}

static void test_model_table(void **state)
{
	(void)state;
	model_table("| key |", key_table(presets, false));
	if (*today)
		model_table("| key of today's |", key_table(today, true));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_key),
		cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_setting),
		cmocka_unit_test(test_geometry_order),
		cmocka_unit_test(test_texts),
		cmocka_unit_test(test_garbage),
		cmocka_unit_test(test_together),
		cmocka_unit_test(test_presets),
		cmocka_unit_test(test_sources),
		cmocka_unit_test(test_papers),
		cmocka_unit_test(test_model_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
