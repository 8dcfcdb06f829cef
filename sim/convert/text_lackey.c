/*
 * What valgrind --tool=lackey --trace-mem=yes prints: "I  ADDRESS,SIZE" for an instruction, and for
 * each of its accesses " L", " S" or " M" (a load and a store of the same bytes), address in
 * hexadecimal and size in decimal. Lines of valgrind itself begin with == or --. Threads are not
 * told apart there, and so they are one here.
 */
#include "sim/convert/text.h"
#include <string.h>

static const char *parse(const char *s, struct cv_text_line *l)
{
	uint64_t size;

	if (!strncmp(s, "==", 2) || !strncmp(s, "--", 2)) {
		l->what = CV_NOTHING;
		return NULL;
	}
	if (!strncmp(s, "I  ", 3))
		l->what = CV_FETCH;
	else if (!strncmp(s, " S ", 3))
		l->ops = CV_WRITES;
	else if (!strncmp(s, " M ", 3))
		l->ops = CV_READS | CV_WRITES;
	else if (strncmp(s, " L ", 3))
		return "neither 'I  ', ' L ', ' S ', ' M ' nor a line of valgrind's own";
	s += 3;
	if (!cv_hex(&s, &l->address) || *s != ',')
		return "no hexadecimal address with a comma after";
	s++;
	if (!cv_decimal(&s, &size) || *s || size > UINT32_MAX)
		return "no decimal size after the comma";
	l->pc = l->address;
	l->size = (uint32_t)size;
	return NULL;
}

const struct cv_text cv_text_lackey = {.warp_size = 1, .write = TR_W_ALLOCATE, .parse = parse};

CV_TEXT_IMPORT(cv_text_lackey)

const struct cv_format cv_lackey = {
	.name = "lackey",
	.summary = "valgrind --tool=lackey --trace-mem=yes",
	.kind = TR_KIND_ACCESSES,
	.sniff = sniff,
	.import = import,
};
