/*
 * The driver's modules, its linker, and its libraries, which are modules: no context has those here
 * anyway.
 *
 * Left out: cubins.
 */
#include "driver.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* ---- libraries ---- */

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
