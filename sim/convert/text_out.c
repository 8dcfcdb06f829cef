/*
 * An access stream as text. A format that is made for one cache gets what one L1D sees: accesses of
 * a single SM, none of the spaces that have other caches, and atomics as the stores that they are
 * to it (sim/access/policy.h).
 */
#include "sim/access/policy.h"
#include "sim/convert/text.h"
#include <errno.h>
#include <string.h>

struct counts {
	uint64_t left_out, atomics;
};

static int check_written(FILE *f, struct tr_err *err)
{
	return ferror(f) ? tr_fail(err, TR_EIO, 0, "%s", strerror(errno)) : 1;
}

/* Lines of provenance as comments. */
static void write_comments(FILE *f, const char *lines)
{
	for (const char *end; *lines; lines = end) {
		end = strchrnul(lines, '\n');
		fprintf(f, "# %.*s\n", (int)(end - lines), lines);
		end += *end == '\n';
	}
}

static uint32_t warps_of(const struct tr_access_info *info, const struct tr_launch *l)
{
	const uint32_t lanes = info->warp_size ? info->warp_size : 1;

	return (tr_launch_threads(l) + lanes - 1) / lanes;
}

static int choose_sm(const struct cv_text *t, const struct tr_access_info *info,
	const struct cv_options *opt, struct tr_err *err)
{
	if (opt->sm != TR_NONE && info->sms && opt->sm >= info->sms)
		return tr_fail(err, TR_EUSAGE, 0, "there is no SM %u: the stream has %u", opt->sm,
			info->sms);
	if (t->flush && opt->sm == TR_NONE && info->sms != 1)
		return tr_fail(err, TR_EUSAGE, 0,
			"the format holds the accesses of one SM and the stream more: choose one "
			"with --sm");
	return 1;
}

static int write_launches(const struct cv_text *t, struct tr_access_reader *r, FILE *f, uint32_t sm,
	struct counts *n, struct tr_err *err)
{
	const struct tr_access_info *info = tr_access_reader_info(r);
	struct cv_text_place at = {NULL, NULL, 0};
	const struct tr_access *batch;
	int flush = 0, written = 0, rc;
	uint32_t warps = 1;
	size_t count;

	while ((rc = tr_access_reader_next(r, &batch, &count, err)) > 0) {
		if (rc == TR_A_LAUNCH) {
			at.launch = tr_access_reader_launch(r);
			at.program = tr_access_reader_program(r);
			warps = warps_of(info, at.launch);
			flush = written && t->flush;
			continue;
		}
		for (const struct tr_access *a = batch; a < batch + count; a++) {
			if (sm != TR_NONE && a->sm != sm)
				continue;
			if (t->flush && sim_l1d_of(a, TR_W_EVICT) == SIM_L1D_ABSENT) {
				n->left_out++;
				continue;
			}
			if (flush)
				fputs(t->flush, f);
			flush = 0;
			written = 1;
			n->atomics += a->op == TR_A_ATOMIC;
			at.warp = (uint64_t)a->cta * warps + a->warp;
			t->print(f, a, &at);
		}
		rc = check_written(f, err);
		if (rc < 0)
			break;
	}
	return rc;
}

int cv_text_export(const struct cv_text *t, FILE *in, const struct cv_output *out,
	const struct cv_options *opt, struct cv_report *report, struct tr_err *err)
{
	struct tr_access_reader *r;
	struct counts n = {0};
	int rc = tr_access_reader_open(&r, in, opt->part, err);

	if (rc < 0)
		return rc;
	rc = choose_sm(t, tr_access_reader_info(r), opt, err);
	if (rc > 0 && t->header) {
		if (opt->provenance) {
			write_comments(out->f, tr_access_reader_provenance(r));
			write_comments(out->f, opt->provenance);
		}
		fputs(t->header, out->f);
	}
	if (rc > 0)
		rc = write_launches(t, r, out->f, opt->sm, &n, err);
	if (rc == 0) {
		rc = check_written(out->f, err);
		cv_note(report, n.left_out,
			"accesses left out: of spaces that do not go to the L1D");
		if (t->flush)
			cv_note(report, n.atomics, "atomics written as stores");
	}
	tr_access_reader_close(r);
	return rc;
}
