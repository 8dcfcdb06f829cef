/*
 * Extended din, of Dinero IV: TYPE ADDRESS SIZE, numbers in hexadecimal, with a comment after.
 * Types are r(ead), w(rite), i(nstruction fetch), m(iscellaneous, which is a read), c (copy a line
 * back) and v (invalidate a line); the last two have no place in an access stream.
 */
#include "sim/convert/text.h"

static const char *parse(const char *s, struct cv_text_line *l)
{
	uint64_t size;
	char type;

	s = cv_skip_blanks(s);
	type = *s ? *s++ | ('a' ^ 'A') : 0;
	if (!cv_at_blank(s))
		type = 0;
	switch (type) {
	case 'r':
	case 'm':
		break;
	case 'w':
		l->ops = CV_WRITES;
		break;
	case 'i':
		l->what = CV_FETCH;
		break;
	case 'c':
	case 'v':
		l->what = CV_LEFT_OUT;
		break;
	default:
		return "no access type r, w, i, m, c or v";
	}
	s = cv_skip_blanks(s);
	if (!*s)
		return "no address after the type";
	if (!cv_hex(&s, &l->address) || !cv_at_blank(s))
		return "no hexadecimal address of up to 64 bits";
	s = cv_skip_blanks(s);
	if (!*s)
		return "no size after the address";
	if (!cv_hex(&s, &size) || !cv_at_blank(s) || size > UINT32_MAX)
		return "no hexadecimal size";
	l->pc = l->address;
	l->size = (uint32_t)size;
	return NULL;
}

const struct cv_text cv_text_xdin = {
	.warp_size = 1,
	.write = TR_W_ALLOCATE,
	.left_out = "lines left out: they copy a line back or invalidate it",
	.parse = parse,
};

CV_TEXT_IMPORT(cv_text_xdin)

const struct cv_format cv_xdin = {
	.name = "xdin",
	.summary = "Dinero IV, extended: TYPE ADDRESS SIZE",
	.kind = TR_KIND_ACCESSES,
	.sniff = sniff,
	.import = import,
};
