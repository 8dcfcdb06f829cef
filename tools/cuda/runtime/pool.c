/*
 * Memory in the order of a stream: pools, and the memory of graphs' nodes. Since everything happens
 * at once, memory of a pool is memory like any other that the pool counts; what it would keep for
 * later is a number of its own (reserved), which falls to the release threshold with each free.
 *
 * Memory of a graph has its address from the node that allocates it on, for all launches, as on a
 * real device. It is lent to the program by a launch and given back by a free; it goes when no node
 * and no program has it.
 *
 * Left out: pools of the host's memory, and those that other processes share.
 */
#include "map.h"
#include "rt.h"
#include <stdlib.h>
#include <string.h>

struct CUmemPoolHandle_st {
	int reuse[3];
	uint64_t threshold, used, used_high, reserved, reserved_high;
};

/* Memory of a pool, or of a graph. */
struct lent {
	struct CUmemPoolHandle_st *pool;
	uint64_t bytes;
	size_t nodes; /* that keep it */
	bool live;
};

static struct CUmemPoolHandle_st usual = {.reuse = {1, 1, 1}}, of_graphs;
static cudaMemPool_t current = &usual;
static struct rt_map pools, all;

static struct CUmemPoolHandle_st *pool_of(cudaMemPool_t pool)
{
	return pool == &usual ? pool : rt_map_get(&pools, pool);
}

static void take(struct CUmemPoolHandle_st *p, uint64_t bytes)
{
	p->used += bytes;
	p->used_high = p->used > p->used_high ? p->used : p->used_high;
	p->reserved = p->used > p->reserved ? p->used : p->reserved;
	p->reserved_high = p->reserved > p->reserved_high ? p->reserved : p->reserved_high;
}

static void trim(struct CUmemPoolHandle_st *p, uint64_t keep)
{
	const uint64_t least = p->used > keep ? p->used : keep;

	p->reserved = p->reserved < least ? p->reserved : least;
}

static void give_back(struct CUmemPoolHandle_st *p, uint64_t bytes)
{
	p->used -= bytes;
	trim(p, p->threshold);
}

static cudaError_t allocate(
	void **p, size_t bytes, struct CUmemPoolHandle_st *pool, struct lent **out)
{
	struct lent *l = calloc(1, sizeof(*l));
	cudaError_t e = l ? rt_allocate(p, bytes, "malloc") : cudaErrorMemoryAllocation;
	struct tr_err err = {0};

	if (!e && *p && !rt_map_put(&all, *p, l)) {
		ptx_free(rt.machine, (uintptr_t)*p, &err);
		*p = NULL;
		e = cudaErrorMemoryAllocation;
	}
	if (e || !*p) {
		free(l);
		return e;
	}
	*l = (struct lent){.pool = pool, .bytes = bytes};
	*out = l;
	return cudaSuccess;
}

static void drop_if_unused(void *p, struct lent *l)
{
	struct tr_err err = {0};

	if (l->live || l->nodes)
		return;
	rt_map_drop(&all, p);
	ptx_free(rt.machine, (uintptr_t)p, &err);
	free(l);
}

bool rt_pool_release(void *p, cudaError_t *e)
{
	struct lent *l = rt_map_get(&all, p);

	if (!l)
		return false;
	*e = l->live ? cudaSuccess : cudaErrorInvalidValue;
	if (l->live) {
		l->live = false;
		give_back(l->pool, l->bytes);
		drop_if_unused(p, l);
	}
	return true;
}

/* ---- graphs ---- */

cudaError_t rt_lent_new(void **p, size_t bytes)
{
	struct lent *l;
	const cudaError_t e = bytes ? allocate(p, bytes, &of_graphs, &l) : cudaErrorInvalidValue;

	if (!e)
		l->nodes = 1;
	return e;
}

void rt_lent_keep(void *p, int nodes)
{
	struct lent *l = rt_map_get(&all, p);

	if (!l)
		return;
	l->nodes += (size_t)nodes;
	drop_if_unused(p, l);
}

bool rt_lent_is_out(const void *p)
{
	const struct lent *l = rt_map_get(&all, p);

	return l && l->live;
}

cudaError_t rt_lent_start(void *p)
{
	struct lent *l = rt_map_get(&all, p);

	if (!l || l->live)
		return cudaErrorInvalidValue;
	take(l->pool, l->bytes);
	l->live = true;
	return cudaSuccess;
}

static cudaError_t graphs_attribute(
	int device, enum cudaGraphMemAttributeType attr, void *value, bool set)
{
	uint64_t *const of[] = {&of_graphs.used, &of_graphs.used_high, &of_graphs.reserved,
		&of_graphs.reserved_high};
	RT_ENTER();
	if (device || !value || (unsigned)attr >= 4)
		return rt_leave(device ? cudaErrorInvalidDevice : cudaErrorInvalidValue);
	if (!set)
		memcpy(value, of[attr], sizeof(uint64_t));
	else if (*(uint64_t *)value || !(attr & 1)) /* marks of the highest are set back only */
		return rt_leave(cudaErrorInvalidValue);
	else
		*of[attr] = *of[attr - 1];
	return rt_leave(cudaSuccess);
}

cudaError_t cudaDeviceGetGraphMemAttribute(
	int device, enum cudaGraphMemAttributeType attr, void *value)
{
	return graphs_attribute(device, attr, value, false);
}

cudaError_t cudaDeviceSetGraphMemAttribute(
	int device, enum cudaGraphMemAttributeType attr, void *value)
{
	return graphs_attribute(device, attr, value, true);
}

cudaError_t cudaDeviceGraphMemTrim(int device)
{
	RT_ENTER();
	trim(&of_graphs, 0);
	return rt_leave(device ? cudaErrorInvalidDevice : cudaSuccess);
}

/* ---- pools ---- */

cudaError_t cudaMallocFromPoolAsync(
	void **p, size_t bytes, cudaMemPool_t handle, cudaStream_t stream)
{
	RT_ENTER();
	struct CUmemPoolHandle_st *pool = pool_of(handle);
	struct rt_graph *g = rt_capturing(stream);
	struct lent *l;
	if (!p || !pool || !rt_stream_known(stream))
		return rt_leave(p && pool ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue);
	if (g)
		return rt_leave(rt_capture_allocation(g, p, bytes));
	*p = NULL;
	const cudaError_t e = bytes ? allocate(p, bytes, pool, &l) : cudaSuccess;
	if (!e && *p) {
		l->live = true;
		take(pool, bytes);
	}
	return rt_leave(e);
}

cudaError_t cudaMallocAsync(void **p, size_t bytes, cudaStream_t stream)
{
	return cudaMallocFromPoolAsync(p, bytes, current, stream);
}

cudaError_t cudaFreeAsync(void *p, cudaStream_t stream)
{
	RT_ENTER();
	struct rt_graph *g = rt_capturing(stream);
	if (!rt_stream_known(stream))
		return rt_leave(cudaErrorInvalidResourceHandle);
	return rt_leave(g && p ? rt_capture_free(g, p) : cudaFree(p));
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const struct cudaMemPoolProps *props)
{
	RT_ENTER();
	if (!pool || !props || props->allocType != cudaMemAllocationTypePinned)
		return rt_leave(cudaErrorInvalidValue);
	if (props->location.type != cudaMemLocationTypeDevice || props->handleTypes)
		return rt_leave(rt_unsupported("cudaMemPoolCreate of shared or the host's memory"));
	if (props->location.id)
		return rt_leave(cudaErrorInvalidDevice);
	struct CUmemPoolHandle_st *p = calloc(1, sizeof(*p));
	if (!p || !rt_map_put(&pools, p, p)) {
		free(p);
		return rt_leave(cudaErrorMemoryAllocation);
	}
	*p = (struct CUmemPoolHandle_st){.reuse = {1, 1, 1}};
	*pool = p;
	return rt_leave(cudaSuccess);
}

/* What is allocated from it stays, as on a real device: the pool goes from sight. */
cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool)
{
	RT_ENTER();
	if (!rt_map_get(&pools, pool))
		return rt_leave(cudaErrorInvalidValue);
	rt_map_drop(&pools, pool);
	if (current == pool)
		current = &usual;
	if (!pool->used)
		free(pool);
	return rt_leave(cudaSuccess);
}

static uint64_t *number_of(struct CUmemPoolHandle_st *p, enum cudaMemPoolAttr attr)
{
	switch (attr) {
	case cudaMemPoolAttrReleaseThreshold:
		return &p->threshold;
	case cudaMemPoolAttrReservedMemCurrent:
		return &p->reserved;
	case cudaMemPoolAttrReservedMemHigh:
		return &p->reserved_high;
	case cudaMemPoolAttrUsedMemCurrent:
		return &p->used;
	case cudaMemPoolAttrUsedMemHigh:
		return &p->used_high;
	default:
		return NULL;
	}
}

static bool is_rule(enum cudaMemPoolAttr attr)
{
	return attr >= cudaMemPoolReuseFollowEventDependencies &&
	       attr <= cudaMemPoolReuseAllowInternalDependencies;
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t handle, enum cudaMemPoolAttr attr, void *value)
{
	RT_ENTER();
	struct CUmemPoolHandle_st *p = pool_of(handle);
	const uint64_t *n = p ? number_of(p, attr) : NULL;
	if (!p || !value || (!n && !is_rule(attr)))
		return rt_leave(cudaErrorInvalidValue);
	if (n)
		memcpy(value, n, sizeof(*n));
	else
		memcpy(value, &p->reuse[attr - 1], sizeof(int));
	return rt_leave(cudaSuccess);
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t handle, enum cudaMemPoolAttr attr, void *value)
{
	RT_ENTER();
	struct CUmemPoolHandle_st *p = pool_of(handle);
	uint64_t *n = p ? number_of(p, attr) : NULL;
	if (!p || !value || (!n && !is_rule(attr)))
		return rt_leave(cudaErrorInvalidValue);
	if (!n)
		memcpy(&p->reuse[attr - 1], value, sizeof(int));
	else if (attr == cudaMemPoolAttrReleaseThreshold)
		memcpy(n, value, sizeof(*n));
	else if (*(uint64_t *)value || n == &p->used || n == &p->reserved)
		return rt_leave(cudaErrorInvalidValue); /* marks are set back only */
	else
		*n = n == &p->used_high ? p->used : p->reserved;
	return rt_leave(cudaSuccess);
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t keep)
{
	RT_ENTER();
	if (!pool_of(pool))
		return rt_leave(cudaErrorInvalidValue);
	trim(pool, keep);
	return rt_leave(cudaSuccess);
}

/* One device, which can always read and write its own. */
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const struct cudaMemAccessDesc *d, size_t n)
{
	RT_ENTER();
	if (!pool_of(pool) || (n && !d))
		return rt_leave(cudaErrorInvalidValue);
	for (size_t i = 0; i < n; i++)
		if (d[i].location.type != cudaMemLocationTypeDevice || d[i].location.id)
			return rt_leave(cudaErrorInvalidDevice);
		else if (d[i].flags != cudaMemAccessFlagsProtReadWrite)
			return rt_leave(cudaErrorInvalidValue);
	return rt_leave(cudaSuccess);
}

cudaError_t cudaMemPoolGetAccess(
	enum cudaMemAccessFlags *flags, cudaMemPool_t pool, struct cudaMemLocation *place)
{
	RT_ENTER();
	if (!flags || !place || !pool_of(pool))
		return rt_leave(cudaErrorInvalidValue);
	if (place->type != cudaMemLocationTypeDevice || place->id)
		return rt_leave(cudaErrorInvalidDevice);
	*flags = cudaMemAccessFlagsProtReadWrite;
	return rt_leave(cudaSuccess);
}

static cudaError_t pool_for(cudaMemPool_t *out, int device, cudaMemPool_t pool)
{
	RT_ASK();
	if (!out || device)
		return rt_leave(out ? cudaErrorInvalidDevice : cudaErrorInvalidValue);
	*out = pool;
	return rt_leave(cudaSuccess);
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device)
{
	return pool_for(pool, device, &usual);
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device)
{
	return pool_for(pool, device, current);
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool)
{
	RT_ASK();
	if (device || !pool_of(pool))
		return rt_leave(device ? cudaErrorInvalidDevice : cudaErrorInvalidValue);
	current = pool;
	return rt_leave(cudaSuccess);
}

/* As CUDA 13 has them: of a place and a kind of memory. */
cudaError_t cudaMemGetDefaultMemPool(
	cudaMemPool_t *pool, const struct cudaMemLocation *place, enum cudaMemAllocationType type);
cudaError_t cudaMemGetMemPool(
	cudaMemPool_t *pool, const struct cudaMemLocation *place, enum cudaMemAllocationType type);
cudaError_t cudaMemSetMemPool(
	const struct cudaMemLocation *place, enum cudaMemAllocationType type, cudaMemPool_t pool);

static int device_at(const struct cudaMemLocation *place, enum cudaMemAllocationType type)
{
	const bool known = place && place->type == cudaMemLocationTypeDevice &&
			   type == cudaMemAllocationTypePinned;

	return known ? place->id : -1;
}

cudaError_t cudaMemGetDefaultMemPool(
	cudaMemPool_t *pool, const struct cudaMemLocation *place, enum cudaMemAllocationType type)
{
	return cudaDeviceGetDefaultMemPool(pool, device_at(place, type));
}

cudaError_t cudaMemGetMemPool(
	cudaMemPool_t *pool, const struct cudaMemLocation *place, enum cudaMemAllocationType type)
{
	return cudaDeviceGetMemPool(pool, device_at(place, type));
}

cudaError_t cudaMemSetMemPool(
	const struct cudaMemLocation *place, enum cudaMemAllocationType type, cudaMemPool_t pool)
{
	return cudaDeviceSetMemPool(device_at(place, type), pool);
}
