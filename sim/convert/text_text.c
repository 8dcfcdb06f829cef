/*
 * Everything that an access stream says, one access a line, for awk and for the eye. It is not read
 * back.
 */
#include "sim/convert/text.h"
#include <inttypes.h>

static void print(FILE *f, const struct tr_access *a, const struct cv_text_place *at)
{
	static const char *const ops[] = {"read", "write", "atomic"};
	static const char *const results[] = {"-", "hit", "miss", "merge", "bypass"};
	unsigned word = TR_LANES_MAX / 64 - 1;

	fprintf(f, "%" PRIu32 "\t%" PRIu32 "\t%" PRIu32 "\t%" PRIu32 "\t0x%" PRIx32 "\t%s\t%s\t",
		at->launch->number, a->sm, a->cta, a->warp, a->inst * TR_PC_BYTES,
		tr_space_name(a->space), ops[a->op]);
	while (word && !a->lanes[word])
		word--;
	fprintf(f, "0x%" PRIx64 "\t0x%" PRIx64, a->line, a->lanes[word]);
	while (word)
		fprintf(f, "%016" PRIx64, a->lanes[--word]);
	fprintf(f, "\t%u\t%u\t0x%" PRIx32 "\t%u\t", a->active + 1u, a->bytes, a->sectors, a->first);
	if (a->loop == TR_NONE)
		fputs("-\t-", f);
	else
		fprintf(f, "%" PRIu32 "\t%" PRIu32, a->loop, a->trip);
	fprintf(f, "\t%" PRIu64 "\t%" PRIu64 "\t%s\t%s\n", a->warp_insts, a->thread_insts,
		results[a->result], tr_str(at->program, at->program->insts[a->inst].opcode));
}

static const struct cv_text text = {
	.print = print,
	.header = "launch\tsm\tcta\twarp\tpc\tspace\top\taddress\tlanes\tactive\tbytes\tsectors\tfi"
		  "rst"
		  "\tloop\ttrip\twarp_insts\tthread_insts\tresult\topcode\n",
};

CV_TEXT_EXPORT(text)

const struct cv_format cv_text_table = {
	.name = "text",
	.summary = "a table of all that is known of them",
	.kind = TR_KIND_ACCESSES,
	.emit = emit,
};
