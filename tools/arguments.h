/*
 * What people write for a kernel's arguments and for device memory. Contents are
 *   u8: ... u64:N  s8: ... s64:N  f32:X  f64:X   numbers, with commas between them
 *   hex:PART,PART ...                            bytes in hexadecimal digits, as they lie in
 *                                                memory, and addresses: @NAME or @NAME+OFFSET
 *   bytes:PATH, or file:PATH where no buffer can be meant   the bytes of a file
 * An argument is contents, passed by value; or the address of a buffer, passed as 8 bytes, or as 4
 * where the module's addresses have 32 bits:
 *   buf:BYTES[:zero|iota|rand]  file:PATH  ref:PART,PART ...    a new one; ref: filled as by hex:
 *   NAME=buf: ...  NAME=file: ...  NAME=ref: ...                the same, with a name
 *   @NAME  @NAME+OFFSET                                         one from before
 * iota fills with the 32-bit words 0, 1, 2 ..., rand with random bits. What cannot be read as one
 * of these ends the program with a sentence.
 */
#ifndef TOOLS_ARGUMENTS_H
#define TOOLS_ARGUMENTS_H

#include "sim/ptx/ptx.h"
#include <stdbool.h>
#include <stdio.h>

#define BUFFERS_MAX 1024

/* Bytes, with addresses among them that are known once their buffers are made. */
struct contents {
	uint8_t *bytes;
	size_t n;
	struct contents_address {
		size_t at;
		int buffer;
		uint64_t offset;
	} * addresses;
	unsigned naddresses;
};

/* Buffers by name, in the order in which they were named. */
struct buffers {
	struct buffer {
		char *name;
		uint64_t bytes;
		uint64_t address; /* 0: not made yet */
		enum buffer_fill { FILL_ZERO, FILL_IOTA, FILL_RAND, FILL_CONTENTS } fill;
		struct contents contents;
	} v[BUFFERS_MAX];
	int n;
	uint64_t seed; /* of rand */
	bool narrow;   /* addresses have 32 bits */
};

struct argument {
	const char *spec;
	struct contents value;
	int makes; /* the buffer that it makes, or -1 */
};

/* A place in a buffer. */
struct buffer_at {
	int buffer;
	uint64_t offset;
};

void contents_parse(struct contents *c, const struct buffers *b, const char *spec);
/* Puts the addresses among the bytes; all its buffers are made. */
void contents_resolve(struct contents *c, const struct buffers *b);
/* Makes each of its addresses, which have 8 bytes, one of 4. */
void contents_narrow(struct contents *c);
void contents_free(struct contents *c);

int buffer_find(const struct buffers *b, const char *name, size_t len); /* or -1 */
/* "@NAME" or "@NAME+OFFSET"; spec is what the sentence shows. */
struct buffer_at buffer_at_parse(const struct buffers *b, const char *text, const char *spec);
/* "NAME=buf:..." and its like: the new buffer's number; option is what wants it. */
int buffer_parse(struct buffers *b, const char *spec, const char *option);
/* Gives it its memory, and what it holds. 1 or TR_E*. */
int buffer_make(struct buffers *b, int i, struct ptx_machine *m, struct tr_err *err);
/* Writes what a made buffer holds to a file. */
void buffer_dump(const struct buffers *b, int i, struct ptx_machine *m, FILE *f);
/* From here on addresses have 32 bits, also those that are in the buffers already. */
void buffers_narrow(struct buffers *b);
void buffers_forget(struct buffers *b);

void argument_parse(struct argument *a, struct buffers *b, const char *spec);
void argument_free(struct argument *a);

#endif
