/*
 * The driver's entry points, cu...: the runtime's work under other names and numbers. A program may
 * mix both, as on a real device. Contexts are names alone, of which a thread has one at a time.
 *
 * Left out: arrays, textures, graphs node by node and virtual memory of the driver's own, cubins.
 */
#include "rt.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The runtime's errors that the driver has another number for. */
static CUresult of(cudaError_t e)
{
	switch (e) {
	case cudaErrorInvalidConfiguration:
		return CUDA_ERROR_INVALID_VALUE;
	case cudaErrorInvalidSymbol:
	case cudaErrorInvalidDeviceFunction:
		return CUDA_ERROR_NOT_FOUND;
	default:
		return (CUresult)e;
	}
}

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
	size_t left;

	if (!bytes)
		return CUDA_ERROR_INVALID_VALUE;
	return device ? CUDA_ERROR_INVALID_DEVICE : of(cudaMemGetInfo(&left, bytes));
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

CUresult cuCtxGetLimit(size_t *value, int limit)
{
	return of(cudaDeviceGetLimit(value, (enum cudaLimit)limit));
}

CUresult cuCtxSetLimit(int limit, size_t value)
{
	return of(cudaDeviceSetLimit((enum cudaLimit)limit, value));
}

CUresult cuCtxGetCacheConfig(int *config)
{
	enum cudaFuncCache c;
	const cudaError_t e = cudaDeviceGetCacheConfig(config ? &c : NULL);

	if (!e)
		*config = (int)c;
	return of(e);
}

CUresult cuCtxSetCacheConfig(int config)
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

/* ---- modules ---- */

/* What cuLinkComplete gives: texts one after the other, each with its NUL. */
#define LINKED_MAGIC 0x4b4c5457u
struct linked {
	uint32_t magic, n;
	char texts[];
};

/* Says why in the buffer that the options have for errors, if they have one. */
static void tell(unsigned n, const CUjit_option *options, void *const *values, const char *why)
{
	char *buffer = NULL;
	size_t bytes = 0;

	for (unsigned i = 0; i < n; i++)
		if (options[i] == CU_JIT_ERROR_LOG_BUFFER)
			buffer = values[i];
		else if (options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)
			bytes = (size_t)(uintptr_t)values[i];
	if (buffer && bytes)
		snprintf(buffer, bytes, "%s", why);
}

static bool is_text(const char *image)
{
	image += strspn(image, " \t\r\n");
	return !strncmp(image, ".version", 8) || !strncmp(image, "//", 2) ||
	       !strncmp(image, "/*", 2);
}

/* A module of the image that the driver was given; NULL with the error. */
static CUmodule module_of(const void *image, CUresult *e)
{
	const struct linked *linked = image;
	const void *const *several = NULL;
	const void *fat = NULL;
	struct tr_err err = {0};
	CUmodule m;
	uint32_t magic;

	memcpy(&magic, image, sizeof(magic));
	*e = CUDA_ERROR_INVALID_IMAGE;
	if (magic != LINKED_MAGIC && !is_text(image) &&
		!(fat = rt_fatbin_image(image, &several, &err))) {
		rt_say("what the driver is to load is neither PTX nor a fat binary");
		return NULL;
	}
	*e = CUDA_ERROR_OUT_OF_MEMORY;
	if (!(m = rt_module_new(fat, several)))
		return NULL;
	if (!fat)
		m->texts = magic == LINKED_MAGIC ? linked->texts : image;
	m->ntexts = fat ? 0 : magic == LINKED_MAGIC ? linked->n : 1;
	return m;
}

CUresult cuModuleLoadDataEx(
	CUmodule *module, const void *image, unsigned int n, CUjit_option *options, void **values)
{
	const cudaError_t entered = rt_enter();
	CUresult e = module && image ? of(entered) : CUDA_ERROR_INVALID_VALUE;
	CUmodule m = e ? NULL : module_of(image, &e);

	if (m) {
		/* The image is the caller's: it is read now. */
		e = of(rt_module_use(m));
		if (e)
			tell(n, options, values, m->why.msg);
		m->texts = NULL;
	}
	rt_leave(entered);
	if (!e)
		*module = m;
	return e;
}

CUresult cuModuleLoadData(CUmodule *module, const void *image)
{
	return cuModuleLoadDataEx(module, image, 0, NULL, NULL);
}

CUresult cuModuleLoadFatBinary(CUmodule *module, const void *image)
{
	return cuModuleLoadData(module, image);
}

/* All of a file and a NUL, for the caller to free; NULL where it cannot be read. */
static char *slurp(const char *path, size_t *n)
{
	FILE *f = path ? fopen(path, "rb") : NULL;
	char *text = NULL, *more;
	size_t got = 1;

	for (*n = 0; f && got; *n += got) {
		if (!(more = realloc(text, *n + 65537))) {
			free(text);
			text = NULL;
			break;
		}
		text = more;
		got = fread(text + *n, 1, 65536, f);
	}
	if (text)
		text[*n] = 0;
	if (f)
		fclose(f);
	return text;
}

/* Does a file of n bytes, with a NUL behind them, hold all of what its beginning promises? */
static bool is_whole(const char *image, size_t n)
{
	struct linked linked;
	uint32_t texts = 0;

	if (n < sizeof(linked))
		return false;
	memcpy(&linked, image, sizeof(linked));
	if (linked.magic != LINKED_MAGIC)
		return is_text(image) || rt_fatbin_whole(image, n);
	for (size_t i = sizeof(linked); i < n; i++)
		texts += !image[i];
	return texts >= linked.n && linked.n;
}

CUresult cuModuleLoad(CUmodule *module, const char *path)
{
	size_t n;
	char *image = slurp(path, &n);
	CUresult e;

	if (!image)
		return CUDA_ERROR_FILE_NOT_FOUND;
	e = is_whole(image, n) ? cuModuleLoadData(module, image) : CUDA_ERROR_INVALID_IMAGE;
	if (e == CUDA_ERROR_INVALID_IMAGE)
		rt_say("'%s' is neither PTX nor a whole fat binary", path);
	free(image);
	return e;
}

/* Is it one that is there? */
static bool is_module(CUmodule module)
{
	const struct CUmod_st *m = rt.modules;

	while (m && m != module)
		m = m->next;
	return m != NULL;
}

/* What a module has stays: records name it. */
CUresult cuModuleUnload(CUmodule module)
{
	rt_enter();
	const bool there = is_module(module);
	rt_leave(cudaSuccess);
	return there ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuModuleGetFunction(CUfunction *f, CUmodule module, const char *name)
{
	const cudaError_t entered = rt_enter();
	CUresult e = of(entered);
	const struct ptx_kernel *k = NULL;

	if (!e && (!f || !module || !name))
		e = CUDA_ERROR_INVALID_VALUE;
	if (!e && !is_module(module))
		e = CUDA_ERROR_INVALID_HANDLE;
	if (!e && !(k = ptx_find(module->ptx, name)))
		e = CUDA_ERROR_NOT_FOUND;
	if (!e && !(*f = rt_function(k)) && !(*f = rt_function_new(module, k, name)))
		e = CUDA_ERROR_OUT_OF_MEMORY;
	if (!e)
		e = of(rt_kernel_of(*f));
	rt_leave(entered);
	return e;
}

CUresult cuModuleGetGlobal_v2(CUdeviceptr *p, size_t *bytes, CUmodule module, const char *name)
{
	const cudaError_t entered = rt_enter();
	uint64_t n = 0, at = 0;

	if (!entered && is_module(module) && name)
		at = ptx_symbol(rt.machine, module->ptx, name, &n);
	rt_leave(entered);
	if (p)
		*p = at;
	if (bytes)
		*bytes = n;
	return entered ? of(entered) : at ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

/* ---- linking ---- */

struct CUlinkState_st {
	struct linked *image;
	size_t bytes;
	unsigned noptions;
	CUjit_option *options;
	void **values;
};

static CUresult grow(CUlinkState s, const char *text, size_t n)
{
	struct linked *more = realloc(s->image, s->bytes + n + 1);

	if (!more)
		return CUDA_ERROR_OUT_OF_MEMORY;
	s->image = more;
	memcpy((char *)more + s->bytes, text, n);
	((char *)more)[s->bytes + n] = 0;
	s->bytes += n + 1;
	more->n++;
	return CUDA_SUCCESS;
}

CUresult cuLinkCreate_v2(unsigned int n, CUjit_option *options, void **values, CUlinkState *state)
{
	CUlinkState s = state ? calloc(1, sizeof(*s)) : NULL;

	if (!s || !(s->image = calloc(1, sizeof(*s->image)))) {
		free(s);
		return state ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_ERROR_INVALID_VALUE;
	}
	s->image->magic = LINKED_MAGIC;
	s->bytes = sizeof(*s->image);
	s->noptions = n;
	s->options = options;
	s->values = values;
	*state = s;
	return CUDA_SUCCESS;
}

CUresult cuLinkAddData_v2(CUlinkState state, CUjitInputType type, void *data, size_t size,
	const char *name, unsigned int n, CUjit_option *options, void **values)
{
	struct tr_err err = {0};
	const void *const *several = NULL;
	const void *image = NULL;
	bool relocatable;
	CUresult e;
	char *text;

	(void)name, (void)n, (void)options, (void)values;
	if (!state || !data || !size)
		return CUDA_ERROR_INVALID_VALUE;
	if (type == CU_JIT_INPUT_PTX)
		return grow(state, data, strnlen(data, size));
	if (type == CU_JIT_INPUT_FATBINARY && rt_fatbin_whole(data, size))
		image = rt_fatbin_image(data, &several, &err);
	text = image ? rt_fatbin_ptx(image, &relocatable, &err) : NULL;
	if (!text) {
		rt_say("%s",
			image ? err.msg : "what is to be linked is neither PTX nor a fat binary");
		return CUDA_ERROR_INVALID_IMAGE;
	}
	e = grow(state, text, strlen(text));
	free(text);
	return e;
}

CUresult cuLinkAddFile_v2(CUlinkState state, CUjitInputType type, const char *path, unsigned int n,
	CUjit_option *options, void **values)
{
	const char *file = path ? strrchr(path, '/') : NULL;
	size_t bytes;
	char *data;
	CUresult e;

	file = file ? file + 1 : path;
	if (type == CU_JIT_INPUT_LIBRARY && file && !strcmp(file, "libcudadevrt.a"))
		return CUDA_SUCCESS; /* the device's runtime is the machine's */
	if (!(data = slurp(path, &bytes)))
		return CUDA_ERROR_FILE_NOT_FOUND;
	e = cuLinkAddData_v2(state, type, data, bytes, path, n, options, values);
	free(data);
	return e;
}

/* Parsed here, so that what is wrong is told here, and once more when it is loaded. */
CUresult cuLinkComplete(CUlinkState state, void **image, size_t *bytes)
{
	struct tr_err err = {0};
	struct ptx_module *m = NULL;
	struct ptx_text *texts;
	CUresult e = CUDA_SUCCESS;

	if (!state || !image || !state->image->n)
		return CUDA_ERROR_INVALID_VALUE;
	if (!(texts = calloc(state->image->n, sizeof(*texts))))
		return CUDA_ERROR_OUT_OF_MEMORY;
	const char *at = state->image->texts;
	for (unsigned i = 0; i < state->image->n; i++, at += texts[i - 1].len + 1)
		texts[i] = (struct ptx_text){at, strlen(at), "linked.ptx"};
	if (ptx_link(&m, texts, state->image->n, &err) < 0) {
		rt_say("%s", err.msg);
		tell(state->noptions, state->options, state->values, err.msg);
		e = err.code == TR_EMEM ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_ERROR_INVALID_PTX;
	}
	ptx_module_free(m);
	free(texts);
	*image = state->image;
	if (bytes)
		*bytes = state->bytes;
	return e;
}

CUresult cuLinkDestroy(CUlinkState state)
{
	if (!state)
		return CUDA_ERROR_INVALID_HANDLE;
	free(state->image);
	free(state);
	return CUDA_SUCCESS;
}

/* ---- memory ---- */

static void *host(CUdeviceptr p)
{
	return (void *)(uintptr_t)p;
}

static CUresult given(CUdeviceptr *p, void *at, cudaError_t e)
{
	*p = (CUdeviceptr)(uintptr_t)at;
	return of(e);
}

CUresult cuMemAlloc_v2(CUdeviceptr *p, size_t bytes)
{
	void *at = NULL;

	if (!p || !bytes)
		return CUDA_ERROR_INVALID_VALUE;
	const cudaError_t e = cudaMalloc(&at, bytes);
	return given(p, at, e);
}

CUresult cuMemAllocManaged(CUdeviceptr *p, size_t bytes, unsigned int flags)
{
	void *at = NULL;

	if (!p || !bytes)
		return CUDA_ERROR_INVALID_VALUE;
	const cudaError_t e = cudaMallocManaged(&at, bytes, flags);
	return given(p, at, e);
}

CUresult cuMemAllocPitch_v2(
	CUdeviceptr *p, size_t *pitch, size_t width, size_t height, unsigned int element)
{
	void *at = NULL;

	(void)element;
	if (!p || !pitch)
		return CUDA_ERROR_INVALID_VALUE;
	const cudaError_t e = cudaMallocPitch(&at, pitch, width, height);
	return given(p, at, e);
}

CUresult cuMemAllocHost_v2(void **p, size_t bytes)
{
	return of(cudaMallocHost(p, bytes));
}

CUresult cuMemHostAlloc(void **p, size_t bytes, unsigned int flags)
{
	return of(cudaHostAlloc(p, bytes, flags));
}

CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *p, void *memory, unsigned int flags)
{
	void *at = NULL;

	if (!p)
		return CUDA_ERROR_INVALID_VALUE;
	const cudaError_t e = cudaHostGetDevicePointer(&at, memory, flags);

	return given(p, at, e);
}

CUresult cuMemFreeHost(void *p)
{
	return of(cudaFreeHost(p));
}

CUresult cuMemFree_v2(CUdeviceptr p)
{
	return of(cudaFree(host(p)));
}

CUresult cuMemGetInfo_v2(size_t *left, size_t *total)
{
	return of(cudaMemGetInfo(left, total));
}

CUresult cuMemAllocAsync(CUdeviceptr *p, size_t bytes, CUstream stream)
{
	void *at = NULL;

	if (!p)
		return CUDA_ERROR_INVALID_VALUE;
	const cudaError_t e = cudaMallocAsync(&at, bytes, stream);
	return given(p, at, e);
}

CUresult cuMemFreeAsync(CUdeviceptr p, CUstream stream)
{
	return of(cudaFreeAsync(host(p), stream));
}

CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *pool, CUdevice device)
{
	return of(cudaDeviceGetDefaultMemPool(pool, device));
}

CUresult cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice device)
{
	return of(cudaDeviceGetMemPool(pool, device));
}

CUresult cuDeviceSetMemPool(CUdevice device, CUmemoryPool pool)
{
	return of(cudaDeviceSetMemPool(device, pool));
}

CUresult cuMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *props)
{
	return of(cudaMemPoolCreate(pool, props));
}

CUresult cuMemPoolDestroy(CUmemoryPool pool)
{
	return of(cudaMemPoolDestroy(pool));
}

CUresult cuMemPoolSetAttribute(CUmemoryPool pool, int attr, void *value)
{
	return of(cudaMemPoolSetAttribute(pool, (enum cudaMemPoolAttr)attr, value));
}

CUresult cuMemPoolGetAttribute(CUmemoryPool pool, int attr, void *value)
{
	return of(cudaMemPoolGetAttribute(pool, (enum cudaMemPoolAttr)attr, value));
}

CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc *d, size_t n)
{
	return of(cudaMemPoolSetAccess(pool, d, n));
}

CUresult cuMemPoolGetAccess(CUmemAccess_flags *flags, CUmemoryPool pool, CUmemLocation *place)
{
	return of(cudaMemPoolGetAccess(flags, pool, place));
}

CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t keep)
{
	return of(cudaMemPoolTrimTo(pool, keep));
}

CUresult cuMemAllocFromPoolAsync(CUdeviceptr *p, size_t bytes, CUmemoryPool pool, CUstream stream)
{
	void *at = NULL;

	if (!p)
		return CUDA_ERROR_INVALID_VALUE;
	const cudaError_t e = cudaMallocFromPoolAsync(&at, bytes, pool, stream);
	return given(p, at, e);
}

CUresult cuMemHostRegister_v2(void *p, size_t bytes, unsigned int flags)
{
	return of(cudaHostRegister(p, bytes, flags));
}

CUresult cuMemHostUnregister(void *p)
{
	return of(cudaHostUnregister(p));
}

CUresult cuMemHostGetFlags(unsigned int *flags, void *p)
{
	return of(cudaHostGetFlags(flags, p));
}

CUresult cuMemGetAddressRange_v2(CUdeviceptr *base, size_t *bytes, CUdeviceptr p)
{
	const cudaError_t entered = rt_enter();
	uint64_t at = 0, n = 0;
	const bool there = !entered && ptx_allocation(rt.machine, p, &at, &n);

	rt_leave(entered);
	if (base)
		*base = at;
	if (bytes)
		*bytes = n;
	return entered ? of(entered) : there ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

CUresult cuMemPrefetchAsync(CUdeviceptr p, size_t bytes, CUdevice device, CUstream stream)
{
	return of(cudaMemPrefetchAsync(host(p), bytes, device, stream));
}

CUresult cuMemAdvise(CUdeviceptr p, size_t bytes, int advice, CUdevice device)
{
	return of(cudaMemAdvise(host(p), bytes, (enum cudaMemoryAdvise)advice, device));
}

/* What an address is: the few attributes that programs ask for. */
CUresult cuPointerGetAttribute(void *value, CUpointer_attribute attr, CUdeviceptr p)
{
	struct cudaPointerAttributes a;
	const cudaError_t entered = rt_enter();

	if (!entered)
		rt_pointer(&a, host(p));
	rt_leave(entered);
	if (entered || !value || !a.type)
		return entered ? of(entered) : CUDA_ERROR_INVALID_VALUE;
	switch (attr) {
	case CU_POINTER_ATTRIBUTE_CONTEXT:
		return cuCtxGetCurrent(value);
	case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
		*(unsigned *)value =
			a.type == cudaMemoryTypeHost ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
	case CU_POINTER_ATTRIBUTE_HOST_POINTER:
		*(CUdeviceptr *)value = p;
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_IS_MANAGED:
		*(unsigned *)value = a.type == cudaMemoryTypeManaged;
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
		*(int *)value = 0;
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_MAPPED:
		*(int *)value = 1;
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
		*(CUmemoryPool *)value = NULL;
		return CUDA_SUCCESS;
	default:
		return CUDA_ERROR_NOT_SUPPORTED;
	}
}

/* Of memory that is none of the device's all are 0. */
CUresult cuPointerGetAttributes(
	unsigned int n, CUpointer_attribute *attr, void **values, CUdeviceptr p)
{
	for (unsigned i = 0; i < n; i++) {
		if (!attr || !values || !values[i])
			return CUDA_ERROR_INVALID_VALUE;
		const CUresult e = cuPointerGetAttribute(values[i], attr[i], p);
		const bool small = attr[i] == CU_POINTER_ATTRIBUTE_MEMORY_TYPE ||
				   attr[i] == CU_POINTER_ATTRIBUTE_IS_MANAGED ||
				   attr[i] == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL ||
				   attr[i] == CU_POINTER_ATTRIBUTE_MAPPED;
		if (e == CUDA_ERROR_INVALID_VALUE)
			memset(values[i], 0, small ? sizeof(int) : sizeof(void *));
		else if (e)
			return e;
	}
	return CUDA_SUCCESS;
}

CUresult cuMemcpy(CUdeviceptr dst, CUdeviceptr src, size_t bytes)
{
	return of(cudaMemcpy(host(dst), host(src), bytes, cudaMemcpyDefault));
}

CUresult cuMemcpyHtoD_v2(CUdeviceptr dst, const void *src, size_t bytes)
{
	return of(cudaMemcpy(host(dst), src, bytes, cudaMemcpyHostToDevice));
}

CUresult cuMemcpyDtoH_v2(void *dst, CUdeviceptr src, size_t bytes)
{
	return of(cudaMemcpy(dst, host(src), bytes, cudaMemcpyDeviceToHost));
}

CUresult cuMemcpyDtoD_v2(CUdeviceptr dst, CUdeviceptr src, size_t bytes)
{
	return of(cudaMemcpy(host(dst), host(src), bytes, cudaMemcpyDeviceToDevice));
}

CUresult cuMemcpyAsync(CUdeviceptr dst, CUdeviceptr src, size_t bytes, CUstream stream)
{
	return of(cudaMemcpyAsync(host(dst), host(src), bytes, cudaMemcpyDefault, stream));
}

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr dst, const void *src, size_t bytes, CUstream stream)
{
	return of(cudaMemcpyAsync(host(dst), src, bytes, cudaMemcpyHostToDevice, stream));
}

CUresult cuMemcpyDtoHAsync_v2(void *dst, CUdeviceptr src, size_t bytes, CUstream stream)
{
	return of(cudaMemcpyAsync(dst, host(src), bytes, cudaMemcpyDeviceToHost, stream));
}

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr dst, CUdeviceptr src, size_t bytes, CUstream stream)
{
	return of(cudaMemcpyAsync(host(dst), host(src), bytes, cudaMemcpyDeviceToDevice, stream));
}

CUresult cuMemsetD8_v2(CUdeviceptr p, unsigned char value, size_t n)
{
	return of(cudaMemset(host(p), value, n));
}

static CUresult fill(CUdeviceptr p, uint32_t value, size_t n, size_t element)
{
	const cudaError_t entered = rt_enter();

	return of(rt_leave(entered ? entered : rt_fill(host(p), value, n, element)));
}

CUresult cuMemsetD16_v2(CUdeviceptr p, unsigned short value, size_t n)
{
	return fill(p, value, n, 2);
}

CUresult cuMemsetD32_v2(CUdeviceptr p, unsigned int value, size_t n)
{
	return fill(p, value, n, 4);
}

/* ---- blocks ---- */

/* One end of a copy, with its rows; an array has its own. */
static void end_of(struct cudaPitchedPtr *p, cudaArray_t *array, CUmemorytype type, void *memory,
	CUdeviceptr device, CUarray a, size_t pitch, size_t height)
{
	*array = type == CU_MEMORYTYPE_ARRAY ? (cudaArray_t)a : NULL;
	*p = (struct cudaPitchedPtr){
		type == CU_MEMORYTYPE_HOST ? memory : host(device), pitch, pitch, height};
}

/* The same in the runtime's words. */
static CUresult block_of(struct cudaMemcpy3DParms *to, const CUDA_MEMCPY3D *c)
{
	struct cudaMemcpy3DParms p = {.srcPos = {c->srcXInBytes, c->srcY, c->srcZ},
		.dstPos = {c->dstXInBytes, c->dstY, c->dstZ},
		.extent = {c->WidthInBytes, c->Height, c->Depth},
		.kind = cudaMemcpyDefault};
	struct cudaChannelFormatDesc d = {0};

	if (c->srcLOD || c->dstLOD)
		return of(rt_unsupported("a copy of a mipmap's level"));
	end_of(&p.srcPtr, &p.srcArray, c->srcMemoryType, (void *)(uintptr_t)c->srcHost,
		c->srcDevice, c->srcArray, c->srcPitch ? c->srcPitch : c->WidthInBytes,
		c->srcHeight ? c->srcHeight : c->Height);
	end_of(&p.dstPtr, &p.dstArray, c->dstMemoryType, c->dstHost, c->dstDevice, c->dstArray,
		c->dstPitch ? c->dstPitch : c->WidthInBytes,
		c->dstHeight ? c->dstHeight : c->Height);
	/* What the runtime counts in an array's elements is bytes here. */
	if (p.srcArray || p.dstArray) {
		const cudaError_t e = cudaGetChannelDesc(&d, p.srcArray ? p.srcArray : p.dstArray);
		const size_t bytes = (size_t)(d.x + d.y + d.z + d.w) / 8;
		if (e || p.extent.width % bytes)
			return e ? of(e) : CUDA_ERROR_INVALID_VALUE;
		p.extent.width /= bytes;
		p.srcPos.x /= p.srcArray ? bytes : 1;
		p.dstPos.x /= p.dstArray ? bytes : 1;
	}
	*to = p;
	return CUDA_SUCCESS;
}

static CUresult copy_block(const CUDA_MEMCPY3D *c, CUstream stream)
{
	struct cudaMemcpy3DParms p;
	const CUresult e = block_of(&p, c);

	return e ? e : of(cudaMemcpy3DAsync(&p, stream));
}

CUresult cuMemcpy3D_v2(const CUDA_MEMCPY3D *c)
{
	return c ? copy_block(c, NULL) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D *c, CUstream stream)
{
	return c ? copy_block(c, stream) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *c, CUstream stream)
{
	if (!c)
		return CUDA_ERROR_INVALID_VALUE;
	const CUDA_MEMCPY3D block = {.srcXInBytes = c->srcXInBytes,
		.srcY = c->srcY,
		.srcMemoryType = c->srcMemoryType,
		.srcHost = c->srcHost,
		.srcDevice = c->srcDevice,
		.srcArray = c->srcArray,
		.srcPitch = c->srcPitch,
		.dstXInBytes = c->dstXInBytes,
		.dstY = c->dstY,
		.dstMemoryType = c->dstMemoryType,
		.dstHost = c->dstHost,
		.dstDevice = c->dstDevice,
		.dstArray = c->dstArray,
		.dstPitch = c->dstPitch,
		.WidthInBytes = c->WidthInBytes,
		.Height = c->Height,
		.Depth = 1};
	return copy_block(&block, stream);
}

CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D *c)
{
	return cuMemcpy2DAsync_v2(c, NULL);
}

CUresult cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D *c)
{
	return cuMemcpy2DAsync_v2(c, NULL);
}

static CUresult fill_rows(
	CUdeviceptr p, size_t pitch, uint32_t value, size_t width, size_t height, size_t element)
{
	CUresult e =
		pitch < width * element && height > 1 ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;

	for (size_t y = 0; y < height && !e; y++)
		e = fill(p + y * pitch, value, width, element);
	return e;
}

static CUresult fill_in(CUstream stream, const struct cudaMemsetParams *p)
{
	const cudaError_t entered = rt_enter();
	struct rt_graph *g = entered ? NULL : rt_capturing(stream);
	CUresult e = of(entered);

	if (!e && !g && rt_stream_known(stream))
		rt_turn(stream);
	if (!e && !rt_stream_known(stream))
		e = CUDA_ERROR_INVALID_HANDLE;
	else if (!e)
		e = g ? of(rt_capture_fill(g, p))
		      : fill_rows((CUdeviceptr)(uintptr_t)p->dst, p->pitch, p->value, p->width,
				p->height, p->elementSize);
	rt_leave(entered);
	return e;
}

#define SET_ROWS(bits, type)                                                                       \
	CUresult cuMemsetD2D##bits##_v2(                                                           \
		CUdeviceptr p, size_t pitch, type value, size_t width, size_t height)              \
	{                                                                                          \
		return fill_rows(p, pitch, value, width, height, (bits) / 8);                      \
	}                                                                                          \
	CUresult cuMemsetD2D##bits##Async(CUdeviceptr p, size_t pitch, type value, size_t width,   \
		size_t height, CUstream stream)                                                    \
	{                                                                                          \
		return fill_in(stream, &(struct cudaMemsetParams){                                 \
					       host(p), pitch, value, (bits) / 8, width, height}); \
	}                                                                                          \
	CUresult cuMemsetD##bits##Async(CUdeviceptr p, type value, size_t n, CUstream stream)      \
	{                                                                                          \
		return fill_in(                                                                    \
			stream, &(struct cudaMemsetParams){host(p), 0, value, (bits) / 8, n, 1});  \
	}
SET_ROWS(8, unsigned char)
SET_ROWS(16, unsigned short)
SET_ROWS(32, unsigned int)

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
	return launch((struct rt_launch){f, {gx, gy, gz}, {bx, by, bz}, shared, false, {0}}, args, extra,
		stream);
}

CUresult cuLaunchCooperativeKernel(CUfunction f, unsigned int gx, unsigned int gy, unsigned int gz,
	unsigned int bx, unsigned int by, unsigned int bz, unsigned int shared, CUstream stream,
	void **args)
{
	return launch((struct rt_launch){f, {gx, gy, gz}, {bx, by, bz}, shared, true, {0}}, args, NULL,
		stream);
}

static CUresult configured(struct rt_launch *l, const CUlaunchConfig *c, CUfunction f,
	cudaEvent_t *event)
{
	_Static_assert(sizeof(CUlaunchAttribute) == sizeof(cudaLaunchAttribute) &&
			       offsetof(CUlaunchAttribute, value) ==
				       offsetof(cudaLaunchAttribute, val),
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

CUresult cuFuncSetCacheConfig(CUfunction f, int config)
{
	(void)config;
	return f ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *n, CUfunction f, int block, size_t shared)
{
	if (!n || !f)
		return CUDA_ERROR_INVALID_VALUE;
	return of(cudaOccupancyMaxActiveBlocksPerMultiprocessor(n, f->stub, block, shared));
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

/* The driver's function, in the newest form that is here; NULL: none. */
static void *named(const char *name, int version)
{
	static const char *const forms[] = {"_v3", "_v2", ""};
	/* That of an older release takes other arguments. */
	const bool older = version < 12030 && !strcmp(name, "cuGraphAddNode");
	char whole[200];
	void *found = NULL;

	for (unsigned i = older ? 2 : 0; i < 3 && !found && strlen(name) < sizeof(whole) - 4; i++) {
		snprintf(whole, sizeof(whole), "%s%s", name, forms[i]);
		found = dlsym(RTLD_DEFAULT, whole);
	}
	return found;
}

CUresult cuGetProcAddress(const char *name, void **f, int version, cuuint64_t flags)
{
	(void)flags;
	if (!name || !f)
		return CUDA_ERROR_INVALID_VALUE;
	*f = named(name, version);
	return *f ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

CUresult cuGetProcAddress_v2(const char *name, void **f, int version, cuuint64_t flags,
	CUdriverProcAddressQueryResult *status)
{
	const CUresult e = cuGetProcAddress(name, f, version, flags);

	if (status)
		*status = e ? CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND : CU_GET_PROC_ADDRESS_SUCCESS;
	return e;
}

cudaError_t cudaGetDriverEntryPoint(const char *name, void **f, unsigned long long flags)
{
	(void)flags;
	RT_ENTER();
	if (!name || !f)
		return rt_leave(cudaErrorInvalidValue);
	*f = named(name, CUDART_VERSION);
	return rt_leave(*f ? cudaSuccess : cudaErrorSymbolNotFound);
}

cudaError_t cudaFuncGetParamInfo(const void *f, size_t i, size_t *offset, size_t *bytes)
{
	RT_ENTER();
	CUfunction fn = rt_function(f);
	return rt_leave((cudaError_t)cuFuncGetParamInfo(fn, i, offset, bytes));
}

/* ---- libraries: modules, which here no context has anyway ---- */

static CUmodule module_in(CUlibrary library)
{
	return (CUmodule)(void *)library;
}

static CUfunction function_of(CUkernel kernel)
{
	return (CUfunction)(void *)kernel;
}

CUresult cuLibraryLoadData(CUlibrary *library, const void *image, CUjit_option *options,
	void **values, unsigned int n, CUlibraryOption *more, void **more_values,
	unsigned int nmore)
{
	CUmodule module;
	CUresult e;

	(void)more, (void)more_values, (void)nmore;
	if (!library)
		return CUDA_ERROR_INVALID_VALUE;
	e = cuModuleLoadDataEx(&module, image, n, options, values);
	if (!e)
		*library = (CUlibrary)(void *)module;
	return e;
}

CUresult cuLibraryLoadFromFile(CUlibrary *library, const char *path, CUjit_option *options,
	void **values, unsigned int n, CUlibraryOption *more, void **more_values,
	unsigned int nmore)
{
	CUmodule module;
	CUresult e;

	(void)options, (void)values, (void)n, (void)more, (void)more_values, (void)nmore;
	if (!library)
		return CUDA_ERROR_INVALID_VALUE;
	e = cuModuleLoad(&module, path);
	if (!e)
		*library = (CUlibrary)(void *)module;
	return e;
}

CUresult cuLibraryUnload(CUlibrary library)
{
	return cuModuleUnload(module_in(library));
}

CUresult cuLibraryGetModule(CUmodule *module, CUlibrary library)
{
	if (!module || !library)
		return CUDA_ERROR_INVALID_VALUE;
	*module = module_in(library);
	return CUDA_SUCCESS;
}

CUresult cuLibraryGetKernel(CUkernel *kernel, CUlibrary library, const char *name)
{
	CUfunction f;
	CUresult e;

	if (!kernel)
		return CUDA_ERROR_INVALID_VALUE;
	e = cuModuleGetFunction(&f, module_in(library), name);
	if (!e)
		*kernel = (CUkernel)(void *)f;
	return e;
}

CUresult cuLibraryGetGlobal(CUdeviceptr *p, size_t *bytes, CUlibrary library, const char *name)
{
	return cuModuleGetGlobal_v2(p, bytes, module_in(library), name);
}

CUresult cuLibraryGetManaged(CUdeviceptr *p, size_t *bytes, CUlibrary library, const char *name)
{
	return cuModuleGetGlobal_v2(p, bytes, module_in(library), name);
}

CUresult cuKernelGetFunction(CUfunction *f, CUkernel kernel)
{
	if (!f || !kernel)
		return CUDA_ERROR_INVALID_VALUE;
	*f = function_of(kernel);
	return CUDA_SUCCESS;
}

CUresult cuKernelGetName(const char **name, CUkernel kernel)
{
	return cuFuncGetName(name, function_of(kernel));
}

CUresult cuKernelGetAttribute(
	int *value, CUfunction_attribute attr, CUkernel kernel, CUdevice device)
{
	return device ? CUDA_ERROR_INVALID_DEVICE
		      : cuFuncGetAttribute(value, attr, function_of(kernel));
}

CUresult cuKernelSetAttribute(
	CUfunction_attribute attr, int value, CUkernel kernel, CUdevice device)
{
	return device ? CUDA_ERROR_INVALID_DEVICE
		      : cuFuncSetAttribute(function_of(kernel), attr, value);
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

CUresult cuStreamBeginCapture_v2(CUstream stream, int mode)
{
	return of(cudaStreamBeginCapture(stream, (enum cudaStreamCaptureMode)mode));
}

CUresult cuStreamEndCapture(CUstream stream, CUgraph *graph)
{
	return of(cudaStreamEndCapture(stream, graph));
}

CUresult cuStreamIsCapturing(CUstream stream, int *status)
{
	enum cudaStreamCaptureStatus s;
	const cudaError_t e = cudaStreamIsCapturing(stream, status ? &s : NULL);

	if (!e)
		*status = (int)s;
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

CUresult cuGraphCreate(CUgraph *graph, unsigned int flags)
{
	return of(cudaGraphCreate(graph, flags));
}

/* What the two say of a node lies at the same places, but for copies. */
_Static_assert(sizeof(CUgraphNodeParams) == sizeof(struct cudaGraphNodeParams), "graph nodes");

CUresult cuGraphAddNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *before, size_t n,
	CUgraphNodeParams *params)
{
	struct cudaGraphNodeParams p;
	CUresult e;

	if (!params)
		return CUDA_ERROR_INVALID_VALUE;
	memcpy((void *)&p, params, sizeof(p));
	if (params->type == CU_GRAPH_NODE_TYPE_KERNEL && !params->kernel.func)
		p.kernel.func = (void *)params->kernel.kern;
	if (params->type == CU_GRAPH_NODE_TYPE_MEMCPY) {
		e = block_of(&p.memcpy.copyParams, &params->memcpy.copyParams);
		if (e)
			return e;
	}
	e = of(rt_graph_add(out, graph, before, n, &p));
	if (params->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC)
		params->alloc.dptr = p.alloc.dptr;
	if (params->type == CU_GRAPH_NODE_TYPE_CONDITIONAL)
		params->conditional.phGraph_out = p.conditional.phGraph_out;
	return e;
}

CUresult cuGraphAddNode_v2(CUgraphNode *out, CUgraph graph, const CUgraphNode *before,
	const CUgraphEdgeData *edges, size_t n, CUgraphNodeParams *params)
{
	(void)edges;
	return cuGraphAddNode(out, graph, before, n, params);
}

CUresult cuGraphAddKernelNode_v2(CUgraphNode *out, CUgraph graph, const CUgraphNode *before,
	size_t n, const CUDA_KERNEL_NODE_PARAMS *params)
{
	CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_KERNEL};

	if (!params)
		return CUDA_ERROR_INVALID_VALUE;
	p.kernel = *params;
	return cuGraphAddNode(out, graph, before, n, &p);
}

CUresult cuGraphAddMemcpyNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *before, size_t n,
	const CUDA_MEMCPY3D *copy, CUcontext context)
{
	CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_MEMCPY};

	(void)context;
	if (!copy)
		return CUDA_ERROR_INVALID_VALUE;
	p.memcpy.copyParams = *copy;
	return cuGraphAddNode(out, graph, before, n, &p);
}

CUresult cuGraphAddMemsetNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *before, size_t n,
	const CUDA_MEMSET_NODE_PARAMS *params, CUcontext context)
{
	CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_MEMSET};

	(void)context;
	if (!params)
		return CUDA_ERROR_INVALID_VALUE;
	memcpy((void *)&p.memset, params, sizeof(*params));
	return cuGraphAddNode(out, graph, before, n, &p);
}

CUresult cuGraphAddHostNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *before, size_t n,
	const CUDA_HOST_NODE_PARAMS *params)
{
	CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_HOST};

	if (!params)
		return CUDA_ERROR_INVALID_VALUE;
	p.host = *params;
	return cuGraphAddNode(out, graph, before, n, &p);
}

CUresult cuGraphAddEmptyNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *before, size_t n)
{
	CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_EMPTY};

	return cuGraphAddNode(out, graph, before, n, &p);
}

CUresult cuGraphAddChildGraphNode(
	CUgraphNode *out, CUgraph graph, const CUgraphNode *before, size_t n, CUgraph child)
{
	CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_GRAPH, .graph.graph = child};

	return cuGraphAddNode(out, graph, before, n, &p);
}

CUresult cuGraphKernelNodeSetAttribute(
	CUgraphNode n, CUkernelNodeAttrID attr, const CUkernelNodeAttrValue *value)
{
	return of(cudaGraphKernelNodeSetAttribute(n, attr, value));
}

CUresult cuGraphConditionalHandleCreate(CUgraphConditionalHandle *handle, CUgraph graph,
	CUcontext context, unsigned int first, unsigned int flags)
{
	(void)context;
	return of(cudaGraphConditionalHandleCreate(handle, graph, first, flags));
}

CUresult cuGraphInstantiateWithFlags(CUgraphExec *exec, CUgraph graph, unsigned long long flags)
{
	return of(cudaGraphInstantiateWithFlags(exec, graph, flags));
}

CUresult cuGraphLaunch(CUgraphExec exec, CUstream stream)
{
	return of(cudaGraphLaunch(exec, stream));
}

CUresult cuGraphExecDestroy(CUgraphExec exec)
{
	return of(cudaGraphExecDestroy(exec));
}

CUresult cuGraphDestroy(CUgraph graph)
{
	return of(cudaGraphDestroy(graph));
}
