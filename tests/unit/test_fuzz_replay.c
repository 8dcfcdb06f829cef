/*
 * What the fuzz target of the same name does with libFuzzer's bytes, with seeds: each combination
 * of preset, scheduler and warp policy meets a random valid record of its own.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/fuzz/check.h"

static void test_records(void **state)
{
	const uint32_t n = machine_combinations();
	struct check_counts c = {0};

	(void)state;
	for (uint32_t i = 0; i < n; i++)
		check_record(i, i, &c);
	/* They were worth something. */
	assert_true(c.finished > n / 2 && c.stepped > n / 2 && c.kept_back < n / 100 + 2);
	assert_true(c.stood > 0 && c.forced > 0);
	assert_true(c.hits > 1000 && c.accesses > c.hits + 1000 && c.atomics > 1000);
	assert_true(c.barriers > 100 && c.divergent > 1000);
	assert_true(c.dsm > 100 && c.cluster_barriers > 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_records),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
