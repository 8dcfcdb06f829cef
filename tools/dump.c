/* Streams as text; see dump.h. */
#include "tools/dump.h"
#include "tools/accesses.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

bool programs_add(struct programs *s, uint32_t number)
{
	if (number >= s->n) {
		s->known = must_realloc(s->known, number + (size_t)1, sizeof(*s->known));
		memset(s->known + s->n, 0, (number + (size_t)1 - s->n) * sizeof(*s->known));
		s->n = number + 1;
	}
	if (s->known[number])
		return false;
	return s->known[number] = true;
}

static void dump_number(FILE *f, const char *name, uint32_t v)
{
	if (v == TR_NONE)
		fprintf(f, " %s=-", name);
	else if (v == TR_EXIT)
		fprintf(f, " %s=exit", name);
	else
		fprintf(f, " %s=%" PRIu32, name, v);
}

static void dump_pc(FILE *f, const char *before, uint32_t inst)
{
	if (inst == TR_NONE)
		fprintf(f, "%s-", before);
	else if (inst == TR_EXIT)
		fprintf(f, "%sexit", before);
	else
		fprintf(f, "%s0x%" PRIx32, before, inst * TR_PC_BYTES);
}

/* As people write it: counters waited for, those of sources and of the result, yield, stall. */
static void dump_control(FILE *f, uint32_t bits)
{
	const struct tr_control c = tr_control_of(bits);

	fputs(" control=B", f);
	for (unsigned i = 0; i < TR_CONTROL_COUNTERS; i++)
		fputc(c.wait >> i & 1 ? '0' + (int)i : '-', f);
	fprintf(f, ":R%c:W%c:%c:S%02u", c.sources == TR_CONTROL_NONE ? '-' : '0' + c.sources,
		c.result == TR_CONTROL_NONE ? '-' : '0' + c.result, c.yields ? 'Y' : '-', c.stall);
	if (c.reuse)
		fprintf(f, ":U%x", c.reuse);
}

static void dump_inst(FILE *f, uint32_t number, const struct tr_program *p, uint32_t i)
{
	const struct tr_inst *in = &p->insts[i];
	char text[256];

	tr_program_format(p, i, text, sizeof(text));
	fprintf(f, "inst %" PRIu32, number);
	dump_pc(f, " ", i);
	fprintf(f, " '%s' class=%s space=%s", text, tr_class_name((enum tr_class)in->cls),
		tr_space_name((enum tr_space)in->space));
	dump_number(f, "block", in->block);
	if (p->control && p->control[i])
		dump_control(f, p->control[i]);
	for (uint32_t k = 0; k < in->nsucc; k++)
		dump_pc(f, k ? "," : " succ=", p->succ_pool[in->succ + k]);
	if (in->nsucc > 1) {
		dump_pc(f, " ipdom=", in->ipdom);
		dump_pc(f, " lcp=", in->lcp);
	}
	if (in->flags & TR_I_API)
		fputs(in->aux == TR_API_STREAM     ? " makes-stream"
			: in->aux == TR_API_BUFFER ? " gets-buffer"
						   : " launches",
			f);
	if (tr_aux_kind(in) == TR_AUX_OPERAND)
		fprintf(f, " operand=%" PRIu32, tr_aux_number(in));
	if (tr_aux_kind(in) == TR_AUX_MBARRIER)
		fprintf(f, " mbarrier=%" PRIu32, tr_aux_number(in));
	fprintf(f, "%s%s%s", in->flags & TR_I_UNIFORM ? " uniform" : "",
		in->flags & TR_I_OUTCOME ? " outcome" : "", in->flags & TR_I_VALUE ? " value" : "");
	fprintf(f, " %s:%" PRIu32 "\n", in->file == TR_NONE ? "-" : tr_str(p, in->file), in->line);
}

void dump_program(FILE *f, uint32_t number, const struct tr_program *p)
{
	fprintf(f,
		"program %" PRIu32 " %s insts=%" PRIu32 " regs=%" PRIu32 " shared=%" PRIu32
		" local=%" PRIu32 " param=%" PRIu32 " live_registers=%" PRIu32 " marks=0x%" PRIx32
		"\n",
		number, tr_str(p, p->name), p->ninsts, p->nregs, p->shared_bytes, p->local_bytes,
		p->param_bytes, p->live_registers, p->marks);
	for (uint32_t i = 0; i < p->ninsts; i++)
		dump_inst(f, number, p, i);
	for (uint32_t b = 0; b < p->nblocks; b++) {
		const struct tr_block *blk = &p->blocks[b];

		fprintf(f, "block %" PRIu32 " %" PRIu32, number, b);
		dump_pc(f, " first=", blk->first);
		fprintf(f, " insts=%" PRIu32 " rank=%" PRIu32, blk->n, blk->rank);
		dump_number(f, "loop", blk->loop);
		dump_number(f, "idom", blk->idom);
		dump_number(f, "ipdom", blk->ipdom);
		fputc('\n', f);
	}
	for (uint32_t l = 0; l < p->nloops; l++) {
		const struct tr_loop *loop = &p->loops[l];

		fprintf(f,
			"loop %" PRIu32 " %" PRIu32 " header=%" PRIu32 " depth=%" PRIu32
			" blocks=%" PRIu32,
			number, l, loop->header, loop->depth, loop->nblocks);
		dump_number(f, "parent", loop->parent);
		fputc('\n', f);
	}
}

void dump_launch(FILE *f, const struct tr_launch *l)
{
	fprintf(f, "launch %" PRIu32 " program=%" PRIu32 " position=%" PRIu32 " queue=%" PRIu32,
		l->number, l->program, l->position, l->queue);
	dump_number(f, "after", l->after);
	fprintf(f,
		" grid=%" PRIu32 ",%" PRIu32 ",%" PRIu32 " block=%" PRIu32 ",%" PRIu32 ",%" PRIu32
		" registers=%" PRIu32 " shared=%" PRIu32 " local=%" PRIu32,
		l->grid[0], l->grid[1], l->grid[2], l->block[0], l->block[1], l->block[2],
		l->registers, l->shared_bytes, l->local_bytes);
	if (l->parent_launch != TR_NONE)
		fprintf(f,
			" parent=%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",0x%" PRIx32
			" buffer=0x%" PRIx64 ",%" PRIu64,
			l->parent_launch, l->parent_cta, l->parent_thread,
			l->parent_inst * TR_PC_BYTES, l->buffer, l->buffer_bytes);
	fputc('\n', f);
	for (uint32_t i = 0; i < l->nallocs; i++)
		fprintf(f, "alloc %" PRIu32 " %s base=0x%" PRIx64 " bytes=%" PRIu64 "\n", l->number,
			l->allocs[i].name, l->allocs[i].base, l->allocs[i].bytes);
	for (uint32_t i = 0; i < l->ncopies; i++)
		fprintf(f, "copy %" PRIu32 " base=0x%" PRIx64 " bytes=%" PRIu64 "\n", l->number,
			l->copies[i].base, l->copies[i].bytes);
}

/* A thread's outcomes and values as its walk meets them. */
void dump_cta(FILE *f, const struct tr_program *p, const struct tr_cta *c)
{
	struct tr_walk w;

	fprintf(f, "cta %" PRIu32 " %" PRIu32 " threads=%" PRIu32 "\n", c->launch, c->number,
		c->nthreads);
	for (uint32_t t = 0; t < c->nthreads; t++) {
		fprintf(f, "thread %" PRIu32 " %" PRIu32 " %" PRIu32 " outcomes=", c->launch,
			c->number, t);
		tr_walk_start(&w, p, &c->threads[t]);
		while (tr_walk_next(&w) > 0)
			if (p->insts[w.inst].flags & TR_I_OUTCOME)
				fprintf(f, w.outcome > 9 ? "<%" PRIu32 ">" : "%" PRIu32, w.outcome);
		fputs(" values=", f);
		for (uint32_t v = 0; v < c->threads[t].nvalues; v++)
			fprintf(f, "%s%" PRIx64, v ? "," : "", c->threads[t].values[v]);
		fputc('\n', f);
	}
	for (uint32_t i = 0; i < c->nsync; i++)
		fprintf(f,
			"sync %" PRIu32 " %" PRIu32 " reader=%" PRIu32 " value=%" PRIu32
			" writer=%" PRIu32 " value=%" PRIu32 "\n",
			c->launch, c->number, c->sync[i].reader, c->sync[i].reader_value,
			c->sync[i].writer, c->sync[i].writer_value);
	for (uint32_t i = 0; i < c->nspins; i++) {
		const struct tr_spin *s = &c->spins[i];
		fprintf(f, "spin %" PRIu32 " %" PRIu32 " inst=0x%" PRIx32, c->launch, c->number,
			s->inst * TR_PC_BYTES);
		if (s->polls != TR_NONE)
			fprintf(f, " polls=0x%" PRIx32, s->polls * TR_PC_BYTES);
		fprintf(f, " rounds=%" PRIu64 " insts=%" PRIu64 "\n", s->rounds, s->insts);
	}
}

static void dump_total(FILE *f, const uint64_t *t, const char *const *names, unsigned n)
{
	fputs("end", f);
	for (unsigned i = 0; i < n; i++)
		fprintf(f, " %s=%" PRIu64, names[i], t[i]);
	fputc('\n', f);
}

void dump_totals(FILE *f, const uint64_t *t)
{
	static const char *const names[] = {"programs", "launches", "ctas", "threads",
		"thread_insts", "outcomes", "values", "sync_reads"};

	dump_total(f, t, names, sizeof(names) / sizeof(names[0]));
}

void dump_access_info(FILE *f, const struct tr_access_info *i)
{
	fprintf(f,
		"info warp_size=%" PRIu32 " line=%" PRIu32 " sms=%" PRIu32
		" rule=%s order=%s machine=%s sets=%" PRIu32 " ways=%" PRIu32
		" index=%s write=%s\n",
		i->warp_size, i->line_bytes, i->sms, *i->rule ? i->rule : "-",
		*i->order ? i->order : "-", *i->machine ? i->machine : "-", i->sets, i->ways,
		index_names[i->index], write_names[i->write]);
}

static void dump_lanes(FILE *f, const uint64_t *lanes)
{
	unsigned word = TR_LANES_MAX / 64 - 1;

	while (word && !lanes[word])
		word--;
	fprintf(f, " lanes=0x%" PRIx64, lanes[word]);
	while (word)
		fprintf(f, "%016" PRIx64, lanes[--word]);
}

void dump_access(FILE *f, uint32_t launch, const struct tr_access *a)
{
	static const char *const ops[] = {"read", "write", "atomic"};
	static const char *const results[] = {"-", "hit", "miss", "merge", "bypass"};

	fprintf(f, "access %" PRIu32 " sm=%" PRIu32 " cta=%" PRIu32 " warp=%" PRIu32, launch, a->sm,
		a->cta, a->warp);
	dump_pc(f, " ", a->inst);
	fprintf(f, " %s %s line=0x%" PRIx64, tr_space_name((enum tr_space)a->space), ops[a->op],
		a->line);
	dump_lanes(f, a->lanes);
	fprintf(f, " active=%u bytes=%u sectors=0x%" PRIx32, a->active + 1u, a->bytes, a->sectors);
	dump_number(f, "loop", a->loop);
	fprintf(f,
		" trip=%" PRIu32 " warp_insts=%" PRIu64 " thread_insts=%" PRIu64 " result=%s%s\n",
		a->trip, a->warp_insts, a->thread_insts, results[a->result],
		a->first ? " first" : "");
}

void dump_access_totals(FILE *f, const uint64_t *t)
{
	static const char *const names[] = {
		"programs", "launches", "accesses", "warp_insts", "thread_insts", "mem_insts"};

	dump_total(f, t, names, sizeof(names) / sizeof(names[0]));
}
