/*
 * The driver's entry points, cu...: the runtime's work under other names and numbers. A program may
 * mix both, as on a real device. Contexts are names alone, of which a thread has one at a time; the
 * runtime's calls give the primary one to a thread that has none.
 * Here: errors, devices, contexts, functions, launches, streams and events. driver_library.c has
 * modules and libraries, driver_memory.c memory and copies, driver_array.c arrays and textures,
 * driver_virtual.c memory that is mapped to addresses, driver_graph.c graphs.
 *
 * Left out: cubins, what is of other processes, waits for values that are yet to come.
 */
#include "driver.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- errors in words ---- */

static const struct {
	CUresult number;
	const char *name;
} names[] = {
	{CUDA_SUCCESS, "CUDA_SUCCESS"},
#define CU_ERROR(number, name) {CUDA_ERROR_##name, "CUDA_ERROR_" #name},
#include "warptrace/driver_errors.def"
#undef CU_ERROR
};

CUresult cuGetErrorName(CUresult error, const char **text)
{
	if (!text)
		return CUDA_ERROR_INVALID_VALUE;
	for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (names[i].number == error) {
			*text = names[i].name;
			return CUDA_SUCCESS;
		}
	*text = NULL;
	return CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult error, const char **text)
{
	const CUresult known = cuGetErrorName(error, text);

	if (!known)
		*text = cudaGetErrorString((cudaError_t)error);
	return known;
}

/* ---- devices and contexts ---- */

struct CUctx_st {
	CUcontext next;
};
static struct CUctx_st primary;
static CUcontext made; /* those of cuCtxCreate */
static __thread CUcontext contexts[64];
static __thread unsigned ncontexts;

void rt_use_context(void)
{
	if (!ncontexts)
		contexts[ncontexts++] = &primary;
}

CUresult cuInit(unsigned int flags)
{
	return flags ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult cuDriverGetVersion(int *version)
{
	return version ? of(cudaDriverGetVersion(version)) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuDeviceGetCount(int *count)
{
	return count ? of(cudaGetDeviceCount(count)) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuDeviceGet(CUdevice *device, int ordinal)
{
	if (!device)
		return CUDA_ERROR_INVALID_VALUE;
	*device = 0;
	return ordinal ? CUDA_ERROR_INVALID_DEVICE : CUDA_SUCCESS;
}

/* Perhaps the program's first call, which starts the machine. */
static CUresult properties(struct cudaDeviceProp *p, CUdevice device)
{
	const cudaError_t entered = rt_enter();

	if (!entered)
		rt_properties(p);
	rt_leave(entered);
	return device ? CUDA_ERROR_INVALID_DEVICE : of(entered);
}

CUresult cuDeviceGetName(char *name, int size, CUdevice device)
{
	struct cudaDeviceProp p = {.name = ""};
	CUresult e;

	if (!name || size < 1)
		return CUDA_ERROR_INVALID_VALUE;
	e = properties(&p, device);
	if (!e)
		snprintf(name, (size_t)size, "%s", p.name);
	return e;
}

CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device)
{
	struct cudaDeviceProp p;
	const CUresult e = bytes ? properties(&p, device) : CUDA_ERROR_INVALID_VALUE;

	if (!e)
		*bytes = p.totalGlobalMem;
	return e;
}

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attr, CUdevice device)
{
	if (!value)
		return CUDA_ERROR_INVALID_VALUE;
	return of(cudaDeviceGetAttribute(value, (enum cudaDeviceAttr)attr, device));
}

CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice device)
{
	const CUresult r =
		cuDeviceGetAttribute(major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);

	return r ? r
		 : cuDeviceGetAttribute(
			   minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
}

/* Where the list of those that cuCtxCreate made has the context, or its end. */
static CUcontext *made_at(CUcontext context)
{
	CUcontext *at = &made;

	while (*at && *at != context)
		at = &(*at)->next;
	return at;
}

static bool known(CUcontext context)
{
	rt_enter();
	const bool is = context && (context == &primary || *made_at(context));
	rt_leave(cudaSuccess);
	return is;
}

CUresult cuCtxPushCurrent_v2(CUcontext context)
{
	if (!known(context))
		return CUDA_ERROR_INVALID_CONTEXT;
	if (ncontexts == sizeof(contexts) / sizeof(*contexts))
		return CUDA_ERROR_INVALID_CONTEXT;
	contexts[ncontexts++] = context;
	return CUDA_SUCCESS;
}

CUresult cuCtxPopCurrent_v2(CUcontext *context)
{
	if (!ncontexts)
		return CUDA_ERROR_INVALID_CONTEXT;
	ncontexts--;
	if (context)
		*context = contexts[ncontexts];
	return CUDA_SUCCESS;
}

CUresult cuCtxCreate_v2(CUcontext *context, unsigned int flags, CUdevice device)
{
	(void)flags;
	if (!context || device)
		return context ? CUDA_ERROR_INVALID_DEVICE : CUDA_ERROR_INVALID_VALUE;
	*context = calloc(1, sizeof(**context));
	if (!*context)
		return CUDA_ERROR_OUT_OF_MEMORY;
	rt_enter();
	(*context)->next = made;
	made = *context;
	rt_leave(cudaSuccess);
	return cuCtxPushCurrent_v2(*context);
}

/* A context of part of the SMs, or of more that a release's struct asks for, is not there. */
CUresult cuCtxCreate_v3(
	CUcontext *context, const void *affinity, int n, unsigned int flags, CUdevice device)
{
	if (affinity || n)
		return of(rt_unsupported("a context of part of the SMs"));
	return cuCtxCreate_v2(context, flags, device);
}

CUresult cuCtxCreate_v4(CUcontext *context, const void *params, unsigned int flags, CUdevice device)
{
	if (params)
		return of(rt_unsupported("a context with parameters"));
	return cuCtxCreate_v2(context, flags, device);
}

CUresult cuCtxDestroy_v2(CUcontext context)
{
	if (!known(context))
		return CUDA_ERROR_INVALID_CONTEXT;
	if (ncontexts && contexts[ncontexts - 1] == context)
		ncontexts--;
	rt_enter();
	CUcontext *at = made_at(context);
	if (*at) {
		*at = context->next;
		free(context);
	}
	rt_leave(cudaSuccess);
	return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext context)
{
	if (context && !known(context))
		return CUDA_ERROR_INVALID_CONTEXT;
	ncontexts -= ncontexts != 0;
	return context ? cuCtxPushCurrent_v2(context) : CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext *context)
{
	if (!context)
		return CUDA_ERROR_INVALID_VALUE;
	*context = ncontexts ? contexts[ncontexts - 1] : NULL;
	return CUDA_SUCCESS;
}

CUresult cuCtxGetDevice(CUdevice *device)
{
	if (!device)
		return CUDA_ERROR_INVALID_VALUE;
	*device = 0;
	return ncontexts ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult cuCtxGetFlags(unsigned int *flags)
{
	return of(cudaGetDeviceFlags(flags));
}

CUresult cuCtxGetLimit(size_t *value, CUlimit limit)
{
	return of(cudaDeviceGetLimit(value, (enum cudaLimit)limit));
}

CUresult cuCtxSetLimit(CUlimit limit, size_t value)
{
	return of(cudaDeviceSetLimit((enum cudaLimit)limit, value));
}

CUresult cuCtxGetCacheConfig(CUfunc_cache *config)
{
	enum cudaFuncCache c;
	const cudaError_t e = cudaDeviceGetCacheConfig(config ? &c : NULL);

	if (!e)
		*config = (CUfunc_cache)c;
	return of(e);
}

CUresult cuCtxSetCacheConfig(CUfunc_cache config)
{
	return of(cudaDeviceSetCacheConfig((enum cudaFuncCache)config));
}

CUresult cuCtxGetApiVersion(CUcontext context, unsigned int *version)
{
	if (context && !known(context))
		return CUDA_ERROR_INVALID_CONTEXT;
	if (!version)
		return CUDA_ERROR_INVALID_VALUE;
	*version = CUDA_VERSION;
	return CUDA_SUCCESS;
}

CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest)
{
	return of(cudaDeviceGetStreamPriorityRange(least, greatest));
}

CUresult cuCtxGetSharedMemConfig(CUsharedconfig *config)
{
	enum cudaSharedMemConfig c;
	const cudaError_t e = cudaDeviceGetSharedMemConfig(config ? &c : NULL);

	if (!e)
		*config = (CUsharedconfig)c;
	return of(e);
}

CUresult cuCtxSetSharedMemConfig(CUsharedconfig config)
{
	return of(cudaDeviceSetSharedMemConfig((enum cudaSharedMemConfig)config));
}

/* All contexts are of one device, which has no peer. */
CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned int flags)
{
	CUcontext now = NULL;

	cuCtxGetCurrent(&now);
	if (!now || now == peer || !known(peer))
		return CUDA_ERROR_INVALID_CONTEXT;
	return flags ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
}

CUresult cuCtxDisablePeerAccess(CUcontext peer)
{
	CUcontext now = NULL;

	cuCtxGetCurrent(&now);
	return now && known(peer) ? CUDA_ERROR_PEER_ACCESS_NOT_ENABLED : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult cuDeviceGetP2PAttribute(int *value, CUdevice_P2PAttribute attr, CUdevice from, CUdevice to)
{
	return of(cudaDeviceGetP2PAttribute(value, (enum cudaDeviceP2PAttr)attr, from, to));
}

CUresult cuDeviceGetByPCIBusId(CUdevice *device, const char *id)
{
	return of(cudaDeviceGetByPCIBusId(device, id));
}

CUresult cuDeviceGetPCIBusId(char *id, int size, CUdevice device)
{
	return of(cudaDeviceGetPCIBusId(id, size, device));
}

CUresult cuDeviceGetUuid(CUuuid *id, CUdevice device)
{
	struct cudaDeviceProp p;
	const CUresult e = id ? properties(&p, device) : CUDA_ERROR_INVALID_VALUE;

	if (!e)
		*id = p.uuid;
	return e;
}

CUresult cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer)
{
	return of(cudaDeviceCanAccessPeer(can, device, peer));
}

CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned int *flags, int *active)
{
	if (device || !active)
		return device ? CUDA_ERROR_INVALID_DEVICE : CUDA_ERROR_INVALID_VALUE;
	*active = 1;
	return of(cudaGetDeviceFlags(flags));
}

CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned int flags)
{
	return device ? CUDA_ERROR_INVALID_DEVICE : of(cudaSetDeviceFlags(flags));
}

CUresult cuDevicePrimaryCtxReset_v2(CUdevice device)
{
	return device ? CUDA_ERROR_INVALID_DEVICE : of(cudaDeviceReset());
}

CUresult cuCtxSynchronize(void)
{
	return of(cudaDeviceSynchronize());
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device)
{
	if (!context)
		return CUDA_ERROR_INVALID_VALUE;
	*context = &primary;
	return device ? CUDA_ERROR_INVALID_DEVICE : CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device)
{
	return device ? CUDA_ERROR_INVALID_DEVICE : CUDA_SUCCESS;
}

/* ---- functions ---- */

/* Arguments that lie in one buffer, as `extra` has them. */
static CUresult spread(CUfunction f, void **extra, void **args, unsigned max)
{
	const struct ptx_kernel *k = f->kernel;
	const uint32_t n = ptx_nparams(k);
	char *buffer = NULL;
	size_t bytes = 0;

	for (; extra && *extra != CU_LAUNCH_PARAM_END; extra += 2)
		if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER)
			buffer = extra[1];
		else if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE)
			bytes = *(size_t *)extra[1];
	if (n > max || (n && !buffer))
		return CUDA_ERROR_INVALID_VALUE;
	for (uint32_t i = 0; i < n; i++) {
		if (ptx_param_offset(k, i) + ptx_param_bytes(k, i) > bytes)
			return CUDA_ERROR_INVALID_VALUE;
		args[i] = buffer + ptx_param_offset(k, i);
	}
	return CUDA_SUCCESS;
}

static CUresult launch(struct rt_launch l, void **args, void **extra, CUstream stream)
{
	const cudaError_t entered = rt_enter();
	CUresult e = l.f ? of(entered) : CUDA_ERROR_INVALID_HANDLE;
	void *own[1024];

	if (!e)
		e = of(rt_kernel_of(l.f));
	if (!e && !args) {
		e = spread(l.f, extra, own, 1024);
		args = own;
	}
	if (!e)
		e = of(rt_launch_on(&l, args, stream));
	rt_leave(entered);
	return e;
}

CUresult cuLaunchKernel(CUfunction f, unsigned int gx, unsigned int gy, unsigned int gz,
	unsigned int bx, unsigned int by, unsigned int bz, unsigned int shared, CUstream stream,
	void **args, void **extra)
{
	return launch((struct rt_launch){f, {gx, gy, gz}, {bx, by, bz}, shared, false, {0}}, args,
		extra, stream);
}

CUresult cuLaunchCooperativeKernel(CUfunction f, unsigned int gx, unsigned int gy, unsigned int gz,
	unsigned int bx, unsigned int by, unsigned int bz, unsigned int shared, CUstream stream,
	void **args)
{
	return launch((struct rt_launch){f, {gx, gy, gz}, {bx, by, bz}, shared, true, {0}}, args,
		NULL, stream);
}

static CUresult configured(
	struct rt_launch *l, const CUlaunchConfig *c, CUfunction f, cudaEvent_t *event)
{
	_Static_assert(
		sizeof(CUlaunchAttribute) == sizeof(cudaLaunchAttribute) &&
			offsetof(CUlaunchAttribute, value) == offsetof(cudaLaunchAttribute, val),
		"the driver's attributes are the runtime's");
	if (!c || !f)
		return c ? CUDA_ERROR_INVALID_HANDLE : CUDA_ERROR_INVALID_VALUE;
	*l = (struct rt_launch){f, {c->gridDimX, c->gridDimY, c->gridDimZ},
		{c->blockDimX, c->blockDimY, c->blockDimZ}, c->sharedMemBytes, false, {0}};
	return of(rt_launch_attributes(
		l, (const cudaLaunchAttribute *)(const void *)c->attrs, c->numAttrs, event));
}

CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction f, void **args, void **extra)
{
	cudaEvent_t event;
	struct rt_launch l;
	CUresult e = configured(&l, config, f, &event);

	if (!e)
		e = launch(l, args, extra, config->hStream);
	if (!e && event)
		e = of(cudaEventRecord(event, config->hStream));
	return e;
}

typedef cudaError_t clusters_of(int *n, const struct rt_launch *l);
static CUresult ask_clusters(
	int *n, CUfunction f, const CUlaunchConfig *config, clusters_of *answer)
{
	cudaEvent_t event;
	struct rt_launch l;
	CUresult e = n ? configured(&l, config, f, &event) : CUDA_ERROR_INVALID_VALUE;
	const cudaError_t entered = rt_enter();

	if (!e)
		e = of(entered);
	if (!e)
		e = of(answer(n, &l));
	rt_leave(entered);
	return e;
}

CUresult cuOccupancyMaxActiveClusters(int *clusters, CUfunction f, const CUlaunchConfig *config)
{
	return ask_clusters(clusters, f, config, rt_clusters_at_once);
}

CUresult cuOccupancyMaxPotentialClusterSize(int *ctas, CUfunction f, const CUlaunchConfig *config)
{
	return ask_clusters(ctas, f, config, rt_largest_cluster);
}

CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attr, CUfunction f)
{
	struct cudaFuncAttributes a = {0};
	int clusters[RT_CLUSTER_ATTRIBUTES];
	const cudaError_t entered = rt_enter();
	cudaError_t e = value && f ? entered : cudaErrorInvalidValue;

	if (!e)
		e = rt_attributes(&a, f);
	rt_leave(entered);
	if (e)
		return of(e);
	switch (attr) {
	case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
		*value = a.maxThreadsPerBlock;
		return CUDA_SUCCESS;
	case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
		*value = (int)a.sharedSizeBytes;
		return CUDA_SUCCESS;
	case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
		*value = (int)a.constSizeBytes;
		return CUDA_SUCCESS;
	case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
		*value = (int)a.localSizeBytes;
		return CUDA_SUCCESS;
	case CU_FUNC_ATTRIBUTE_NUM_REGS:
		*value = a.numRegs;
		return CUDA_SUCCESS;
	case CU_FUNC_ATTRIBUTE_PTX_VERSION:
		*value = a.ptxVersion;
		return CUDA_SUCCESS;
	case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
		*value = a.binaryVersion;
		return CUDA_SUCCESS;
	case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA:
		*value = a.cacheModeCA;
		return CUDA_SUCCESS;
	case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
		*value = a.preferredShmemCarveout;
		return CUDA_SUCCESS;
	case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
		*value = a.maxDynamicSharedSizeBytes;
		return CUDA_SUCCESS;
	case CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET:
	case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
	case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
	case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
	case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
	case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
		rt_cluster_attributes(clusters, f);
		*value = clusters[attr - CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET];
		return CUDA_SUCCESS;
	default:
		return CUDA_ERROR_INVALID_VALUE;
	}
}

CUresult cuFuncSetAttribute(CUfunction f, CUfunction_attribute attr, int value)
{
	const cudaError_t entered = rt_enter();
	CUresult e = f ? of(entered) : CUDA_ERROR_INVALID_VALUE;

	if (!e)
		e = of(rt_function_set(f, (int)attr, value));
	rt_leave(entered);
	return e;
}

CUresult cuFuncSetCacheConfig(CUfunction f, CUfunc_cache config)
{
	(void)config;
	return f ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *n, CUfunction f, int block, size_t shared)
{
	if (!n || !f)
		return CUDA_ERROR_INVALID_VALUE;
	return of(cudaOccupancyMaxActiveBlocksPerMultiprocessor(n, f, block, shared));
}

CUresult cuFuncSetSharedMemConfig(CUfunction f, CUsharedconfig config)
{
	(void)config;
	return f ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
	int *n, CUfunction f, int block, size_t shared, unsigned int flags)
{
	if (flags & ~(unsigned)CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE)
		return CUDA_ERROR_INVALID_VALUE;
	return cuOccupancyMaxActiveBlocksPerMultiprocessor(n, f, block, shared);
}

/* The block with the most threads resident on an SM, the largest of several, and as many of it as
 * the device holds at once. */
CUresult cuOccupancyMaxPotentialBlockSize(
	int *grid, int *block, CUfunction f, CUoccupancyB2DSize shared_of, size_t shared, int limit)
{
	int top, sms, best = 0;
	CUresult e = grid && block && f ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;

	if (!e)
		e = cuFuncGetAttribute(&top, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, f);
	if (!e)
		e = cuDeviceGetAttribute(&sms, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0);
	if (e)
		return e;
	*grid = *block = 0;
	top = limit > 0 && limit < top ? limit : top;
	for (int b = (top + 31) / 32 * 32, n = 0; b > 0 && !e; b -= 32) {
		const int threads = b < top ? b : top;
		e = cuOccupancyMaxActiveBlocksPerMultiprocessor(
			&n, f, threads, shared_of ? shared_of(threads) : shared);
		if (!e && n * threads > best) {
			best = n * threads;
			*block = threads;
			*grid = n * sms;
		}
	}
	return e;
}

CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block, CUfunction f,
	CUoccupancyB2DSize shared_of, size_t shared, int limit, unsigned int flags)
{
	if (flags & ~(unsigned)CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE)
		return CUDA_ERROR_INVALID_VALUE;
	return cuOccupancyMaxPotentialBlockSize(grid, block, f, shared_of, shared, limit);
}

CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, CUfunction f, int blocks, int block)
{
	return f ? of(cudaOccupancyAvailableDynamicSMemPerBlock(bytes, f, blocks, block))
		 : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuFuncGetName(const char **name, CUfunction f)
{
	return of(cudaFuncGetName(name, f));
}

CUresult cuFuncGetModule(CUmodule *module, CUfunction f)
{
	if (!module || !f)
		return CUDA_ERROR_INVALID_VALUE;
	*module = f->module;
	return CUDA_SUCCESS;
}

CUresult cuFuncGetParamInfo(CUfunction f, size_t i, size_t *offset, size_t *bytes)
{
	const cudaError_t entered = rt_enter();
	CUresult e = f && offset ? of(entered) : CUDA_ERROR_INVALID_VALUE;

	if (!e)
		e = of(rt_kernel_of(f));
	if (!e && i >= ptx_nparams(f->kernel))
		e = CUDA_ERROR_INVALID_VALUE;
	if (!e) {
		*offset = ptx_param_offset(f->kernel, (uint32_t)i);
		if (bytes)
			*bytes = ptx_param_bytes(f->kernel, (uint32_t)i);
	}
	rt_leave(entered);
	return e;
}

/* ---- functions by name ---- */

/* Forms of functions whose arguments differ, and the release that each is of; the oldest first. */
static const struct {
	const char *name;
	int since;
	const char *form;
} forms[] = {
	{"cuCtxCreate", 3020, "cuCtxCreate_v2"},
	{"cuCtxCreate", 11040, "cuCtxCreate_v3"},
	{"cuCtxCreate", 12050, "cuCtxCreate_v4"},
	{"cuGetProcAddress", 11030, "cuGetProcAddress"},
	{"cuGetProcAddress", 12000, "cuGetProcAddress_v2"},
	{"cuGraphAddKernelNode", 10000, "cuGraphAddKernelNode"},
	{"cuGraphAddKernelNode", 12000, "cuGraphAddKernelNode_v2"},
	{"cuGraphAddNode", 12020, "cuGraphAddNode"},
	{"cuGraphAddNode", 12030, "cuGraphAddNode_v2"},
	{"cuGraphExecKernelNodeSetParams", 10010, "cuGraphExecKernelNodeSetParams"},
	{"cuGraphExecKernelNodeSetParams", 12000, "cuGraphExecKernelNodeSetParams_v2"},
	{"cuGraphExecUpdate", 10020, "cuGraphExecUpdate"},
	{"cuGraphExecUpdate", 12000, "cuGraphExecUpdate_v2"},
	{"cuMemAdvise", 8000, "cuMemAdvise"},
	{"cuMemAdvise", 12020, "cuMemAdvise_v2"},
	{"cuMemPrefetchAsync", 8000, "cuMemPrefetchAsync"},
	{"cuMemPrefetchAsync", 12020, "cuMemPrefetchAsync_v2"},
	{"cuStreamBeginCapture", 10000, "cuStreamBeginCapture"},
	{"cuStreamBeginCapture", 10010, "cuStreamBeginCapture_v2"},
	{"cuStreamGetCaptureInfo", 10010, "cuStreamGetCaptureInfo"},
	{"cuStreamGetCaptureInfo", 11030, "cuStreamGetCaptureInfo_v2"},
	{"cuStreamGetCaptureInfo", 12030, "cuStreamGetCaptureInfo_v3"},
	{"cuStreamGetCtx", 9020, "cuStreamGetCtx"},
	{"cuStreamGetCtx", 12050, "cuStreamGetCtx_v2"},
};

/*
 * *f: the driver's function in the form of a release, 11080 of CUDA 11.8; NULL: none, and the
 * result says whether later releases have one.
 */
static CUdriverProcAddressQueryResult named(const char *name, int version, void **f)
{
	char second[200];
	const char *form = NULL;
	bool listed = false;

	*f = NULL;
	for (unsigned i = 0; i < sizeof(forms) / sizeof(*forms); i++)
		if (!strcmp(forms[i].name, name)) {
			listed = true;
			form = forms[i].since <= version ? forms[i].form : form;
		}
	if (listed && !form)
		return CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT;
	if (listed) {
		*f = dlsym(RTLD_DEFAULT, form);
	} else if (!strncmp(name, "cu", 2) && name[2] != 'd' &&
		   strlen(name) <= sizeof(second) - 4) {
		snprintf(second, sizeof(second), "%s_v2", name);
		void *const wide = dlsym(RTLD_DEFAULT, second);
		/* CUDA 3.2 made addresses and sizes 64 bits wide; what was before is not here. */
		if (wide && version < 3020)
			return CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT;
		*f = wide ? wide : dlsym(RTLD_DEFAULT, name);
	}
	return *f ? CU_GET_PROC_ADDRESS_SUCCESS : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
}

CUresult cuGetProcAddress(const char *name, void **f, int version, cuuint64_t flags)
{
	(void)flags;
	if (!name || !f)
		return CUDA_ERROR_INVALID_VALUE;
	return named(name, version, f) ? CUDA_ERROR_NOT_FOUND : CUDA_SUCCESS;
}

/* Whoever asks for the status reads there that nothing was found: it is no error then. */
CUresult cuGetProcAddress_v2(const char *name, void **f, int version, cuuint64_t flags,
	CUdriverProcAddressQueryResult *status)
{
	if (!status)
		return cuGetProcAddress(name, f, version, flags);
	if (!name || !f)
		return CUDA_ERROR_INVALID_VALUE;
	*status = named(name, version, f);
	return CUDA_SUCCESS;
}

/*
 * The forms are those of the program's release. Of one of CUDA 12 no more is known than its 12,
 * which is taken for 12.8; it has a fourth argument for the status, which those of 11 do not give.
 */
cudaError_t rt_entry_point(const char *name, void **f, unsigned long long flags,
	enum cudaDriverEntryPointQueryResult *status) __asm__("cudaGetDriverEntryPoint");
cudaError_t rt_entry_point(const char *name, void **f, unsigned long long flags,
	enum cudaDriverEntryPointQueryResult *status)
{
	const bool of_12 = dlvsym(RTLD_DEFAULT, "cudaGetDriverEntryPoint", "libcudart.so.12");

	return cudaGetDriverEntryPointByVersion(
		name, f, of_12 ? 12080 : CUDART_VERSION, flags, of_12 ? status : NULL);
}

cudaError_t cudaGetDriverEntryPointByVersion(const char *name, void **f, unsigned int version,
	unsigned long long flags, enum cudaDriverEntryPointQueryResult *status)
{
	(void)flags;
	RT_ASK();
	RT_WANT(name && f);
	/* The driver's word for it and the runtime's have the same numbers. */
	const CUdriverProcAddressQueryResult r = named(name, (int)version, f);
	if (status)
		*status = (enum cudaDriverEntryPointQueryResult)r;
	return rt_leave(!r || status ? cudaSuccess : cudaErrorSymbolNotFound);
}

cudaError_t cudaFuncGetParamInfo(const void *f, size_t i, size_t *offset, size_t *bytes)
{
	RT_ENTER();
	CUfunction fn = rt_function(f);
	return rt_leave((cudaError_t)cuFuncGetParamInfo(fn, i, offset, bytes));
}

/* ---- streams and events ---- */

CUresult cuStreamCreate(CUstream *stream, unsigned int flags)
{
	return of(cudaStreamCreateWithFlags(stream, flags));
}

CUresult cuStreamDestroy_v2(CUstream stream)
{
	return of(cudaStreamDestroy(stream));
}

CUresult cuStreamSynchronize(CUstream stream)
{
	return of(cudaStreamSynchronize(stream));
}

CUresult cuStreamQuery(CUstream stream)
{
	return of(cudaStreamQuery(stream));
}

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned int flags)
{
	return of(cudaStreamWaitEvent(stream, event, flags));
}

CUresult cuEventCreate(CUevent *event, unsigned int flags)
{
	return of(cudaEventCreateWithFlags(event, flags));
}

CUresult cuEventDestroy_v2(CUevent event)
{
	return of(cudaEventDestroy(event));
}

CUresult cuEventRecord(CUevent event, CUstream stream)
{
	return of(cudaEventRecord(event, stream));
}

CUresult cuEventSynchronize(CUevent event)
{
	return of(cudaEventSynchronize(event));
}

CUresult cuEventQuery(CUevent event)
{
	return of(cudaEventQuery(event));
}

CUresult cuEventElapsedTime(float *ms, CUevent from, CUevent to)
{
	return of(cudaEventElapsedTime(ms, from, to));
}

CUresult cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned int flags)
{
	return of(cudaEventRecordWithFlags(event, stream, flags));
}

CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned int flags, int priority)
{
	return of(cudaStreamCreateWithPriority(stream, flags, priority));
}

CUresult cuStreamGetPriority(CUstream stream, int *priority)
{
	return of(cudaStreamGetPriority(stream, priority));
}

CUresult cuStreamGetFlags(CUstream stream, unsigned int *flags)
{
	return of(cudaStreamGetFlags(stream, flags));
}

CUresult cuStreamAddCallback(
	CUstream stream, CUstreamCallback callback, void *user, unsigned int flags)
{
	return of(cudaStreamAddCallback(
		stream, (cudaStreamCallback_t)(void (*)(void))callback, user, flags));
}

CUresult cuLaunchHostFunc(CUstream stream, void (*fn)(void *), void *user)
{
	return of(cudaLaunchHostFunc(stream, fn, user));
}

CUresult cuStreamBeginCapture_v2(CUstream stream, CUstreamCaptureMode mode)
{
	return of(cudaStreamBeginCapture(stream, (enum cudaStreamCaptureMode)mode));
}

/* Of CUDA 10.0, which has no modes. */
CUresult cuStreamBeginCapture(CUstream stream)
{
	return cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL);
}

CUresult cuStreamEndCapture(CUstream stream, CUgraph *graph)
{
	return of(cudaStreamEndCapture(stream, graph));
}

CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus *status)
{
	enum cudaStreamCaptureStatus s;
	const cudaError_t e = cudaStreamIsCapturing(stream, status ? &s : NULL);

	if (!e)
		*status = (CUstreamCaptureStatus)s;
	return of(e);
}

CUresult cuStreamGetId(CUstream stream, unsigned long long *id)
{
	return of(cudaStreamGetId(stream, id));
}

CUresult cuStreamGetCtx(CUstream stream, CUcontext *context)
{
	if (!context)
		return CUDA_ERROR_INVALID_VALUE;
	*context = &primary;
	return rt_stream_known(stream) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuStreamGetCtx_v2(CUstream stream, CUcontext *context, void **green)
{
	if (green)
		*green = NULL;
	return cuStreamGetCtx(stream, context);
}

CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode)
{
	enum cudaStreamCaptureMode m;

	if (!mode)
		return CUDA_ERROR_INVALID_VALUE;
	m = (enum cudaStreamCaptureMode) * mode;
	const cudaError_t e = cudaThreadExchangeStreamCaptureMode(&m);
	if (!e)
		*mode = (CUstreamCaptureMode)m;
	return of(e);
}

CUresult cuStreamGetCaptureInfo_v2(CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *id,
	CUgraph *graph, const CUgraphNode **last, size_t *n)
{
	enum cudaStreamCaptureStatus s;
	unsigned long long number = 0;
	const cudaError_t e = status ? rt_capture_info(stream, &s, &number, graph, last, n)
				     : cudaErrorInvalidValue;

	if (!e)
		*status = (CUstreamCaptureStatus)s;
	if (!e && id)
		*id = number;
	return of(e);
}

CUresult cuStreamGetCaptureInfo(CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *id)
{
	return cuStreamGetCaptureInfo_v2(stream, status, id, NULL, NULL, NULL);
}

/* With what is known of each edge: nothing, as of all of them here. */
CUresult cuStreamGetCaptureInfo_v3(CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *id,
	CUgraph *graph, const CUgraphNode **last, const CUgraphEdgeData **edges, size_t *n)
{
	if (edges)
		*edges = NULL;
	return cuStreamGetCaptureInfo_v2(stream, status, id, graph, last, n);
}
