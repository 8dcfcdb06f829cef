/*
 * The format of the Dinero cache simulators: LABEL ADDRESS, both hexadecimal, with a comment
 * after. Labels are 0 read, 1 write, 2 instruction fetch, 3 escape (Dinero IV takes it for a
 * miscellaneous access, which is a read) and 4 escape that empties the cache. There are no sizes:
 * Dinero IV takes each access for the aligned word of four bytes around its address, and so do we.
 */
#include "sim/convert/text.h"
#include <inttypes.h>

#define WORD_BYTES 4u

static const char *parse(const char *s, struct cv_text_line *l)
{
	uint64_t label;

	s = cv_skip_blanks(s);
	if (!cv_hex(&s, &label) || !cv_at_blank(s) || label > 4)
		return "no label from 0 to 4";
	s = cv_skip_blanks(s);
	if (!*s)
		return "no address after the label";
	if (!cv_hex(&s, &l->address) || !cv_at_blank(s))
		return "no hexadecimal address of up to 64 bits";
	l->address &= ~(uint64_t)(WORD_BYTES - 1);
	l->size = WORD_BYTES;
	if (label == 1)
		l->ops = CV_WRITES;
	if (label == 2) {
		l->what = CV_FETCH;
		l->pc = l->address;
	}
	if (label == 4)
		l->what = CV_FLUSH;
	return NULL;
}

static void print(FILE *f, const struct tr_access *a, const struct cv_text_place *at)
{
	(void)at;
	fprintf(f, "%d %" PRIx64 "\n", a->op != TR_A_READ, cv_text_address(a));
}

const struct cv_text cv_text_din = {
	.warp_size = 1,
	.write = TR_W_ALLOCATE,
	.parse = parse,
	.print = print,
	.flush = "4 0\n",
};

CV_TEXT_IMPORT(cv_text_din)
CV_TEXT_EXPORT(cv_text_din)

const struct cv_format cv_din = {
	.name = "din",
	.summary = "Dinero: LABEL ADDRESS",
	.kind = TR_KIND_ACCESSES,
	.sniff = sniff,
	.import = import,
	.emit = emit,
};
