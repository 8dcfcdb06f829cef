/*
 * The coalescer: the table of 11 access patterns by 4 rules, what the table does not say (gaps,
 * order, words of other sizes, straddling), and random accesses against a twin that looks at every
 * byte. Bank conflicts: strides in closed form, and a twin that compares all words with all others.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "coalesce_twin.h"
#include <stdlib.h>
#include <string.h>

static uint64_t rng;

static uint32_t dice(uint32_t n)
{
	rng = rng * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(rng >> 33) % n;
}

static const uint64_t all32[4] = {0xffffffff};

/* ---- the table ---- */

struct pattern {
	const char *name;
	unsigned stride, offset; /* words and bytes */
	unsigned cc10, cc12, cc12_bytes, cc2, sectors;
};

static const struct pattern patterns[] = {
	{"stride 1", 1, 0, 2, 2, 128, 1, 4},
	{"stride 2", 2, 0, 32, 2, 256, 2, 8},
	{"stride 3", 3, 0, 32, 4, 384, 3, 12},
	{"stride 4", 4, 0, 32, 4, 512, 4, 16},
	{"stride 8", 8, 0, 32, 8, 1024, 8, 32},
	{"stride 16", 16, 0, 32, 16, 2048, 16, 32},
	{"stride 32", 32, 0, 32, 32, 1024, 32, 32},
	{"stride 100", 100, 0, 32, 32, 1024, 32, 32},
	{"+4 B", 1, 4, 32, 3, 224, 2, 5},
	{"+32 B", 1, 32, 32, 3, 192, 2, 4},
	{"+64 B", 1, 64, 2, 2, 128, 2, 4},
	{"broadcast", 0, 0, 32, 2, 64, 1, 1},
};

struct answer {
	struct sim_transaction t[SIM_TRANSACTIONS_MAX];
	unsigned n, size, sectors, bytes;
};

static void ask(struct answer *a, enum sim_rule rule, unsigned width, unsigned line, unsigned size,
	const uint64_t *lanes, const uint64_t *address, unsigned bytes)
{
	const struct sim_coalescer c = {.rule = rule, .line_bytes = line, .width = width};

	a->n = sim_coalesce(&c, size, lanes, address, bytes, a->t, SIM_TRANSACTIONS_MAX);
	a->size = a->sectors = a->bytes = 0;
	for (unsigned i = 0; i < a->n; i++) {
		a->size += a->t[i].size;
		a->sectors += (unsigned)__builtin_popcount(a->t[i].sectors);
		a->bytes += a->t[i].bytes;
	}
}

static void test_table(void **state)
{
	struct answer a;

	(void)state;
	for (size_t k = 0; k < sizeof(patterns) / sizeof(patterns[0]); k++) {
		const struct pattern *p = &patterns[k];
		uint64_t address[32];

		for (unsigned l = 0; l < 32; l++)
			address[l] = 0x10000 + p->offset + 4ull * p->stride * l;
		ask(&a, SIM_CC10, 16, 128, 32, all32, address, 4);
		assert_int_equal(a.n, p->cc10);
		ask(&a, SIM_CC12, 16, 128, 32, all32, address, 4);
		assert_int_equal(a.n, p->cc12);
		assert_int_equal(a.size, p->cc12_bytes);
		ask(&a, SIM_CC2, 32, 128, 32, all32, address, 4);
		assert_int_equal(a.n, p->cc2);
		assert_int_equal(a.size, 128 * p->cc2);
		assert_int_equal(a.bytes, p->stride ? 128 : 4);
		ask(&a, SIM_SECTOR32, 32, 128, 32, all32, address, 4);
		assert_int_equal(a.sectors, p->sectors);
		assert_int_equal(a.n, p->cc2);
	}
}

/* ---- beside the table ---- */

static void test_words(void **state)
{
	uint64_t address[32], gaps[4] = {0x0ff0ff0f};
	struct answer a;

	(void)state;
	/* 1.0 knows words of 4, 8 and 16 bytes; gaps do not matter, order does. */
	for (unsigned bytes = 1; bytes <= 16; bytes *= 2) {
		for (unsigned l = 0; l < 32; l++)
			address[l] = 0x4000 + l * bytes;
		ask(&a, SIM_CC10, 16, 128, 32, all32, address, bytes);
		assert_int_equal(a.n, bytes < 4 ? 32 : bytes == 16 ? 4 : 2);
		assert_int_equal(a.size, bytes < 4 ? 32 * 32 : 32 * bytes);
		assert_int_equal(a.bytes, 32 * bytes);
		ask(&a, SIM_CC10, 16, 128, 32, gaps, address, bytes);
		assert_int_equal(a.n, bytes < 4 ? 20 : bytes == 16 ? 4 : 2);
		/* 1.2 takes segments of 32, 64 and 128 bytes. */
		ask(&a, SIM_CC12, 16, 128, 32, all32, address, bytes);
		assert_int_equal(a.n, bytes == 16 ? 4 : 2);
		assert_int_equal(a.size, bytes == 1 ? 64 : 32 * bytes);
	}
	for (unsigned l = 0; l < 32; l++)
		address[l] = 0x4000 + (l ^ 1) * 4;
	ask(&a, SIM_CC10, 16, 128, 32, all32, address, 4);
	assert_int_equal(a.n, 32);
	ask(&a, SIM_CC12, 16, 128, 32, all32, address, 4);
	assert_int_equal(a.n, 2);
	/* Wider and narrower groups than the hardware's: as many transactions as groups or lines.
	 */
	for (unsigned l = 0; l < 32; l++)
		address[l] = 0x4000 + l * 4;
	for (unsigned width = 4; width <= 32; width *= 2) {
		ask(&a, SIM_CC10, width, 128, 32, all32, address, 4);
		assert_int_equal(a.n, 32 / width);
		assert_int_equal(a.size, 128);
		ask(&a, SIM_CC2, width, 128, 32, all32, address, 4);
		assert_int_equal(a.n, 32 / width);
	}
	ask(&a, SIM_CC2, 0, 128, 32, all32, address, 4);
	assert_int_equal(a.n, 1);
	/* No lane, no transaction. */
	gaps[0] = 0;
	for (int r = SIM_CC10; r <= SIM_SECTOR32; r++) {
		ask(&a, (enum sim_rule)r, 16, 128, 32, gaps, address, 4);
		assert_int_equal(a.n, 0);
	}
}

static void test_straddling(void **state)
{
	const uint64_t one[4] = {1 << 3};
	uint64_t address[32] = {0};
	struct answer a;

	(void)state;
	address[3] = 0x1000 + 126;
	ask(&a, SIM_CC2, 32, 128, 32, one, address, 4);
	assert_int_equal(a.n, 2);
	assert_int_equal(a.t[0].base, 0x1000);
	assert_int_equal(a.t[1].base, 0x1080);
	assert_int_equal(a.t[0].lanes[0], 1 << 3);
	assert_int_equal(a.t[1].lanes[0], 1 << 3);
	assert_int_equal(a.t[0].bytes, 2);
	assert_int_equal(a.t[0].sectors, 8);
	assert_int_equal(a.t[1].sectors, 1);
	address[3] = 0x1000 + 30;
	ask(&a, SIM_CC10, 16, 128, 32, one, address, 4);
	assert_int_equal(a.n, 2);
	assert_int_equal(a.t[1].base, 0x1020);
	assert_int_equal(a.t[1].sectors, 2);
	ask(&a, SIM_SECTOR32, 32, 128, 32, one, address, 4);
	assert_int_equal(a.n, 1);
	assert_int_equal(a.t[0].sectors, 3);
	address[3] = 0x1000 + 62;
	ask(&a, SIM_CC12, 16, 128, 32, one, address, 4); /* both halves: it stays long */
	assert_int_equal(a.t[0].size, 128);
	address[3] = 0x1000 + 94;
	ask(&a, SIM_CC12, 16, 128, 32, one, address, 4);
	assert_int_equal(a.t[0].base, 0x1040);
	assert_int_equal(a.t[0].size, 64);
	assert_int_equal(a.t[0].sectors, 0xc);
}

/* As many as there are, though not all find room. */
static void test_bound(void **state)
{
	const struct sim_coalescer c = {.rule = SIM_CC2, .line_bytes = 32};
	struct sim_transaction t[3];
	uint64_t address[32];

	(void)state;
	for (unsigned l = 0; l < 32; l++)
		address[l] = 0x8000 + 64 * l;
	memset(t, 0x55, sizeof(t));
	assert_int_equal(sim_coalesce(&c, 32, all32, address, 4, t, 2), 32);
	assert_int_equal(t[0].base, 0x8000);
	assert_int_equal(t[1].base, 0x8040);
	assert_int_equal(t[2].base, 0x5555555555555555);
	for (unsigned l = 0; l < 32; l++)
		address[l] = 0x8010 + 4096 * l;
	assert_int_equal(sim_coalesce(&c, 32, all32, address, 64, t, 2), 96);
	assert_int_equal(sim_coalesce(&c, 32, all32, address, 65, t, 2), 0);
	assert_int_equal(sim_coalesce(&c, 32, all32, address, 0, t, 2), 0);
}

/* ---- against a twin that looks at every byte ---- */

static void test_twin(void **state)
{
	static const unsigned sizes[] = {32, 64, 1, 7, 256, 100},
			      lines[] = {32, 64, 128, 512, 1024};
	static struct sim_transaction want[SIM_TRANSACTIONS_MAX];
	static struct answer a;

	(void)state;
	rng = 1;
	for (int k = 0; k < 1500; k++) {
		const unsigned size = sizes[dice(6)], line = lines[dice(5)], bytes = 1u << dice(7);
		const unsigned width = dice(2) ? size : 1 + dice(size);
		const unsigned spread = 1u << (4 + dice(12));
		uint64_t lanes[4] = {0}, address[256];
		unsigned n;

		for (unsigned l = 0; l < size; l++) {
			address[l] = 0x100000 + dice(spread);
			if (dice(4))
				address[l] &= ~(uint64_t)(bytes - 1);
			lanes[l / 64] |= (uint64_t)(dice(3) > 0) << l % 64;
		}
		n = coalesce_twin(line, width, size, lanes, address, bytes, want);
		for (int r = SIM_CC2; r <= SIM_SECTOR32; r++) {
			ask(&a, (enum sim_rule)r, width, line, size, lanes, address, bytes);
			assert_int_equal(a.n, n);
			for (unsigned i = 0; i < n; i++) {
				assert_int_equal(a.t[i].base, want[i].base);
				assert_int_equal(a.t[i].size, want[i].size);
				assert_memory_equal(a.t[i].lanes, want[i].lanes, sizeof(lanes));
				assert_int_equal(a.t[i].sectors, want[i].sectors);
				assert_int_equal(a.t[i].bytes, want[i].bytes);
			}
		}
		/* The old rules: every lane is served, all of its bytes, and nothing else is. */
		for (int r = SIM_CC10; r <= SIM_CC12; r++) {
			uint64_t served[4] = {0};

			ask(&a, (enum sim_rule)r, width, line, size, lanes, address, bytes);
			for (unsigned i = 0; i < a.n; i++) {
				assert_true(a.t[i].size <= line && a.t[i].size <= 128);
				assert_int_equal(a.t[i].base % a.t[i].size, 0);
				for (unsigned l = 0; l < size; l++)
					if (a.t[i].lanes[l / 64] >> l % 64 & 1)
						assert_true(
							address[l] < a.t[i].base + a.t[i].size &&
							address[l] + bytes > a.t[i].base);
				for (int w = 0; w < 4; w++)
					served[w] |= a.t[i].lanes[w];
			}
			assert_memory_equal(served, lanes, sizeof(lanes));
		}
	}
}

/* ---- shared memory ---- */

static unsigned gcd(unsigned a, unsigned b)
{
	return b ? gcd(b, a % b) : a;
}

static unsigned twin_conflicts(unsigned banks, unsigned word_bytes, unsigned width, unsigned size,
	const uint64_t *lanes, const uint64_t *address, unsigned bytes)
{
	unsigned cycles = 0;

	for (unsigned first = 0; first < size; first += width) {
		uint64_t word[4096];
		unsigned n = 0, most = 0;

		for (unsigned l = first; l < size && l < first + width; l++)
			for (unsigned b = 0; b < bytes && lanes[l / 64] >> l % 64 & 1; b++) {
				const uint64_t w = (address[l] + b) / word_bytes;
				unsigned i = 0;

				while (i < n && word[i] != w)
					i++;
				if (i == n)
					word[n++] = w;
			}
		for (unsigned bank = 0; bank < banks; bank++) {
			unsigned in = 0;

			for (unsigned i = 0; i < n; i++)
				in += word[i] % banks == bank;
			most = in > most ? in : most;
		}
		cycles += most;
	}
	return cycles;
}

static void test_banks(void **state)
{
	uint64_t address[256], lanes[4] = {0xffff};

	(void)state;
	for (unsigned stride = 1; stride <= 64; stride++) {
		for (unsigned l = 0; l < 32; l++)
			address[l] = 4ull * stride * l;
		assert_int_equal(
			sim_bank_conflicts(32, 32, 32, all32, address, 4), gcd(stride, 32));
		assert_int_equal(
			sim_bank_conflicts(16, 16, 32, lanes, address, 4), gcd(stride, 16));
		assert_int_equal(
			sim_bank_conflicts(16, 16, 32, all32, address, 4), 2 * gcd(stride, 16));
	}
	memset(address, 0, sizeof(address));
	assert_int_equal(sim_bank_conflicts(32, 32, 32, all32, address, 4), 1);
	for (unsigned l = 0; l < 32; l++)
		address[l] = l; /* bytes of eight words */
	assert_int_equal(sim_bank_conflicts(32, 32, 32, all32, address, 1), 1);
	for (unsigned l = 0; l < 32; l++)
		address[l] = 8 * l;
	assert_int_equal(sim_bank_conflicts(32, 32, 32, all32, address, 8), 2);
	assert_int_equal(sim_bank_conflicts(32, 32, 32, all32, address, 0), 0);
	rng = 2;
	for (int k = 0; k < 3000; k++) {
		const unsigned size = 1 + dice(dice(8) ? 64 : 256), banks = 1u << dice(7);
		const unsigned width = 1 + dice(size), bytes = 1u << dice(7),
			       spread = 1 + dice(3000);

		for (unsigned l = 0; l < size; l++)
			address[l] = dice(spread);
		for (int w = 0; w < 4; w++)
			lanes[w] = (uint64_t)dice(0x7fffffff) << 33 | dice(0x7fffffff);
		assert_int_equal(sim_bank_conflicts(banks, width, size, lanes, address, bytes),
			twin_conflicts(banks, 4, width, size, lanes, address, bytes));
	}
}

/* Banks of words of other lengths, as those of an L1's data. */
static void test_bank_cycles(void **state)
{
	static const struct {
		unsigned stride, cycles; /* in words of 4 bytes; of 16 banks of 8 bytes */
	} strides[] = {{0, 1}, {1, 1}, {2, 2}, {3, 2}, {4, 4}, {5, 2}, {6, 2}, {7, 2}, {8, 8},
		{15, 2}, {16, 16}, {24, 8}, {32, 32}, {33, 2}};
	uint64_t address[256], lanes[4] = {0};

	(void)state;
	for (unsigned i = 0; i < sizeof(strides) / sizeof(*strides); i++) {
		for (unsigned l = 0; l < 32; l++)
			address[l] = 4ull * strides[i].stride * l;
		assert_int_equal(sim_bank_cycles(16, 8, 32, all32, address, 4), strides[i].cycles);
	}
	for (unsigned l = 0; l < 32; l++)
		address[l] = 4 + 4 * l; /* 17 words, of which the first and the last share a bank */
	assert_int_equal(sim_bank_cycles(16, 8, 32, all32, address, 4), 2);
	assert_int_equal(sim_bank_cycles(16, 8, 32, lanes, address, 4), 0);
	rng = 3;
	for (int k = 0; k < 3000; k++) {
		const unsigned size = 1 + dice(dice(8) ? 64 : 256), banks = 1u << dice(7);
		const unsigned bytes = 1u << dice(7), word = 4u << dice(4);
		const unsigned spread = 1 + dice(3000), regular = dice(2);

		for (unsigned l = 0; l < size; l++)
			address[l] = regular ? 8 * (k % 3) + (uint64_t)l * bytes : dice(spread);
		for (int w = 0; w < 4; w++)
			lanes[w] = dice(3) ? UINT64_MAX
					   : (uint64_t)dice(0x7fffffff) << 33 | dice(0x7fffffff);
		assert_int_equal(sim_bank_cycles(banks, word, size, lanes, address, bytes),
			twin_conflicts(banks, word, size, size, lanes, address, bytes));
	}
}

static void test_names(void **state)
{
	enum sim_rule rule;

	(void)state;
	for (int r = SIM_CC10; r <= SIM_SECTOR32; r++) {
		assert_int_equal(sim_rule_parse(&rule, sim_rule_name((enum sim_rule)r)), 1);
		assert_int_equal(rule, r);
	}
	assert_null(sim_rule_name(SIM_SECTOR32 + 1));
	assert_int_equal(sim_rule_parse(&rule, "cc3"), TR_EUSAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_straddling),
		cmocka_unit_test(test_bound),
		cmocka_unit_test(test_twin),
		cmocka_unit_test(test_banks),
		cmocka_unit_test(test_bank_cycles),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
