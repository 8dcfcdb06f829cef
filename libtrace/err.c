/*
 * Filling a struct tr_err. Of sentences that do not fit the middle is left out, since what failed
 * stands at the beginning and why at the end; failing needs no memory.
 */
#include "err.h"
#include <stdio.h>
#include <string.h>

static void put(char *msg, size_t size, const char *fmt, va_list ap)
{
	static const char gap[] = " ... ";
	char whole[8192]; /* a path and more */
	const int n = vsnprintf(whole, sizeof(whole), fmt, ap);
	const size_t len = n < 0 ? 0 : (size_t)n < sizeof(whole) ? (size_t)n : sizeof(whole) - 1;
	const size_t end = size / 2, begin = size - 1 - end - (sizeof(gap) - 1);

	whole[len] = 0;
	if (len < size) {
		memcpy(msg, whole, len + 1);
		return;
	}
	memcpy(msg, whole, begin);
	memcpy(msg + begin, gap, sizeof(gap) - 1);
	memcpy(msg + begin + sizeof(gap) - 1, whole + len - end, end + 1);
}

int tr_vfail(struct tr_err *err, int code, uint64_t offset, const char *fmt, va_list ap)
{
	if (err) {
		err->code = code;
		err->offset = offset;
		put(err->msg, sizeof(err->msg), fmt, ap);
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
