/*
 * Bare addresses: a hexadecimal number a line, 0x or not, with an r or w before or after it or
 * nothing for a read. A # begins a comment. No sizes and no PCs: each is one byte.
 */
#include "sim/convert/text.h"

static int operation(const char **s, unsigned *ops)
{
	const char c = **s | ('a' ^ 'A');

	if ((c != 'r' && c != 'w') || !cv_at_blank(*s + 1))
		return 0;
	*ops = c == 'r' ? CV_READS : CV_WRITES;
	*s = cv_skip_blanks(*s + 1);
	return 1;
}

static const char *parse(const char *s, struct cv_text_line *l)
{
	s = cv_skip_blanks(s);
	if (*s == '#') {
		l->what = CV_NOTHING;
		return NULL;
	}
	const int before = operation(&s, &l->ops);

	if (!cv_hex(&s, &l->address) || (!cv_at_blank(s) && *s != '#'))
		return "no hexadecimal address of up to 64 bits";
	s = cv_skip_blanks(s);
	if (!before)
		operation(&s, &l->ops);
	return !*s || *s == '#' ? NULL : "more than an address and r or w";
}

const struct cv_text cv_text_addr = {.warp_size = 1, .write = TR_W_ALLOCATE, .parse = parse};

CV_TEXT_IMPORT(cv_text_addr)

const struct cv_format cv_addr = {
	.name = "addr",
	.summary = "ADDRESS [r|w]",
	.kind = TR_KIND_ACCESSES,
	.sniff = sniff,
	.import = import,
};
