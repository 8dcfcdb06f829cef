/*
 * Lines of the program's source, by .loc. An instruction that was inlined from a header of a
 * compiler or of CUDA counts for the line that called it: the innermost one that is not in such a
 * header. Compilers name what is at hand only, `.loc FILE LINE COLUMN, function_name LABEL,
 * inlined_at FILE LINE COLUMN`, and where that place is inlined itself an earlier .loc has it (PTX
 * ISA, .loc). Paths stand at the end of the text, so this is settled when all is read.
 *
 * Left out: what lies more than SEARCH_MAX .locs with inlined_at back.
 */
#include "parse.h"
#include "ptx.h"
#include <string.h>

/* Instructions and refusals have this bit in their file until lines are settled. */
#define INLINED (1u << 31)
enum { SEARCH_MAX = 1000 };

struct ptx_inlined {
	uint32_t file, line, column;
	uint32_t at_file, at_line, at_column;
	uint32_t first; /* of those in the same body */
};

int ptx_loc_inlined(struct ptx_parser *p, uint32_t column, const uint32_t at[3])
{
	if (p->ninlined == INLINED - 1 ||
		ptx_room(&p->inlined, p->ninlined, 1, &p->cap_inlined, sizeof *p->inlined))
		return ptx_no_memory(p);
	p->inlined[p->ninlined] = (struct ptx_inlined){.file = p->file,
		.line = p->line,
		.column = column,
		.at_file = p->first_file + at[0],
		.at_line = at[1],
		.at_column = at[2],
		.first = p->first_inlined};
	p->file = INLINED | p->ninlined++;
	return 1;
}

/* As nvcc and clang name their own, wherever they are installed. */
static int is_header(const struct ptx_parser *p, uint32_t file)
{
	static const char *const folders[] = {"/clang/", "/targets/", "/usr/local/cuda"};
	const char *path = file < p->m->nfiles ? p->m->files[file] : NULL;
	for (unsigned i = 0; path && i < sizeof folders / sizeof *folders; i++) {
		const char *folder = strstr(path, folders[i]);
		if (folder && strstr(folder, "/include/"))
			return 1;
	}
	return 0;
}

/* The .loc of the call that e was inlined at, where that is inlined itself; NULL: it is not. */
static const struct ptx_inlined *caller(
	const struct ptx_parser *p, const struct ptx_inlined *e, unsigned *steps)
{
	const struct ptx_inlined *first = &p->inlined[e->first];
	for (const struct ptx_inlined *b = e; b > first && (*steps)++ < SEARCH_MAX;) {
		b--;
		if (b->file == e->at_file && b->line == e->at_line && b->column == e->at_column)
			return b;
	}
	return NULL;
}

static void settle(const struct ptx_parser *p, uint32_t *file, uint32_t *line)
{
	if (!(*file & INLINED))
		return;
	const struct ptx_inlined *own = &p->inlined[*file & ~INLINED];
	unsigned steps = 0;
	*file = own->file;
	*line = own->line;
	for (const struct ptx_inlined *e = own; e && is_header(p, *file);
		e = caller(p, e, &steps)) {
		*file = e->at_file;
		*line = e->at_line;
	}
	if (is_header(p, *file)) {
		*file = own->file;
		*line = own->line;
	}
}

void ptx_lines_settle(struct ptx_parser *p)
{
	for (uint32_t n = 0; n < p->nbodies; n++) {
		struct ptx_body *b = p->bodies[n];
		for (uint32_t i = 0; i < b->ninsts; i++)
			settle(p, &b->insts[i].file, &b->insts[i].line);
		settle(p, &b->refusal_file, &b->refusal_line);
	}
}

char *ptx_refusal_at(struct ptx_parser *p, const char *why, uint32_t file, uint32_t line)
{
	const char *source = line && file < p->m->nfiles ? p->m->files[file] : NULL;
	const char *end = source ? strstr(why, ": ") : NULL, *digits = end;
	for (; end; end = digits = strstr(end + 1, ": ")) { /* behind ":LINE" */
		while (digits > why && digits[-1] >= '0' && digits[-1] <= '9')
			digits--;
		if (digits < end && digits > why && digits[-1] == ':')
			return ptx_arena_printf(p->m->arena, "%.*s (%s:%u)%s", (int)(end - why),
				why, source, line, end);
	}
	return ptx_arena_printf(p->m->arena, "%s", why);
}
