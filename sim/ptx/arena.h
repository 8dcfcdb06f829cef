/*
 * Memory of one parse: an arena for what lives as long as the module and never changes size, and
 * growth of plain arrays. Internal to the parser.
 */
#ifndef PTX_ARENA_H
#define PTX_ARENA_H

#include <stddef.h>
#include <stdint.h>

struct ptx_arena;

struct ptx_arena *ptx_arena_new(void); /* NULL without memory */
void ptx_arena_free(struct ptx_arena *a);
/* Zeroed, aligned for any object, valid until ptx_arena_free. NULL without memory. */
void *ptx_arena_get(struct ptx_arena *a, size_t bytes);
char *ptx_arena_printf(struct ptx_arena *a, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * `array` is the address of a pointer to n elements of `size` bytes with room for *cap: makes room
 * for `more` after them. 0 or TR_EMEM, and then nothing has changed.
 */
int ptx_room(void *array, uint32_t n, uint32_t more, uint32_t *cap, size_t size);

#endif
