/*
 * Any bytes as a PROGRAM record: refused with a sentence, or a program that is written back as the
 * same bytes, can be printed and analysed, and is valid after that. The flag of older writers that
 * a reader ignores (FORMAT.md, 6.1: bit 2) is not written back.
 */
#include "libtrace/buf.h"
#include "libtrace/program.h"
#include <string.h>

#define IGNORED_FLAG (1 << 2)

static void must(int holds)
{
	if (!holds)
		__builtin_trap();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tr_program *p;
	struct tr_err err = {0};
	struct tr_buf out = {0};
	char text[64];

	if (tr_program_read(&p, data, size, &err) < 0) {
		must(err.code == TR_EDATA && err.msg[0]);
		return 0;
	}
	must(tr_program_write(p, &out) == 1);
	must(out.len == size);
	for (size_t i = 0; i < size; i++)
		must(out.p[i] == data[i] || (out.p[i] ^ data[i]) == IGNORED_FLAG);
	for (uint32_t i = 0; i < p->ninsts; i++)
		must(tr_program_format(p, i, text, sizeof text) >= 0);
	must(tr_program_analyze(p, &err) == 1 && tr_program_validate(p, &err) == 1);
	tr_buf_free(&out);
	tr_program_free(p);
	return 0;
}
