/*
 * How a library call fails: it returns a negative TR_E* and fills the caller's struct tr_err with
 * the place and one sentence. Nothing here prints or exits.
 */
#ifndef WARPTRACE_ERR_H
#define WARPTRACE_ERR_H

#include <stdarg.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum tr_error {
	TR_EIO = -1,      /* the operating system refused a read or a write */
	TR_EDATA = -2,    /* the bytes are not what the format allows */
	TR_ETRUNC = -3,   /* the stream stops before its end block */
	TR_EMEM = -4,     /* no memory */
	TR_EVERSION = -5, /* a newer major version, or a required block type that we do not know */
	TR_EKIND = -6,    /* the other kind of stream */
	TR_EUSAGE = -7,   /* the caller asked for what cannot be (a launch beyond the last, say) */
	TR_ERUN = -8,     /* a kernel did something wrong while it was executed */
	TR_ESAID = -9,    /* the stream's writer failed before it began, and said why */
};

struct tr_err {
	int code;        /* a TR_E*, 0 when nothing failed */
	uint64_t offset; /* byte offset in the stream where that makes sense, else 0 */
	char msg[800];   /* one sentence, lower case, no full stop */
};

/* Fills *err (which may be NULL) and returns `code`: a failing function ends in one line. */
int tr_fail(struct tr_err *err, int code, uint64_t offset, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
int tr_vfail(struct tr_err *err, int code, uint64_t offset, const char *fmt, va_list ap);

#ifdef __cplusplus
}
#endif
#endif
