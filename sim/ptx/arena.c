/* The arena is a list of chunks, each at least as large as what is asked of it. */
#include "arena.h"
#include "libtrace/err.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 64 * 1024, ALIGN = _Alignof(max_align_t) };

struct chunk {
	struct chunk *next;
	size_t used, size;
	_Alignas(ALIGN) unsigned char bytes[];
};

struct ptx_arena {
	struct chunk *head;
};

struct ptx_arena *ptx_arena_new(void)
{
	return calloc(1, sizeof(struct ptx_arena));
}

void ptx_arena_free(struct ptx_arena *a)
{
	if (!a)
		return;
	while (a->head) {
		struct chunk *c = a->head;
		a->head = c->next;
		free(c);
	}
	free(a);
}

void *ptx_arena_get(struct ptx_arena *a, size_t bytes)
{
	if (bytes > SIZE_MAX / 2)
		return NULL;
	bytes = (bytes + ALIGN - 1) / ALIGN * ALIGN;
	if (!a->head || a->head->size - a->head->used < bytes) {
		size_t size = bytes > CHUNK ? bytes : CHUNK;
		struct chunk *c = calloc(1, sizeof *c + size);
		if (!c)
			return NULL;
		c->size = size;
		c->next = a->head;
		a->head = c;
	}
	void *p = a->head->bytes + a->head->used;
	a->head->used += bytes;
	return p;
}

char *ptx_arena_printf(struct ptx_arena *a, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	int n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	char *s = n < 0 ? NULL : ptx_arena_get(a, (size_t)n + 1);
	if (!s)
		return NULL;
	va_start(ap, fmt);
	vsnprintf(s, (size_t)n + 1, fmt, ap);
	va_end(ap);
	return s;
}

int ptx_room(void *array, uint32_t n, uint32_t more, uint32_t *cap, size_t size)
{
	if ((uint64_t)n + more <= *cap)
		return 0;
	uint64_t want = (uint64_t)*cap * 2;
	if (want < (uint64_t)n + more)
		want = (uint64_t)n + more;
	if (want < 16)
		want = 16;
	void *old;
	memcpy(&old, array, sizeof old);
	if (want > UINT32_MAX || want > SIZE_MAX / size)
		return TR_EMEM;
	void *grown = realloc(old, (size_t)want * size);
	if (!grown)
		return TR_EMEM;
	memcpy(array, &grown, sizeof grown);
	*cap = (uint32_t)want;
	return 0;
}
