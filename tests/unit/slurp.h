/* A whole file as a text, for tests that read sources of the tree. */
#ifndef SLURP_H
#define SLURP_H

#include <stdio.h>

/* The caller frees it. */
static inline char *slurp(const char *path, size_t *len)
{
	FILE *f = fopen(path, "rb"), *out;
	char *text = NULL;
	int c;

	if (!f)
		fail_msg("cannot open %s", path);
	out = open_memstream(&text, len);
	while ((c = getc(f)) != EOF)
		putc(c, out);
	fclose(f);
	fclose(out);
	return text;
}

#endif
