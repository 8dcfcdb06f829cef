/*
 * What the replay says to a trace that is whole as a container and wrong as a trace: records are
 * copied one by one from a sound one, and some are left out. (The reader's own tests tell more
 * lies; here they have to come through the replay as an error with a reason.)
 */
#include "replay_trial.h"
#include "libtrace/stream.h"

/* The trace again, without its records of one type. */
static struct trace without(const struct trace *t, int type)
{
	const uint64_t totals[TR_MAX_TOTALS] = {0};
	struct tr_record rec;
	struct trace copy;
	struct tr_out *out;
	struct tr_in *in;
	struct tr_err err;
	FILE *from = fmemopen(t->bytes, t->len, "rb"), *to = open_memstream(&copy.bytes, &copy.len);
	int rc;

	assert_int_equal(tr_in_open(&in, from, &err), 1);
	assert_int_equal(tr_out_open(&out, to, TR_KIND_THREADS, NULL, 0, &err), 1);
	while ((rc = tr_in_next(in, &rec, &err)) > 0) {
		if (rec.type == type)
			continue;
		assert_int_equal(tr_out_begin(out, rec.type, rec.flags, rec.key, rec.n, &err), 1);
		assert_int_equal(tr_out_put(out, rec.data, rec.len, &err), 1);
		assert_int_equal(tr_out_end(out, &err), 1);
	}
	assert_int_equal(rc, 0);
	assert_int_equal(tr_out_close(out, totals, &err), 1);
	tr_in_close(in);
	fclose(from);
	fclose(to);
	return copy;
}

static void refused(const struct trace *t, int type, const char *reason)
{
	struct trace copy = without(t, type);
	struct trial trial;

	trial_begin(&trial, "");
	trial_run(&trial, &copy);
	assert_int_equal(trial.rc, TR_EDATA);
	if (!strstr(trial.err.msg, reason))
		fail_msg("'%s' is not in '%s'", reason, trial.err.msg);
	trial_end(&trial);
	free(copy.bytes);
}

static void test_missing_records(void **state)
{
	struct kernel k;
	struct stage stage = {.kernel = &k, .ctas = 3, .threads = 40};
	struct trace t;

	(void)state;
	kernel_begin(&k, "missing");
	load(&k, reg(&k), TR_NONE, words, 0x1000);
	kernel_end(&k);
	t = record_stages(&stage, 1);
	refused(&t, TR_REC_PROGRAM, "a launch of a program that is not there");
	refused(&t, TR_REC_LAUNCH, "CTA");
	refused(&t, TR_REC_CTAS, "CTA");
	free(t.bytes);
	tr_program_free(k.p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_missing_records),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
