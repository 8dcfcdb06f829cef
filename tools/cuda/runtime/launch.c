/*
 * Launches: the configuration that `<<< >>>` leaves for the stub, the checks of the real runtime
 * before a kernel runs, what a kernel needs, and how many of its CTAs fit.
 */
#include "rt.h"
#include <stdlib.h>
#include <string.h>

/* ---- kernel<<<grid, block, shared, stream>>> ---- */

/* Configurations nest: an argument of a launch may be computed by a function that launches. */
enum { CONFIGS_MAX = 64, ARGUMENTS_MAX = 4096 };
struct config {
	dim3 grid, block;
	size_t shared;
	void *stream;
};
static __thread struct config configs[CONFIGS_MAX];
static __thread unsigned nconfigs;

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, void *stream);
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream);
cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *stub);
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **args,
	size_t shared, cudaStream_t stream);

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, void *stream)
{
	if (nconfigs == CONFIGS_MAX)
		return 1;
	configs[nconfigs++] = (struct config){grid, block, shared, stream};
	return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream)
{
	if (!nconfigs)
		return cudaErrorMissingConfiguration;
	const struct config *c = &configs[--nconfigs];
	*grid = c->grid;
	*block = c->block;
	*shared = c->shared;
	*(void **)stream = c->stream;
	return cudaSuccess;
}

/* ---- a launch ---- */

static uint32_t registers_for(const struct CUfunc_st *f, uint64_t threads)
{
	const uint32_t live = ptx_live_registers(f->kernel);
	const uint64_t warps = (threads + 31) / 32;
	const uint64_t most = rt.resident.registers_per_sm / (warps * 32);

	/* PTX's registers are virtual: a compiler that must fit them into fewer spills some. */
	return live > most && most ? (uint32_t)most : 0;
}

void rt_cluster_of(const struct rt_launch *l, unsigned cluster[3])
{
	uint32_t most;

	ptx_kernel_clusters(l->f->kernel, cluster, &most);
	if (!cluster[0])
		memcpy(cluster, l->f->cluster, sizeof(l->f->cluster));
	if (!cluster[0])
		memcpy(cluster, l->cluster, sizeof(l->cluster));
	for (unsigned i = 0; i < 3; i++)
		cluster[i] = cluster[i] ? cluster[i] : 1;
}

static uint64_t size_of(const unsigned cluster[3])
{
	return (uint64_t)cluster[0] * cluster[1] * cluster[2];
}

/* Clusters as the launch wants them, the kernel has them, and the grid can be divided into. */
static cudaError_t check_clusters(const struct rt_launch *l)
{
	const uint32_t grid[] = {l->grid.x, l->grid.y, l->grid.z};
	const bool asked = l->cluster[0] || l->cluster[1] || l->cluster[2];
	uint32_t own[3], most, all[3];
	const bool must = ptx_kernel_clusters(l->f->kernel, own, &most) && !l->f->cluster[0];

	rt_cluster_of(l, all);
	if (asked ? memcmp(all, l->cluster, sizeof(all)) != 0 : must && !own[0])
		return cudaErrorInvalidClusterSize;
	if (size_of(all) > (l->f->large_clusters ? RT_CLUSTER_OPTIN : RT_CLUSTER_MAX) ||
		(most && size_of(all) > most))
		return cudaErrorInvalidClusterSize;
	for (unsigned i = 0; i < 3; i++)
		if (grid[i] % all[i])
			return cudaErrorInvalidClusterSize;
	return cudaSuccess;
}

static cudaError_t check(const struct rt_launch *l)
{
	const uint64_t threads = (uint64_t)l->block.x * l->block.y * l->block.z;
	const uint32_t bound = ptx_max_threads(l->f->kernel);
	const uint32_t block[] = {l->block.x, l->block.y, l->block.z};
	uint32_t required[3];

	if (!l->grid.x || !l->grid.y || !l->grid.z || !threads || threads > RT_THREADS_MAX ||
		l->block.x > 1024 || l->block.y > 1024 || l->block.z > 64 ||
		l->grid.x > INT32_MAX || l->grid.y > 65535 || l->grid.z > 65535)
		return cudaErrorInvalidConfiguration;
	if (ptx_required_block(l->f->kernel, required) && memcmp(required, block, sizeof(block)))
		return cudaErrorInvalidValue;
	if (bound && threads > bound)
		return cudaErrorLaunchOutOfResources;
	if (l->shared > l->f->shared_max || ptx_shared_bytes(l->f->kernel) > RT_SHARED_MAX)
		return cudaErrorInvalidValue;
	return check_clusters(l);
}

static cudaError_t refused(struct CUfunc_st *f, const char *why)
{
	if (!f->told)
		rt_say("kernel '%s': %s", f->name, why);
	f->told = true;
	rt_spoil("kernel '%s': %s", f->name, why);
	return cudaErrorNotSupported;
}

static const char *cure_of(enum ptx_fault fault)
{
	switch (fault) {
	case PTX_FAULT_STACK:
		return "; cudaDeviceSetLimit(cudaLimitStackSize, BYTES) gives more";
	case PTX_FAULT_ADDRESS:
		return "; trace-gen --run --oob warn goes on after it, --memcheck lists all like "
		       "it";
	default:
		return "";
	}
}

/* A program that goes on after a reset may find what it would not on a device. */
static void say_of_reset(void)
{
	static bool told;

	if (!rt.was_reset || told)
		return;
	told = true;
	rt_say("a kernel runs after cudaDeviceReset, which leaves memory, streams and the values "
	       "of variables as they are here");
}

cudaError_t rt_launch(const struct rt_launch *l, void *const *args)
{
	const uint64_t threads = (uint64_t)l->block.x * l->block.y * l->block.z;
	struct tr_err err = {0};
	cudaError_t e = rt_kernel_of(l->f);
	unsigned cluster[3];
	int n;

	if (e)
		return e;
	if ((e = check(l)))
		return e;
	if (ptx_refusal(l->f->kernel))
		return refused(l->f, ptx_refusal(l->f->kernel));
	if (l->cooperative) {
		if ((e = rt_occupancy(&n, l->f, (int)threads, l->shared)))
			return e;
		if ((uint64_t)l->grid.x * l->grid.y * l->grid.z > (uint64_t)n * rt.resident.sms)
			return cudaErrorCooperativeLaunchTooLarge;
	}
	rt_cluster_of(l, cluster);
	if (!l->cluster[0] && !l->f->cluster[0]) /* the machine knows what the kernel has */
		memset(cluster, 0, sizeof(cluster));
	const struct ptx_launch p = {.kernel = l->f->kernel,
		.grid = {l->grid.x, l->grid.y, l->grid.z},
		.block = {l->block.x, l->block.y, l->block.z},
		.cluster = {cluster[0], cluster[1], cluster[2]},
		.dynamic_shared = (uint32_t)l->shared,
		.registers = registers_for(l->f, threads),
		.args = (const void *const *)args,
		.nargs = ptx_nparams(l->f->kernel)};
	say_of_reset();
	if (rt_run(&p, &err) >= 0)
		return cudaSuccess;
	const char *cure = err.code == TR_ERUN ? cure_of(ptx_fault_kind(rt.machine)) : "";
	rt_say("%s%s", err.msg, cure);
	rt_spoil("%s%s", err.msg, cure);
	e = err.code == TR_EUSAGE ? cudaErrorLaunchOutOfResources : rt_error_of(&err);
	if (err.code == TR_ERUN)
		rt.sticky = e; /* as a device that has faulted: nothing works from here on */
	return e;
}

cudaError_t rt_launch_on(struct rt_launch *l, void *const *args, cudaStream_t stream)
{
	struct rt_graph *g;
	cudaError_t e;

	if (!l->f)
		return cudaErrorInvalidDeviceFunction;
	if (!rt_stream_known(stream))
		return cudaErrorInvalidResourceHandle;
	g = rt_capturing(stream);
	if (!g) {
		rt_turn(stream);
		return rt_launch(l, args);
	}
	e = rt_kernel_of(l->f);
	return e ? e : rt_capture_launch(g, l, args);
}

cudaError_t cudaLaunchKernel(
	const void *f, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t stream)
{
	RT_ENTER();
	struct rt_launch l = {rt_function(f), grid, block, shared, false, {0}};
	return rt_leave(rt_launch_on(&l, args, stream));
}

cudaError_t cudaLaunchCooperativeKernel(
	const void *f, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t stream)
{
	RT_ENTER();
	struct rt_launch l = {rt_function(f), grid, block, shared, true, {0}};
	return rt_leave(rt_launch_on(&l, args, stream));
}

cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *stub)
{
	RT_ENTER();
	RT_WANT(kernel);
	*kernel = (cudaKernel_t)rt_function(stub);
	return rt_leave(*kernel ? cudaSuccess : cudaErrorInvalidDeviceFunction);
}

cudaError_t __cudaLaunchKernel(
	cudaKernel_t kernel, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t stream)
{
	RT_ENTER();
	struct rt_launch l = {rt_function_or_handle(kernel), grid, block, shared, false, {0}};
	return rt_leave(rt_launch_on(&l, args, stream));
}

/*
 * What is left out changes only when a device does its work: priorities, domains of fences, and
 * what of a kernel may run before the one in front of it has ended.
 */
cudaError_t rt_launch_attributes(
	struct rt_launch *l, const cudaLaunchAttribute *a, unsigned n, cudaEvent_t *event)
{
	*event = NULL;
	if (n && !a)
		return cudaErrorInvalidValue;
	for (unsigned i = 0; i < n; i++)
		switch (a[i].id) {
		case cudaLaunchAttributeCooperative:
			l->cooperative = a[i].val.cooperative != 0;
			break;
		case cudaLaunchAttributeClusterDimension:
			memcpy(l->cluster, &a[i].val.clusterDim, sizeof(l->cluster));
			break;
		case cudaLaunchAttributeProgrammaticEvent:
			*event = a[i].val.programmaticEvent.event;
			break;
		case cudaLaunchAttributeLaunchCompletionEvent:
			*event = a[i].val.launchCompletionEvent.event;
			break;
		case cudaLaunchAttributeDeviceUpdatableKernelNode:
			if (a[i].val.deviceUpdatableKernelNode.deviceUpdatable)
				return rt_unsupported("a node that kernels change");
			break;
		default:
			break;
		}
	return cudaSuccess;
}

/* The launch that a config describes, for a kernel by its stub or handle. */
static cudaError_t configured(
	struct rt_launch *l, const cudaLaunchConfig_t *config, const void *f, cudaEvent_t *event)
{
	if (!config || (!config->attrs && config->numAttrs))
		return cudaErrorInvalidValue;
	*l = (struct rt_launch){rt_function_or_handle(f), config->gridDim, config->blockDim,
		config->dynamicSmemBytes, false, {0}};
	return l->f ? rt_launch_attributes(l, config->attrs, config->numAttrs, event)
		    : cudaErrorInvalidDeviceFunction;
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *f, void **args)
{
	cudaEvent_t event;
	struct rt_launch l;
	RT_ENTER();
	cudaError_t e = configured(&l, config, f, &event);
	if (!e)
		e = rt_launch_on(&l, args, config->stream);
	if (!e && event)
		e = cudaEventRecord(event, config->stream);
	return rt_leave(e);
}

/* ---- as before CUDA 9.2: cudaConfigureCall, arguments one by one, cudaLaunch ---- */

static __thread uint8_t pending[ARGUMENTS_MAX];

cudaError_t cudaConfigureCall(dim3 grid, dim3 block, size_t shared, cudaStream_t stream)
{
	RT_ENTER();
	return rt_leave(__cudaPushCallConfiguration(grid, block, shared, stream)
				? cudaErrorInvalidConfiguration
				: cudaSuccess);
}

cudaError_t cudaSetupArgument(const void *arg, size_t bytes, size_t offset)
{
	RT_ENTER();
	if (offset > sizeof(pending) || bytes > sizeof(pending) - offset)
		return rt_leave(cudaErrorInvalidValue);
	memcpy(pending + offset, arg, bytes);
	return rt_leave(cudaSuccess);
}

cudaError_t cudaLaunch(const void *f)
{
	void *args[256], *stream;
	RT_ENTER();
	struct rt_launch l = {.f = rt_function(f)};
	cudaError_t e = __cudaPopCallConfiguration(&l.grid, &l.block, &l.shared, &stream);
	if (!e)
		e = l.f ? rt_kernel_of(l.f) : cudaErrorInvalidDeviceFunction;
	if (e)
		return rt_leave(e);
	for (uint32_t i = 0; i < ptx_nparams(l.f->kernel) && i < 256; i++) {
		const uint32_t at = ptx_param_offset(l.f->kernel, i);
		if (at + ptx_param_bytes(l.f->kernel, i) > sizeof(pending))
			return rt_leave(cudaErrorInvalidValue);
		args[i] = pending + at;
	}
	return rt_leave(rt_launch_on(&l, args, stream));
}

/* ---- what a kernel needs ---- */

static uint32_t fit(uint32_t have, uint64_t each, uint32_t n)
{
	return each && have / each < n ? (uint32_t)(have / each) : n;
}

cudaError_t rt_occupancy(int *n, struct CUfunc_st *f, int block, size_t shared)
{
	const struct ptx_resident *r = &rt.resident;
	const uint32_t threads = block > 0 ? ((uint32_t)block + 31) / 32 * 32 : 0;
	uint32_t fits = r->ctas_per_sm, bound;
	cudaError_t e;

	if (!f)
		return cudaErrorInvalidDeviceFunction;
	if ((e = rt_kernel_of(f)))
		return e;
	if (!threads)
		return cudaErrorInvalidValue;
	*n = 0; /* of what no launch may have */
	bound = ptx_max_threads(f->kernel);
	if (threads > RT_THREADS_MAX || (bound && (uint32_t)block > bound) ||
		shared > f->shared_max)
		return cudaSuccess;
	fits = fit(r->threads_per_sm, threads, fits);
	if (!registers_for(f, threads))
		fits = fit(r->registers_per_sm, (uint64_t)threads * ptx_live_registers(f->kernel),
			fits);
	else
		fits = fits ? 1 : 0;
	fits = fit(
		r->shared_per_sm, ptx_shared_bytes(f->kernel) + shared + r->shared_reserved, fits);
	*n = (int)fits;
	return cudaSuccess;
}

cudaError_t rt_attributes(struct cudaFuncAttributes *a, struct CUfunc_st *f)
{
	cudaError_t e;

	if (!f)
		return cudaErrorInvalidDeviceFunction;
	if ((e = rt_kernel_of(f)))
		return e;
	const uint32_t live = ptx_live_registers(f->kernel), bound = ptx_max_threads(f->kernel);
	*a = (struct cudaFuncAttributes){.sharedSizeBytes = ptx_shared_bytes(f->kernel),
		.localSizeBytes = ptx_local_bytes(f->kernel),
		.maxThreadsPerBlock = (int)(bound ? bound : RT_THREADS_MAX),
		.numRegs = (int)(live < 255 ? live : 255),
		.ptxVersion = (int)ptx_target(f->kernel),
		.binaryVersion = rt_capability(),
		.maxDynamicSharedSizeBytes = (int)f->shared_max,
		.preferredShmemCarveout = f->carveout};
	return cudaSuccess;
}

void rt_cluster_attributes(int values[RT_CLUSTER_ATTRIBUTES], const struct CUfunc_st *f)
{
	uint32_t own[3], most;
	const bool must = ptx_kernel_clusters(f->kernel, own, &most) || own[0] || f->cluster[0];

	values[0] = must;
	for (unsigned i = 0; i < 3; i++)
		values[1 + i] = (int)(own[0] ? own[i] : f->cluster[i]);
	values[4] = f->large_clusters;
	values[5] = cudaClusterSchedulingPolicyDefault;
}

static cudaError_t set_shared(struct CUfunc_st *f, int value)
{
	const uint32_t own = ptx_shared_bytes(f->kernel);

	if (value < 0 ||
		(uint64_t)value + own + rt.resident.shared_reserved > rt.resident.shared_per_sm)
		return cudaErrorInvalidValue;
	f->shared_max = (uint32_t)value;
	return cudaSuccess;
}

/* A side of the clusters of all its launches; what the kernel itself says cannot be changed. */
static cudaError_t set_cluster(struct CUfunc_st *f, unsigned side, int value)
{
	uint32_t own[3], most;

	ptx_kernel_clusters(f->kernel, own, &most);
	if (own[0])
		return cudaErrorInvalidValue;
	if (value < 1 || value > (int)RT_CLUSTER_OPTIN)
		return cudaErrorInvalidClusterSize;
	for (unsigned i = 0; i < 3 && !f->cluster[0]; i++)
		f->cluster[2 - i] = 1;
	f->cluster[side] = (unsigned)value;
	return cudaSuccess;
}

cudaError_t rt_function_set(struct CUfunc_st *f, int attribute, int value)
{
	const cudaError_t e = rt_kernel_of(f);

	if (e)
		return e;
	switch (attribute) {
	case cudaFuncAttributeMaxDynamicSharedMemorySize:
		return set_shared(f, value);
	case cudaFuncAttributeRequiredClusterWidth:
	case cudaFuncAttributeRequiredClusterHeight:
	case cudaFuncAttributeRequiredClusterDepth:
		return set_cluster(
			f, (unsigned)attribute - cudaFuncAttributeRequiredClusterWidth, value);
	case cudaFuncAttributeNonPortableClusterSizeAllowed:
		f->large_clusters = value != 0;
		return cudaSuccess;
	case cudaFuncAttributePreferredSharedMemoryCarveout:
		if (value < cudaSharedmemCarveoutDefault || value > cudaSharedmemCarveoutMaxShared)
			return cudaErrorInvalidValue;
		f->carveout = value;
		return cudaSuccess;
	case cudaFuncAttributeClusterSchedulingPolicyPreference:
		return cudaSuccess;
	default:
		return cudaErrorInvalidValue;
	}
}

cudaError_t cudaFuncSetAttribute(const void *f, enum cudaFuncAttribute attr, int value)
{
	RT_ENTER();
	struct CUfunc_st *fn = rt_function_or_handle(f);
	return rt_leave(
		fn ? rt_function_set(fn, (int)attr, value) : cudaErrorInvalidDeviceFunction);
}

cudaError_t cudaFuncGetName(const char **name, const void *f)
{
	RT_ENTER();
	const struct CUfunc_st *fn = rt_function_or_handle(f);
	if (!name || !fn)
		return rt_leave(cudaErrorInvalidValue);
	*name = fn->name;
	return rt_leave(cudaSuccess);
}

/* The driver's handle of a kernel is the runtime's. */
cudaError_t cudaGetFuncBySymbol(cudaFunction_t *f, const void *symbol)
{
	RT_ENTER();
	struct CUfunc_st *fn = rt_function(symbol);
	if (!f || !fn)
		return rt_leave(f ? cudaErrorInvalidDeviceFunction : cudaErrorInvalidValue);
	*f = fn;
	return rt_leave(rt_kernel_of(fn));
}

cudaError_t cudaGetKernel(cudaKernel_t *kernel, const void *stub)
{
	return __cudaGetKernel(kernel, stub);
}

cudaError_t cudaFuncSetCacheConfig(const void *f, enum cudaFuncCache config)
{
	(void)config;
	RT_ENTER();
	return rt_leave(rt_function(f) ? cudaSuccess : cudaErrorInvalidDeviceFunction);
}

cudaError_t cudaFuncSetSharedMemConfig(const void *f, enum cudaSharedMemConfig config)
{
	(void)config;
	RT_ENTER();
	return rt_leave(rt_function(f) ? cudaSuccess : cudaErrorInvalidDeviceFunction);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(
	int *n, const void *f, int block, size_t shared)
{
	RT_ENTER();
	RT_WANT(n);
	return rt_leave(rt_occupancy(n, rt_function_or_handle(f), block, shared));
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
	int *n, const void *f, int block, size_t shared, unsigned int flags)
{
	(void)flags;
	return cudaOccupancyMaxActiveBlocksPerMultiprocessor(n, f, block, shared);
}

/* The most that leaves room for so many blocks on an SM. */
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(
	size_t *bytes, const void *f, int blocks, int block)
{
	int n = 0;
	RT_ENTER();
	struct CUfunc_st *fn = rt_function_or_handle(f);
	cudaError_t e =
		bytes && blocks > 0 ? rt_occupancy(&n, fn, block, 0) : cudaErrorInvalidValue;
	if (e || n < blocks)
		return rt_leave(e ? e : cudaErrorInvalidValue);
	const uint32_t each = rt.resident.shared_per_sm / (uint32_t)blocks;
	const uint32_t own = ptx_shared_bytes(fn->kernel) + rt.resident.shared_reserved;
	const uint32_t most = each < RT_SHARED_OPTIN ? each : RT_SHARED_OPTIN;
	*bytes = most > own ? most - own : 0;
	return rt_leave(cudaSuccess);
}

/* ---- clusters ---- */

cudaError_t rt_clusters_at_once(int *n, const struct rt_launch *l)
{
	const uint64_t threads = (uint64_t)l->block.x * l->block.y * l->block.z;
	unsigned cluster[3];
	int ctas = 0;
	cudaError_t e = threads > RT_THREADS_MAX
				? cudaErrorInvalidConfiguration
				: rt_occupancy(&ctas, l->f, (int)threads, l->shared);

	if (!e)
		e = check_clusters(l);
	if (e)
		return e;
	rt_cluster_of(l, cluster);
	*n = (int)((uint64_t)ctas * rt.resident.sms / size_of(cluster));
	return cudaSuccess;
}

/* Of CTAs in a row, as launches have them that say nothing of their shape. */
cudaError_t rt_largest_cluster(int *n, const struct rt_launch *l)
{
	const uint64_t threads = (uint64_t)l->block.x * l->block.y * l->block.z;
	uint32_t own[3], most;
	uint64_t largest;
	int ctas = 0;
	cudaError_t e = threads > RT_THREADS_MAX
				? cudaErrorInvalidConfiguration
				: rt_occupancy(&ctas, l->f, (int)threads, l->shared);

	if (e)
		return e;
	ptx_kernel_clusters(l->f->kernel, own, &most);
	largest = l->f->large_clusters ? RT_CLUSTER_OPTIN : RT_CLUSTER_MAX;
	if (most && most < largest)
		largest = most;
	if (largest > (uint64_t)ctas * rt.resident.sms)
		largest = (uint64_t)ctas * rt.resident.sms;
	*n = (int)largest;
	return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveClusters(
	int *clusters, const void *f, const cudaLaunchConfig_t *config)
{
	cudaEvent_t event;
	struct rt_launch l;
	RT_ENTER();
	cudaError_t e = clusters ? configured(&l, config, f, &event) : cudaErrorInvalidValue;
	return rt_leave(e ? e : rt_clusters_at_once(clusters, &l));
}

cudaError_t cudaOccupancyMaxPotentialClusterSize(
	int *ctas, const void *f, const cudaLaunchConfig_t *config)
{
	cudaEvent_t event;
	struct rt_launch l;
	RT_ENTER();
	cudaError_t e = ctas ? configured(&l, config, f, &event) : cudaErrorInvalidValue;
	return rt_leave(e ? e : rt_largest_cluster(ctas, &l));
}
