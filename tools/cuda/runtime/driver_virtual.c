/*
 * The driver's virtual memory: addresses that are reserved, memory that is made apart from them and
 * mapped there, once or several times. A piece of memory is a file of the kernel's that has no
 * name, so that two mappings of one piece hold the same bytes. What may be accessed and lies side
 * by side is one allocation to the machine, as it is one piece to kernels and copies.
 *
 * Left out: memory shared with other processes, of the host or of other devices; memory that may be
 * read only, which may be written here as well.
 */
#include "driver.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define GRANULARITY (2ull << 20)                     /* as of NVIDIA's devices */
#define FIRST_ADDRESS (RT_REGION + PTX_REGION_BYTES) /* beyond what cudaMalloc gives */

/* A piece of memory; it goes when nobody holds its handle and it is mapped nowhere. */
struct piece {
	struct piece *next;
	size_t bytes;
	CUmemAllocationProp prop;
	int file;
	unsigned holders, mappings;
};

/* In the order of addresses. */
struct mapping {
	struct mapping *next;
	uint64_t at;
	size_t bytes;
	struct piece *piece;
	CUmemAccess_flags access;
};

struct reservation {
	struct reservation *next;
	uint64_t at;
	size_t bytes;
	struct mapping *mappings;
};

static struct piece *pieces;
static struct reservation *reservations;
static uint64_t next_address = FIRST_ADDRESS;

static bool whole(uint64_t n)
{
	return n && n % GRANULARITY == 0;
}

/* ---- what the machine knows ---- */

/* All allocations of a reservation's are taken from the machine. */
static void hide(const struct reservation *r)
{
	struct tr_err err = {0};
	uint64_t base, bytes;

	for (const struct mapping *m = r->mappings; m; m = m->next)
		if (ptx_allocation(rt.machine, m->at, &base, &bytes) && base == m->at)
			ptx_free(rt.machine, m->at, &err);
}

/* And those that it has now are given: each as long as what may be accessed goes on. */
static cudaError_t show(const struct reservation *r)
{
	struct tr_err err = {0};
	char name[48];

	for (const struct mapping *m = r->mappings, *end; m; m = end) {
		size_t bytes = m->bytes;

		for (end = m->next; m->access && end && end->access && end->at == m->at + bytes;
			end = end->next)
			bytes += end->bytes;
		if (!m->access)
			continue;
		snprintf(name, sizeof(name), "virtual%llu", (unsigned long long)rt.nallocs++);
		if (ptx_adopt(rt.machine, name, (void *)(uintptr_t)m->at, bytes, &err) < 0)
			return cudaErrorMemoryAllocation;
	}
	return cudaSuccess;
}

/* ---- addresses ---- */

static struct reservation *reserved(uint64_t at, size_t bytes)
{
	struct reservation *r = reservations;

	while (r && (at < r->at || bytes > r->bytes || at - r->at > r->bytes - bytes))
		r = r->next;
	return r;
}

static cudaError_t new_reservation(
	CUdeviceptr *p, size_t bytes, size_t alignment, CUdeviceptr wanted)
{
	struct reservation *r;

	if (alignment < GRANULARITY)
		alignment = GRANULARITY;
	if (!whole(bytes) || alignment & (alignment - 1))
		return cudaErrorInvalidValue;
	if (!(r = calloc(1, sizeof(*r))))
		return cudaErrorMemoryAllocation;
	r->bytes = bytes;
	/* Another address than the wanted one may be given. */
	if (wanted && wanted % alignment == 0 && !ptx_map_at(wanted, bytes, PROT_NONE)) {
		r->at = wanted;
	} else {
		r->at = (next_address + alignment - 1) & ~(uint64_t)(alignment - 1);
		if (bytes > (1ull << 46) - r->at || ptx_map_at(r->at, bytes, PROT_NONE)) {
			free(r);
			return cudaErrorMemoryAllocation;
		}
		next_address = r->at + bytes + GRANULARITY; /* so that running over is found */
	}
	r->next = reservations;
	reservations = r;
	*p = r->at;
	return cudaSuccess;
}

CUresult cuMemAddressReserve(CUdeviceptr *p, size_t bytes, size_t alignment, CUdeviceptr wanted,
	unsigned long long flags)
{
	cudaError_t e = rt_enter();

	if (!e)
		e = p && !flags ? new_reservation(p, bytes, alignment, wanted)
				: cudaErrorInvalidValue;
	return of(rt_leave(e));
}

CUresult cuMemAddressFree(CUdeviceptr p, size_t bytes)
{
	cudaError_t e = rt_enter();
	struct reservation **at = &reservations, *r;

	while (*at && (*at)->at != p)
		at = &(*at)->next;
	r = *at;
	if (!e && (!r || r->bytes != bytes || r->mappings))
		e = cudaErrorInvalidValue;
	if (!e) {
		*at = r->next;
		munmap((void *)(uintptr_t)p, bytes);
		free(r);
	}
	return of(rt_leave(e));
}

/* ---- memory ---- */

static struct piece *piece_of(CUmemGenericAllocationHandle handle)
{
	struct piece *p = pieces;

	while (p && (uintptr_t)p != handle)
		p = p->next;
	return p;
}

/* What nobody has any more is no more. */
static void drop(struct piece *p)
{
	struct piece **at = &pieces;

	if (p->holders || p->mappings)
		return;
	while (*at != p)
		at = &(*at)->next;
	*at = p->next;
	ptx_uncount(rt.machine, p->bytes);
	close(p->file);
	free(p);
}

static cudaError_t check_property(const CUmemAllocationProp *prop)
{
	if (!prop || prop->type != CU_MEM_ALLOCATION_TYPE_PINNED ||
		prop->location.type != CU_MEM_LOCATION_TYPE_DEVICE)
		return cudaErrorInvalidValue;
	if (prop->requestedHandleTypes)
		return rt_unsupported("memory that other processes may have");
	return prop->location.id ? cudaErrorInvalidDevice : cudaSuccess;
}

static cudaError_t new_piece(
	CUmemGenericAllocationHandle *handle, size_t bytes, const CUmemAllocationProp *prop)
{
	cudaError_t e = check_property(prop);
	struct piece *p;

	if (e || !whole(bytes))
		return e ? e : cudaErrorInvalidValue;
	if (!(p = calloc(1, sizeof(*p))))
		return cudaErrorMemoryAllocation;
	p->file = memfd_create("warptrace", MFD_CLOEXEC);
	if (p->file < 0 || ftruncate(p->file, (off_t)bytes) || !ptx_count(rt.machine, bytes)) {
		if (p->file >= 0)
			close(p->file);
		free(p);
		return cudaErrorMemoryAllocation;
	}
	p->holders = 1;
	p->bytes = bytes;
	p->prop = *prop;
	p->next = pieces;
	pieces = p;
	*handle = (uintptr_t)p;
	return cudaSuccess;
}

CUresult cuMemCreate(CUmemGenericAllocationHandle *handle, size_t bytes,
	const CUmemAllocationProp *prop, unsigned long long flags)
{
	cudaError_t e = rt_enter();

	if (!e)
		e = handle && !flags ? new_piece(handle, bytes, prop) : cudaErrorInvalidValue;
	return of(rt_leave(e));
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle)
{
	cudaError_t e = rt_enter();
	struct piece *p = piece_of(handle);

	if (!e && (!p || !p->holders))
		e = cudaErrorInvalidValue;
	if (!e) {
		p->holders--;
		drop(p);
	}
	return of(rt_leave(e));
}

CUresult cuMemGetAllocationGranularity(
	size_t *bytes, const CUmemAllocationProp *prop, CUmemAllocationGranularity_flags option)
{
	cudaError_t e = rt_enter();

	if (!e)
		e = bytes && option <= CU_MEM_ALLOC_GRANULARITY_RECOMMENDED ? check_property(prop)
									    : cudaErrorInvalidValue;
	if (!e)
		*bytes = GRANULARITY;
	return of(rt_leave(e));
}

CUresult cuMemGetAllocationPropertiesFromHandle(
	CUmemAllocationProp *prop, CUmemGenericAllocationHandle handle)
{
	cudaError_t e = rt_enter();
	const struct piece *p = piece_of(handle);

	if (!e && (!prop || !p))
		e = cudaErrorInvalidValue;
	if (!e)
		*prop = p->prop;
	return of(rt_leave(e));
}

/* ---- mappings ---- */

static cudaError_t map(uint64_t at, size_t bytes, size_t offset, struct piece *p)
{
	struct reservation *r = reserved(at, bytes);
	struct mapping **link, *m;

	if (!r || !p || !whole(bytes) || at % GRANULARITY || offset || bytes != p->bytes)
		return cudaErrorInvalidValue;
	for (link = &r->mappings; *link && (*link)->at + (*link)->bytes <= at;)
		link = &(*link)->next;
	if (*link && (*link)->at < at + bytes)
		return cudaErrorInvalidValue;
	if (!(m = calloc(1, sizeof(*m))))
		return cudaErrorMemoryAllocation;
	*m = (struct mapping){*link, at, bytes, p, CU_MEM_ACCESS_FLAGS_PROT_NONE};
	*link = m;
	p->mappings++;
	return cudaSuccess;
}

CUresult cuMemMap(CUdeviceptr p, size_t bytes, size_t offset, CUmemGenericAllocationHandle handle,
	unsigned long long flags)
{
	cudaError_t e = rt_enter();

	if (!e)
		e = flags ? cudaErrorInvalidValue : map(p, bytes, offset, piece_of(handle));
	return of(rt_leave(e));
}

/* The mappings that the bytes from `at` on are all of, the first one's link; NULL: they are not. */
static struct mapping **whole_mappings(struct reservation *r, uint64_t at, size_t bytes)
{
	struct mapping **first = &r->mappings;

	while (*first && (*first)->at < at)
		first = &(*first)->next;
	for (const struct mapping *m = *first; m && m->at == at && m->bytes <= bytes; m = m->next) {
		at += m->bytes;
		bytes -= m->bytes;
		if (!bytes)
			return first;
	}
	return NULL;
}

static cudaError_t set_access(uint64_t at, size_t bytes, const CUmemAccessDesc *desc, size_t count)
{
	struct reservation *r = reserved(at, bytes);
	struct mapping **first = r ? whole_mappings(r, at, bytes) : NULL;
	cudaError_t e = cudaSuccess, again;

	if (!first || !desc || count != 1 || desc->location.type != CU_MEM_LOCATION_TYPE_DEVICE)
		return cudaErrorInvalidValue;
	if (desc->location.id)
		return cudaErrorInvalidDevice;
	hide(r);
	for (struct mapping *m = *first; m && m->at < at + bytes && !e; m = m->next) {
		const bool may = desc->flags != CU_MEM_ACCESS_FLAGS_PROT_NONE;
		if (mmap((void *)(uintptr_t)m->at, m->bytes,
			    may ? PROT_READ | PROT_WRITE : PROT_NONE, MAP_SHARED | MAP_FIXED,
			    m->piece->file, 0) == MAP_FAILED)
			e = cudaErrorMemoryAllocation;
		else
			m->access = desc->flags;
	}
	again = show(r); /* also where a part could not be mapped */
	return e ? e : again;
}

CUresult cuMemSetAccess(CUdeviceptr p, size_t bytes, const CUmemAccessDesc *desc, size_t count)
{
	cudaError_t e = rt_enter();

	if (!e)
		e = set_access(p, bytes, desc, count);
	return of(rt_leave(e));
}

/* The mapping that p lies in, or NULL. */
static const struct mapping *mapped(uint64_t p)
{
	const struct reservation *r = reserved(p, 1);
	const struct mapping *m = r ? r->mappings : NULL;

	while (m && m->at + m->bytes <= p)
		m = m->next;
	return m && p >= m->at ? m : NULL;
}

CUresult cuMemGetAccess(unsigned long long *flags, const CUmemLocation *location, CUdeviceptr p)
{
	cudaError_t e = rt_enter();
	const struct mapping *m = mapped(p);

	if (!e && (!flags || !location || location->type != CU_MEM_LOCATION_TYPE_DEVICE ||
			  location->id || !m))
		e = cudaErrorInvalidValue;
	if (!e)
		*flags = m->access;
	return of(rt_leave(e));
}

static cudaError_t unmap(uint64_t at, size_t bytes)
{
	struct reservation *r = reserved(at, bytes);
	struct mapping **first = r ? whole_mappings(r, at, bytes) : NULL;

	if (!first)
		return cudaErrorInvalidValue;
	hide(r);
	for (struct mapping *m; (m = *first) && m->at < at + bytes;) {
		mmap((void *)(uintptr_t)m->at, m->bytes, PROT_NONE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
		*first = m->next;
		m->piece->mappings--;
		drop(m->piece);
		free(m);
	}
	return show(r);
}

CUresult cuMemUnmap(CUdeviceptr p, size_t bytes)
{
	cudaError_t e = rt_enter();

	if (!e)
		e = unmap(p, bytes);
	return of(rt_leave(e));
}

CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *handle, void *p)
{
	cudaError_t e = rt_enter();
	const struct mapping *m = mapped((uintptr_t)p);

	if (!e && (!handle || !m))
		e = cudaErrorInvalidValue;
	if (!e) {
		m->piece->holders++;
		*handle = (uintptr_t)m->piece;
	}
	return of(rt_leave(e));
}
