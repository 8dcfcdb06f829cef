/*
 * The accesses of one L1D as the CCWS release writes them for its cache simulator:
 * ADDRESS:RW:SPACE:STATUS:WARP:LANES:PC, the address in hexadecimal, r or w, g(lobal) or l(ocal),
 * h(it), r (merged), m(iss), f or p (refused, to be tried again), the warp's slot, how many lanes
 * take part, the PC; F alone where the cache was flushed. Its simulator also took lines that end
 * after the status. The release prints a read of local memory as a write, which cannot be told
 * here; we print it as a read. Which lanes they are, and where one instruction of several accesses
 * ends, the format does not say: we take the lowest lanes, and each line for an instruction.
 */
#include "sim/convert/text.h"
#include <inttypes.h>
#include <string.h>

static const char results[] = "urmh";
static const enum tr_access_result result_of[] = {TR_A_UNKNOWN, TR_A_MERGE, TR_A_MISS, TR_A_HIT};

/* A letter of `set` and what must stand after it; its place in the set, or -1. */
static int letter(const char **s, const char *set, int last)
{
	const char *at = **s ? strchr(set, **s) : NULL;

	if (!at || !((*s)[1] == ':' || (last && !(*s)[1])))
		return -1;
	*s += (*s)[1] ? 2 : 1;
	return (int)(at - set);
}

static const char *parse(const char *s, struct cv_text_line *l)
{
	uint64_t warp, lanes;
	int rw, space, status;

	if (!strcmp(s, "F")) {
		l->what = CV_FLUSH;
		return NULL;
	}
	if (!cv_hex(&s, &l->address) || *s++ != ':')
		return "no hexadecimal address with a colon after";
	rw = letter(&s, "rw", 0);
	if (rw < 0)
		return "neither r nor w after the address";
	space = letter(&s, "gl", 0);
	if (space < 0)
		return "neither g nor l for the space";
	status = letter(&s, "urmhfp", 1);
	if (status < 0)
		return "none of h, r, m, f, p and u for the status";
	l->ops = rw ? CV_WRITES : CV_READS;
	l->space = space ? TR_S_LOCAL : TR_S_GLOBAL;
	if (status < 4)
		l->result = result_of[status];
	else
		l->what = CV_LEFT_OUT;
	if (s[-1] != ':')
		return NULL;
	if (!cv_decimal(&s, &warp) || *s++ != ':' || warp > UINT32_MAX)
		return "no warp of up to 32 bits";
	if (!cv_decimal(&s, &lanes) || *s++ != ':' || !lanes || lanes > TR_LANES_MAX)
		return "no count of lanes from 1 to 256";
	if (!cv_decimal(&s, &l->pc) || *s)
		return "no decimal PC at the end";
	l->has_pc = 1;
	l->warp = (uint32_t)warp;
	l->lanes = (uint32_t)lanes;
	return NULL;
}

static void print(FILE *f, const struct tr_access *a, const struct cv_text_place *at)
{
	char status = 'm'; /* what bypassed the cache has missed it */

	for (unsigned i = 0; i < 4; i++)
		if (a->result == result_of[i])
			status = results[i];
	fprintf(f, "%" PRIx64 ":%c:%c:%c:%" PRIu64 ":%u:%u\n", cv_text_address(a),
		a->op == TR_A_READ ? 'r' : 'w', a->space == TR_S_LOCAL ? 'l' : 'g', status,
		at->warp, cv_text_lanes(a), a->inst * TR_PC_BYTES);
}

const struct cv_text cv_text_ccws = {
	.warp_size = 32,
	.left_out = "accesses left out: the cache had refused them, to be tried again",
	.parse = parse,
	.print = print,
	.flush = "F\n",
};

CV_TEXT_IMPORT(cv_text_ccws)
CV_TEXT_EXPORT(cv_text_ccws)

const struct cv_format cv_ccws = {
	.name = "ccws",
	.summary = "of one L1D, as the CCWS release prints them",
	.kind = TR_KIND_ACCESSES,
	.sniff = sniff,
	.import = import,
	.emit = emit,
};
