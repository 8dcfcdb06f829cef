/*
 * Filling a struct tr_err. Sentences that do not fit are cut, never grown: failing needs no memory.
 */
#include "err.h"
#include <stdio.h>

int tr_vfail(struct tr_err *err, int code, uint64_t offset, const char *fmt, va_list ap)
{
	if (err) {
		err->code = code;
		err->offset = offset;
		vsnprintf(err->msg, sizeof(err->msg), fmt, ap);
	}
	return code;
}

int tr_fail(struct tr_err *err, int code, uint64_t offset, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	tr_vfail(err, code, offset, fmt, ap);
	va_end(ap);
	return code;
}
