/*
 * The assertions of cmocka for programs that are no cmocka tests, so that a fuzz target can use
 * what the unit tests share: one that does not hold ends the program with its place.
 */
#ifndef MUST_H
#define MUST_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define fail_msg(...)                                                                              \
	do {                                                                                       \
		fprintf(stderr, "%s:%d: ", __FILE__, __LINE__);                                    \
		fprintf(stderr, __VA_ARGS__);                                                      \
		fputc('\n', stderr);                                                               \
		abort();                                                                           \
	} while (0)
#define assert_true(x)                                                                             \
	do {                                                                                       \
		if (!(x))                                                                          \
			fail_msg("%s does not hold", #x);                                          \
	} while (0)
#define assert_int_equal(a, b)                                                                     \
	do {                                                                                       \
		const uint64_t must_a = (uint64_t)(a), must_b = (uint64_t)(b);                     \
                                                                                                   \
		if (must_a != must_b)                                                              \
			fail_msg("%s is %lld, and %s %lld", #a, (long long)must_a, #b,             \
				(long long)must_b);                                                \
	} while (0)
#define assert_false(x) assert_true(!(x))
#define assert_non_null(x) assert_true((x) != NULL)
#define assert_memory_equal(a, b, size) assert_true(!memcmp(a, b, size))
#define assert_string_equal(a, b) assert_true(!strcmp(a, b))

#endif
