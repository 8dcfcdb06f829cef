/* Device memory: where allocations lie, and what becomes of the addresses of freed ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include <sys/mman.h>
#include "sim/ptx/memory.h"
#include "sim/ptx/ptx.h"

#define REGION 0x200000000000ull
#define MIB (1ull << 20)

/* They lie in order, in bounds, and with the gap between any two. */
static void assert_apart(const struct ptx_memory *m)
{
	for (uint32_t i = 0; i < m->n; i++) {
		const struct ptx_span *s = &m->allocs[i].span;
		assert_true(s->base >= m->first && s->base + s->bytes <= m->end);
		if (i) {
			const struct ptx_span *low = &m->allocs[i - 1].span;
			assert_true(s->base >= low->base + low->bytes + PTX_MEMORY_GAP);
		}
	}
}

static uint64_t must_allocate(struct ptx_memory *m, uint64_t bytes)
{
	struct tr_err err = {0};
	const uint64_t at = ptx_memory_new(m, "a", bytes, &err);

	if (!at)
		fail_msg("%s", err.msg);
	return at;
}

/* Seven of 100 MiB at a time come and go in 3.8 GiB of addresses, many times over. */
static void test_freed_addresses_are_used_again(void **state)
{
	struct ptx_memory m;
	uint64_t live[7] = {0}, last = 0;
	unsigned rounds = 0;

	(void)state;
	ptx_memory_init(&m, 0, 0, 1);
	for (unsigned i = 0; i < 400; i++) {
		uint64_t *one = &live[i % 7];
		if (*one)
			assert_int_equal(ptx_memory_delete(&m, *one), 1);
		*one = must_allocate(&m, 100 * MIB);
		rounds += *one < last;
		last = *one;
		if (i % 50 == 0)
			assert_apart(&m);
	}
	/* A round has as many as fit, so that an address that was freed rests as long as it can. */
	assert_in_range(rounds, 10, 11);
	ptx_memory_free(&m);
}

/* What is left between is looked through, and what fits nowhere is refused. */
static void test_only_gaps_are_left(void **state)
{
	struct ptx_memory m;
	struct tr_err err = {0};
	uint64_t at[30];
	unsigned n = 0;

	(void)state;
	ptx_memory_init(&m, 0, 0, 1);
	while (n < 30 && (at[n] = ptx_memory_new(&m, "a", 256 * MIB, &err)))
		n++;
	assert_int_equal(n, 14);
	assert_int_equal(err.code, TR_EMEM);
	assert_non_null(strstr(err.msg, "no room"));
	assert_int_equal(ptx_memory_delete(&m, at[4]), 1);
	assert_int_equal(ptx_memory_new(&m, "a", 257 * MIB, &err), 0);
	assert_int_equal(must_allocate(&m, 256 * MIB), at[4]);
	assert_apart(&m);
	ptx_memory_free(&m);
}

/* A terabyte at a time, of four that there are addresses for. */
static void test_region_is_used_again(void **state)
{
	struct ptx_memory m;

	(void)state;
	ptx_memory_init(&m, REGION, 0, 0);
	const uint64_t kept = must_allocate(&m, 4096);
	for (unsigned i = 0; i < 40; i++) {
		const uint64_t at = must_allocate(&m, MIB * MIB);
		unsigned char *host = (unsigned char *)(uintptr_t)at;
		assert_int_equal(host[0] + host[12345], 0);
		host[0] = host[12345] = 1;
		assert_apart(&m);
		assert_int_equal(ptx_memory_delete(&m, at), 1);
	}
	assert_non_null(ptx_memory_find(&m, kept, 4096));
	ptx_memory_free(&m);
}

/* Pages that somebody else has mapped are left alone. */
static void test_region_goes_round_others(void **state)
{
	struct ptx_memory m;

	(void)state;
	ptx_memory_init(&m, REGION, 0, 0);
	m.end = REGION + 64 * MIB;
	unsigned char *other = mmap((void *)(uintptr_t)(REGION + 20 * MIB), 4096,
		PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	assert_int_equal((uintptr_t)other, REGION + 20 * MIB);
	*other = 7;
	const uint64_t first = must_allocate(&m, 16 * MIB);
	struct tr_err err = {0};
	assert_int_equal(ptx_memory_new(&m, "b", 16 * MIB, &err), 0); /* it would lie across */
	assert_int_equal(must_allocate(&m, 2 * MIB), first + 16 * MIB + PTX_MEMORY_GAP);
	assert_int_equal(ptx_memory_delete(&m, first), 1);
	assert_int_equal(must_allocate(&m, 16 * MIB), first);
	assert_int_equal(*other, 7);
	ptx_memory_free(&m);
	munmap(other, 4096);
}

/* An address that several had is said to be of the one that was freed last. */
static void test_the_last_freed_is_named(void **state)
{
	struct ptx_memory m;
	struct tr_err err = {0};
	char where[200];

	(void)state;
	ptx_memory_init(&m, 0, 0, 1);
	m.end = m.first + 8 * MIB;
	const uint64_t at = ptx_memory_new(&m, "old", 6 * MIB, &err);
	assert_int_equal(ptx_memory_delete(&m, at), 1);
	assert_true(ptx_memory_new(&m, "new", 4 * MIB, &err) == at);
	assert_int_equal(ptx_memory_delete(&m, at), 1);
	ptx_memory_where(&m, at + 16, where, sizeof(where));
	assert_string_equal(where, "16 bytes into 'new' of 4194304 bytes, which was freed");
	ptx_memory_where(&m, at + 5 * MIB, where, sizeof(where));
	assert_string_equal(where, "5242880 bytes into 'old' of 6291456 bytes, which was freed");
	ptx_memory_free(&m);
}

/* More than the system has mappings for; of those that are freed the next ones are zero again. */
static void test_many_of_a_region(void **state)
{
	enum { MANY = 3 * PTX_MEMORY_APART };
	static uint64_t at[MANY];
	struct ptx_memory m;

	(void)state;
	ptx_memory_init(&m, REGION, 0, 0);
	for (unsigned i = 0; i < MANY; i++) {
		at[i] = must_allocate(&m, 4096);
		memset((void *)(uintptr_t)at[i], 1, 4096);
	}
	m.end = at[MANY - 1] + 3 * PTX_MEMORY_GAP; /* from here on only freed ones' are left */
	for (unsigned i = 0; i < MANY; i += 2)
		assert_int_equal(ptx_memory_delete(&m, at[i]), 1);
	for (unsigned i = 0; i < MANY; i += 2) {
		const unsigned char *host = (void *)(uintptr_t)must_allocate(&m, 4096);
		for (unsigned k = 0; k < 4096; k += 512)
			assert_int_equal(host[k], 0);
	}
	assert_apart(&m);
	for (unsigned i = 1; i < MANY; i += 2)
		assert_int_equal(*(unsigned char *)(uintptr_t)at[i], 1);
	ptx_memory_free(&m);
}

/* The limit counts the device's memory, and what it is told of; not the host's. */
static void test_what_the_limit_counts(void **state)
{
	static unsigned char own[4096];
	struct tr_err err = {0};
	struct ptx_memory m;

	(void)state;
	ptx_memory_init(&m, REGION, 10 * MIB, 0);
	const uint64_t beside = ptx_memory_new_beside(&m, "h", 30 * MIB, &err);
	assert_int_not_equal(beside, 0);
	assert_int_equal(ptx_memory_adopt(&m, "own", own, sizeof(own), &err), 1);
	assert_int_equal(m.used, 0);
	assert_int_equal(m.all, 30 * MIB + sizeof(own));
	const uint64_t at = must_allocate(&m, 4 * MIB);
	assert_int_equal(ptx_memory_count(&m, 6 * MIB), 1);
	assert_int_equal(ptx_memory_count(&m, 1), 0);
	assert_int_equal(ptx_memory_new(&m, "b", 1, &err), 0);
	assert_int_equal(err.code, TR_EMEM);
	assert_int_equal(ptx_memory_delete(&m, beside), 1);
	assert_int_equal(ptx_memory_delete(&m, (uintptr_t)own), 1);
	assert_int_equal(m.used, 10 * MIB);
	assert_int_equal(ptx_memory_delete(&m, at), 1);
	assert_int_equal(m.used, 6 * MIB);
	assert_int_equal(m.all, 0);
	ptx_memory_free(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_freed_addresses_are_used_again),
		cmocka_unit_test(test_only_gaps_are_left),
		cmocka_unit_test(test_region_is_used_again),
		cmocka_unit_test(test_region_goes_round_others),
		cmocka_unit_test(test_the_last_freed_is_named),
		cmocka_unit_test(test_many_of_a_region),
		cmocka_unit_test(test_what_the_limit_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
