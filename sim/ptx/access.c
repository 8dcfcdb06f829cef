/*
 * Where a warp's addresses lead when they are not all in the span that the instruction found last:
 * lane by lane, with generic addresses taken apart, and the words for an access that may not be.
 */
#include "sim/ptx/memcheck.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *verb(const struct ptx_code *c)
{
	return c->kind == PTX_K_LOAD ? "reads" : c->kind == PTX_K_STORE ? "writes" : "updates";
}

/* The space that an address reaches, and its offset there. */
static enum tr_space space_at(const struct ptx_run *run, enum tr_space space, uint64_t *address)
{
	if (space != TR_S_GENERIC)
		return space;
	if (*address - TR_SHARED_WINDOW < TR_WINDOW_BYTES) {
		*address -= TR_SHARED_WINDOW;
		return TR_S_SHARED;
	}
	if (*address - TR_LOCAL_WINDOW < TR_WINDOW_BYTES) {
		*address -= TR_LOCAL_WINDOW;
		return TR_S_LOCAL;
	}
	if (*address - run->const_base < PTX_CONST_STRIDE) {
		*address -= run->const_base;
		return TR_S_CONST;
	}
	if (*address - PTX_PARAM_WINDOW < PTX_CONST_WINDOW - PTX_PARAM_WINDOW) {
		*address -= PTX_PARAM_WINDOW;
		return TR_S_PARAM;
	}
	return TR_S_GLOBAL;
}

struct ptx_span ptx_shared_span(const struct ptx_warp *w, uint64_t offset, int of_cluster)
{
	const struct ptx_cta *cta = w->cta, *owner = cta;
	const uint64_t whose = offset >> TR_SHARED_RANK_AT;
	const struct ptx_span nobodys = {offset, 0, cta->shared};

	if (whose > cta->run->cluster_ctas || (whose && !of_cluster && whose != cta->rank + 1ull))
		return nobodys;
	if (whose)
		owner = cta->cluster->cta[whose - 1];
	if (owner->ndone == owner->nwarps)
		return nobodys;
	return (struct ptx_span){whose << TR_SHARED_RANK_AT, cta->run->shared_bytes, owner->shared};
}

struct ptx_cta *ptx_shared_owner(const struct ptx_cta *cta, const uint8_t *at)
{
	for (uint32_t r = 0; r < cta->run->cluster_ctas; r++) {
		struct ptx_cta *c = cta->cluster->cta[r];
		if ((uintptr_t)at - (uintptr_t)c->shared < cta->run->shared_bytes)
			return c;
	}
	return NULL;
}

/* Why it may not be accessed. */
static void shared_where(
	const struct ptx_warp *w, const struct ptx_code *c, uint64_t offset, char *where, size_t n)
{
	const struct ptx_run *run = w->cta->run;
	const uint64_t whose = offset >> TR_SHARED_RANK_AT;
	const int of_cluster = c->space == TR_S_GENERIC || c->inst->flags & PTX_F_CLUSTER;

	if (!whose || whose > 255)
		snprintf(where, n, "beyond the %u bytes of shared memory", run->shared_bytes);
	else if (whose > run->cluster_ctas)
		snprintf(where, n, "the shared memory of CTA %u of a cluster of %u",
			(unsigned)whose - 1, run->cluster_ctas);
	else if (!of_cluster && whose != w->cta->rank + 1ull)
		snprintf(where, n, "the shared memory of another CTA, which is .shared::cluster");
	else if (ptx_shared_span(w, offset, 1).bytes)
		snprintf(where, n, "beyond the %u bytes of CTA %u's shared memory",
			run->shared_bytes, (unsigned)whose - 1);
	else
		snprintf(where, n, "the shared memory of the cluster's CTA %u, which has exited",
			(unsigned)whose - 1);
}

/* The memory of a space as one lane sees it; global memory has many spans and is not asked here. */
static struct ptx_span span_of(const struct ptx_warp *w, enum tr_space space, unsigned lane)
{
	const struct ptx_run *run = w->cta->run;
	const uint64_t thread = w->number * PTX_LANES + lane;

	switch (space) {
	case TR_S_LOCAL:
		return (struct ptx_span){
			0, run->local_bytes, w->cta->local + thread * run->local_bytes};
	case TR_S_CONST:
		return (struct ptx_span){0, run->const_bytes, run->const_bank};
	default:
		return (struct ptx_span){0, run->param_bytes, run->params};
	}
}

/* How a lane accesses memory: in which space, and how far into it. */
struct reach {
	unsigned lane, bytes, align;
	uint64_t address; /* as the lane named it */
	enum tr_space space;
	uint64_t offset;
};

static int is_misaligned(const struct reach *r)
{
	return (r->offset & (r->align - 1)) != 0;
}

/* Constants and kernels' parameters, which a generic address reaches, are there to be read. */
static int is_forbidden(const struct ptx_code *c, enum tr_space space)
{
	return c->kind != PTX_K_LOAD &&
	       (space == TR_S_CONST || (space == TR_S_PARAM && c->space == TR_S_GENERIC));
}

static int misplaced(const struct ptx_warp *w, const struct ptx_code *c, const struct reach *r)
{
	const struct ptx_run *run = w->cta->run;
	const enum tr_space space = r->space;
	const uint64_t address = r->address, offset = r->offset;
	const unsigned lane = r->lane, size = r->bytes;
	char where[200];

	run->machine->fault = is_misaligned(r) ? PTX_FAULT_MISALIGNED : PTX_FAULT_ADDRESS;
	if (is_misaligned(r))
		return ptx_fault(w, c, lane,
			"%s %u bytes at 0x%" PRIx64 ", which is no multiple of %u", verb(c), size,
			address, r->align);
	if (is_forbidden(c, space))
		snprintf(where, sizeof(where), "which is %s memory, and only to be read",
			space == TR_S_PARAM ? "parameter" : tr_space_name(space));
	else if (space == TR_S_GLOBAL && address >= PTX_BUFFER_WINDOW && address < PTX_PARAM_WINDOW)
		snprintf(where, sizeof(where), "which is no byte of a parameter buffer");
	else if (space == TR_S_SHARED)
		shared_where(w, c, offset, where, sizeof(where));
	else if (space == TR_S_GLOBAL)
		ptx_memory_where(&run->machine->memory, address, where, sizeof(where));
	else
		snprintf(where, sizeof(where), "beyond the %" PRIu64 " bytes of %s memory",
			span_of(w, space, lane).bytes,
			space == TR_S_PARAM ? "parameter" : tr_space_name(space));
	return ptx_fault(
		w, c, lane, "%s %u bytes at 0x%" PRIx64 ", %s", verb(c), size, address, where);
}

/*
 * A lane accesses what is not there, not aligned or not for it: a fault, unless the machine
 * forgives it, and then *at is a place of the lane's own that holds zeros.
 */
static int astray(struct ptx_warp *w, const struct ptx_code *c, const struct reach *r, uint8_t **at)
{
	struct ptx_machine *m = w->cta->run->machine;
	struct tr_err *err = w->cta->run->err;
	const unsigned lane = r->lane, size = r->bytes;

	if (m->opt.memcheck && size <= sizeof(m->forgiven.nowhere[lane])) {
		const enum ptx_finding_kind kind =
			is_misaligned(r) ? PTX_FOUND_MISALIGNED : PTX_FOUND_OUTSIDE;
		memset(m->forgiven.nowhere[lane], 0, size);
		*at = m->forgiven.nowhere[lane];
		if (ptx_found_again(w, c, kind))
			return 0;
		misplaced(w, c, r);
		return ptx_found(w, c, kind, &(struct ptx_accessed){lane, size, r->address});
	}
	if (!m->opt.forgive || is_misaligned(r) || size > sizeof(m->forgiven.nowhere[lane]))
		return misplaced(w, c, r);
	if (!m->forgiven.n++) {
		misplaced(w, c, r);
		m->forgiven.first = *err;
		*err = (struct tr_err){0};
		m->fault = PTX_FAULT_OTHER;
	}
	memset(m->forgiven.nowhere[lane], 0, size);
	*at = m->forgiven.nowhere[lane];
	return 0;
}

const uint8_t *ptx_lane_bytes(
	const struct ptx_warp *w, unsigned lane, uint64_t address, uint64_t *bytes)
{
	const struct ptx_run *run = w->cta->run;
	struct ptx_span s = {0, 0, NULL};

	if (ptx_address_bytes(run->kernel->module) == 4)
		address = ptx_widened(address, run->const_base);
	const enum tr_space space = space_at(run, TR_S_GENERIC, &address);

	if (space == TR_S_SHARED) {
		s = ptx_shared_span(w, address, 1);
	} else if (space != TR_S_GLOBAL) {
		s = span_of(w, space, lane);
	} else {
		const struct ptx_allocation *a =
			ptx_memory_find(&w->cta->run->machine->memory, address, 1);
		if (a)
			s = a->span;
	}
	if (address - s.base >= s.bytes)
		return NULL;
	*bytes = s.bytes - (address - s.base);
	return s.host + (address - s.base);
}

/* sizes: bytes of each lane's access, at a multiple of the instruction's; NULL: all the latter. */
static inline int resolve(struct ptx_warp *w, struct ptx_code *c, const uint32_t *sizes,
	const uint64_t address[PTX_LANES], uint8_t *at[PTX_LANES])
{
	struct ptx_machine *m = w->cta->run->machine;
	const unsigned align = c->bytes * c->vec, first = (unsigned)__builtin_ctz(w->mask);
	const int of_cluster = c->space == TR_S_GENERIC || c->inst->flags & PTX_F_CLUSTER;
	struct ptx_span global = {0, 0, NULL};

	for (unsigned i = first; i < PTX_LANES; i++) {
		const uint64_t size = sizes ? sizes[i] : align;
		uint64_t offset = address[i];
		if (!(w->mask >> i & 1))
			continue;
		const enum tr_space space = space_at(w->cta->run, c->space, &offset);
		struct ptx_span s = global;
		if (space == TR_S_SHARED) {
			s = ptx_shared_span(w, offset, of_cluster);
		} else if (space != TR_S_GLOBAL) {
			s = span_of(w, space, i);
		} else if (offset - s.base >= s.bytes) {
			const struct ptx_allocation *a = ptx_memory_find(&m->memory, offset, size);
			if (a) {
				s = global = a->span;
			} else {
				/* It is freed one day: no instruction remembers it. */
				s = ptx_buffer_span(&m->device, offset);
			}
		}
		if (s.host && !(offset & (align - 1)) && size <= s.bytes &&
			offset - s.base <= s.bytes - size && !is_forbidden(c, space))
			at[i] = s.host + (offset - s.base);
		else if (!size)
			at[i] = m->forgiven.nowhere[i];
		else if (astray(w, c,
				 &(struct reach){
					 i, (unsigned)size, align, address[i], space, offset},
				 &at[i]) < 0)
			return w->cta->run->err->code;
	}
	for (unsigned i = 0; i < PTX_LANES; i++)
		if (!(w->mask >> i & 1))
			at[i] = at[first];
	if (global.host)
		c->hit = global;
	return 0;
}

int ptx_resolve(struct ptx_warp *w, struct ptx_code *c, const uint64_t address[PTX_LANES],
	uint8_t *at[PTX_LANES])
{
	return resolve(w, c, NULL, address, at);
}

int ptx_resolve_parts(struct ptx_warp *w, struct ptx_code *c, const uint32_t sizes[PTX_LANES],
	const uint64_t address[PTX_LANES], uint8_t *at[PTX_LANES])
{
	return resolve(w, c, sizes, address, at);
}
