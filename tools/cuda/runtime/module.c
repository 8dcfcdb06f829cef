/*
 * Modules, kernels and variables: what a program registers before main, and what the driver's
 * calls load. Constructors run in any order and cost the same whether a module is used or not, so
 * PTX is parsed when something of it is wanted first.
 */
#include "map.h"
#include "rt.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Where the managed variables of clang's programs stand, and a byte for each of their objects whose
 * device code is linked: told by cuda_runtime.h, before the rest.
 */
struct range {
	struct range *next;
	const char *from, *to;
};
static struct range *managed_ranges, *linked_ranges;
static size_t nlinked; /* of these objects so many have registered their code */

struct CUmod_st *rt_module_new(const void *image, const void *const *several)
{
	struct CUmod_st *m = calloc(1, sizeof(*m)), **end = &rt.modules;
	unsigned number = 0;

	while (*end) {
		end = &(*end)->next;
		number++;
	}
	if (!m || asprintf(&m->path, "module%u.ptx", number) < 0) {
		free(m);
		return NULL;
	}
	m->image[0] = image;
	m->images = several ? several : image ? m->image : NULL;
	*end = m;
	return m;
}

/* ---- use ---- */

#define FILE_LINE "// file "

/*
 * In the names of what nvcc's linker adds of NVIDIA's device runtime, whose functions are the
 * machine's own.
 */
#define DEVICE_RUNTIME "_cuda_device_runtime_cu_"

/* The PTX of the texts that are linked to one module. */
struct texts {
	struct ptx_text *v;
	char **owned; /* as many, to be freed */
	unsigned n;
};

static bool text_add(struct texts *t, char *text, const char *path)
{
	struct ptx_text *v = text ? realloc(t->v, (t->n + 1) * sizeof(*v)) : NULL;
	char **owned = v ? realloc(t->owned, (t->n + 1) * sizeof(*owned)) : NULL;

	t->v = v ? v : t->v;
	t->owned = owned ? owned : t->owned;
	if (!owned) {
		free(text);
		return false;
	}
	t->owned[t->n] = text;
	t->v[t->n++] = (struct ptx_text){.text = text, .len = strlen(text), .path = path};
	return true;
}

/* What a kernel of nvcc's calls to set a graph's condition: the handle is an address here. */
#define SET_CONDITIONAL "cudaGraphSetConditional"
static const char set_conditional[] =
	".version 6.4\n.target sm_60\n.address_size 64\n"
	".visible .func " SET_CONDITIONAL "(.param .b64 h, .param .b32 v)\n"
	"{\n.reg .b64 d;\n.reg .b32 r;\n"
	"ld.param.u64 d, [h];\nld.param.u32 r, [v];\n"
	"st.global.u32 [d], r;\nret;\n}\n";

static bool wants_conditions(const struct texts *t)
{
	bool wanted = false;

	for (unsigned i = 0; i < t->n && !wanted; i++)
		wanted = strstr(t->v[i].text, SET_CONDITIONAL) != NULL;
	return wanted;
}

/* Finds the texts of m: what the driver was given, or what its images hold. */
static bool texts_of(struct CUmod_st *m, struct texts *t, struct tr_err *err)
{
	for (const char *at = m->texts; at && t->n < m->ntexts; at += strlen(at) + 1)
		if (!text_add(t, strdup(at), m->path))
			return false;
	if (m->text) {
		const bool added = text_add(t, m->text, m->path);
		m->text = NULL;
		return added;
	}
	for (const void *const *image = m->images; image && *image; image++) {
		char *text = rt_fatbin_ptx(*image, &m->relocatable, err);

		if (text && strstr(text, DEVICE_RUNTIME))
			free(text);
		else if (!text_add(t, text, m->path))
			return false;
	}
	if (!t->n)
		tr_fail(err, TR_EDATA, 0, "a fat binary holds no device code of the program's own");
	return t->n != 0;
}

/* Is it to be linked with others? Its text is kept. */
static bool is_relocatable(struct CUmod_st *m)
{
	struct tr_err err = {0};

	if (!m->tried && !m->text && m->images == m->image)
		m->text = rt_fatbin_ptx(*m->image, &m->relocatable, &err);
	if (m->relocatable && m->text && !strncmp(m->text, FILE_LINE, sizeof(FILE_LINE) - 1))
		m->file = strtoull(m->text + sizeof(FILE_LINE) - 1, NULL, 10);
	return m->relocatable;
}

static cudaError_t failed(const struct tr_err *why, cudaError_t else_)
{
	return why->code == TR_EMEM ? cudaErrorMemoryAllocation : else_;
}

static cudaError_t load(struct CUmod_st *m)
{
	const bool linked = is_relocatable(m);
	cudaError_t e = cudaSuccess;
	struct texts t = {0};
	bool found = texts_of(m, &t, &m->why);

	m->tried = true;
	for (struct CUmod_st *o = rt.modules; o && found && linked; o = o->next)
		if (o != m && o->library == m->library && !o->tried && is_relocatable(o))
			found = texts_of(o, &t, &m->why);
	if (found && wants_conditions(&t))
		found = text_add(&t, strdup(set_conditional), "conditional.ptx");
	if (!found)
		e = failed(&m->why, cudaErrorNoKernelImageForDevice);
	else if (ptx_link(&m->ptx, t.v, t.n, &m->why) < 0 ||
		 ptx_load(rt.machine, m->ptx, &m->why) < 0)
		e = failed(&m->why, cudaErrorInvalidPtx);
	for (struct CUmod_st *o = rt.modules; o && linked; o = o->next)
		if (o != m && o->library == m->library && !o->tried && o->relocatable) {
			o->tried = true;
			o->status = e;
			o->ptx = m->ptx;
		}
	for (unsigned i = 0; i < t.n; i++)
		free(t.owned[i]);
	free(t.owned);
	free(t.v);
	return e;
}

cudaError_t rt_module_use(struct CUmod_st *m)
{
	if (!m->tried) {
		m->status = load(m);
		if (m->status) {
			rt_say("%s", m->why.msg);
			if (!m->ntexts) /* else the driver's call says so */
				rt_spoil("%s", m->why.msg);
		}
	}
	return m->status;
}

/*
 * What m's PTX calls something of a name: trace-nvcc gives what is static in code that is linked
 * the number of the file, which stands in its first line. In `room` if it has one.
 */
static const char *ptx_name(struct CUmod_st *m, const char *name, char *room, size_t n)
{
	if (!m->file || (strncmp(name, "_ZL", 3) && strncmp(name, "_ZN12_GLOBAL__N_1", 17)))
		return name;
	snprintf(room, n, "%s$%llu", name, m->file);
	return room;
}

/* Longer than the names of compilers, which hash what is longer. */
enum { NAME_MAX_PTX = 8192 };

static uint64_t address_of(const struct rt_variable *v, uint64_t *bytes)
{
	char room[NAME_MAX_PTX];

	return ptx_symbol(rt.machine, v->module->ptx,
		ptx_name(v->module, v->name, room, sizeof(room)), bytes);
}

cudaError_t rt_kernel_of(struct CUfunc_st *f)
{
	char room[NAME_MAX_PTX];
	const cudaError_t e = rt_module_use(f->module);

	if (e || f->kernel)
		return e;
	f->kernel = ptx_find(f->module->ptx, ptx_name(f->module, f->name, room, sizeof(room)));
	if (f->kernel) {
		const uint32_t own = ptx_shared_bytes(f->kernel);
		f->shared_max = own < RT_SHARED_MAX ? RT_SHARED_MAX - own : 0;
		return cudaSuccess;
	}
	rt_say("there is no kernel '%s' in '%s'", f->name, f->module->path);
	return cudaErrorInvalidDeviceFunction;
}

/* ---- functions ---- */

enum { BUCKETS = 1024 };
static struct CUfunc_st *buckets[BUCKETS];
static struct rt_map handles;

static unsigned bucket_of(const void *stub)
{
	return (unsigned)(((uintptr_t)stub * 0x9e3779b97f4a7c15ull) >> 54) % BUCKETS;
}

struct CUfunc_st *rt_function(const void *stub)
{
	struct CUfunc_st *f = buckets[bucket_of(stub)];

	while (f && f->stub != stub)
		f = f->next;
	return f;
}

struct CUfunc_st *rt_function_or_handle(const void *f)
{
	struct CUfunc_st *found = rt_function(f);

	return found ? found : rt_map_get(&handles, f);
}

struct CUfunc_st *rt_function_new(struct CUmod_st *m, const void *stub, const char *name)
{
	struct CUfunc_st *f = calloc(1, sizeof(*f));

	if (!f || !(f->name = strdup(name)) || !rt_map_put(&handles, f, f)) {
		if (f)
			free(f->name);
		free(f);
		return NULL;
	}
	f->module = m;
	f->stub = stub;
	f->carveout = cudaSharedmemCarveoutDefault;
	f->next = buckets[bucket_of(stub)];
	buckets[bucket_of(stub)] = f;
	return f;
}

/* ---- variables ---- */

/* A managed variable by its address: nvcc's programs name it through its pointer. */
static cudaError_t managed_symbol(const void *symbol, uint64_t *address, uint64_t *bytes)
{
	for (const struct rt_variable *v = rt.variables; v; v = v->next)
		if (v->managed && v->shared && !v->module->status) {
			*address = address_of(v, bytes);
			if (*address && *address == (uintptr_t)symbol)
				return cudaSuccess;
		}
	*address = *bytes = 0;
	return cudaErrorInvalidSymbol;
}

cudaError_t rt_symbol(const void *symbol, uint64_t *address, uint64_t *bytes)
{
	for (const struct rt_variable *v = rt.variables; v; v = v->next) {
		if (v->host != symbol)
			continue;
		const cudaError_t e = rt_module_use(v->module);
		if (e)
			return e;
		*address = address_of(v, bytes);
		if (*address)
			return cudaSuccess;
	}
	return managed_symbol(symbol, address, bytes);
}

static void variable_new(
	struct CUmod_st *m, const void *host, const char *name, size_t bytes, void **managed)
{
	struct rt_variable *v = calloc(1, sizeof(*v));

	if (!m || !v || !(v->name = strdup(name))) {
		free(v);
		return;
	}
	v->module = m;
	v->host = host;
	v->bytes = bytes;
	v->managed = managed;
	v->next = rt.variables;
	rt.variables = v;
}

static bool is_in(const struct range *r, const char *at)
{
	while (r && (at < r->from || at >= r->to))
		r = r->next;
	return r != NULL;
}

static bool is_managed(const char *host)
{
	return is_in(managed_ranges, host);
}

/*
 * The program reads managed variables before any launch, so they have to be one with the device's
 * now. nvcc's programs go through a pointer, which gets the device's address. Those of clang have
 * the host's twin in their own data: the device takes that memory over, with its own first values.
 */
static void share(struct rt_variable *v)
{
	struct CUmod_st *m = v->module;
	char room[NAME_MAX_PTX];
	struct tr_err err = {0};
	uint64_t bytes, at;

	if (rt_module_use(m))
		return;
	at = address_of(v, &bytes);
	if (v->managed)
		*v->managed = (void *)(uintptr_t)at;
	else if (at != (uintptr_t)v->host && /* else another file declares it, too */
		 ptx_symbol_move(rt.machine, m->ptx, ptx_name(m, v->name, room, sizeof(room)),
			 (void *)(uintptr_t)v->host, &err) < 0)
		rt_say("managed variable '%s': %s", v->name, err.msg);
}

/* Of one module, or of all that are linked, and were not before. */
static void share_managed(const struct CUmod_st *m)
{
	for (struct rt_variable *v = rt.variables; v; v = v->next)
		if (m ? v->module == m : v->module->relocatable && !v->shared) {
			v->shared = v->managed || is_managed(v->host);
			if (v->shared)
				share(v);
		}
}

/* Variables in code that is linked are there when the program's last object is. */
static void registered(struct CUmod_st *m)
{
	size_t all = 0;

	if (!is_relocatable(m)) {
		share_managed(m);
		return;
	}
	for (const struct range *r = linked_ranges; r; r = r->next)
		all += (size_t)(r->to - r->from);
	if (++nlinked == all)
		share_managed(NULL);
}

/* ---- what compilers emit ---- */

void __warptraceManaged(const char *from, const char *to);
void __warptraceLinked(const char *from, const char *to);
void __warptraceUnlinked(const char *from, const char *to);
void __warptraceLinkedBinary(void (*register_all)(void **), void *wrapper, void *id, void *unused);
void **__cudaRegisterFatBinary(void *wrapper);
void __cudaRegisterFatBinaryEnd(void **h);
void __cudaUnregisterFatBinary(void **h);
char __cudaInitModule(void **h);
void __cudaRegisterFunction(void **h, const char *stub, char *dev, const char *name, int limit,
	uint3 *tid, uint3 *bid, dim3 *block, dim3 *grid, int *warp);
void __cudaRegisterVar(void **h, char *host, char *dev, const char *name, int ext, size_t bytes,
	int constant, int global);
void __cudaRegisterTexture(
	void **h, const void *host, const void **dev, const char *name, int dim, int norm, int ext);
void __cudaRegisterManagedVar(void **h, void **host, char *dev, const char *name, int ext,
	size_t bytes, int constant, int global);

/* Where the program or the library is that an address lies in. */
static const void *library_of(const void *at)
{
	Dl_info info;

	return dladdr(at, &info) ? info.dli_fbase : NULL;
}

static void range_new(struct range **list, const char *from, const char *to)
{
	struct range *r;

	rt_register();
	if (from < to && !is_in(*list, from) && (r = malloc(sizeof(*r)))) {
		*r = (struct range){*list, from, to};
		*list = r;
	}
	rt_leave(cudaSuccess);
}

void __warptraceManaged(const char *from, const char *to)
{
	range_new(&managed_ranges, from, to);
}

void __warptraceLinked(const char *from, const char *to)
{
	range_new(&linked_ranges, from, to);
}

/* The image goes with its library: what was not read of it never will be. */
static void forget(struct CUmod_st *m)
{
	if (m->tried)
		return;
	m->tried = true;
	m->status = cudaErrorNoKernelImageForDevice;
}

/* The program or library with these objects ends. */
void __warptraceUnlinked(const char *from, const char *to)
{
	const void *library = library_of(from);

	rt_register();
	for (struct range **at = &linked_ranges, *r; (r = *at);) {
		if (r->from != from) {
			at = &r->next;
			continue;
		}
		*at = r->next;
		nlinked -= (size_t)(to - from);
		free(r);
		for (struct CUmod_st *m = rt.modules; m; m = m->next)
			if (m->relocatable && m->library == library)
				forget(m);
	}
	rt_leave(cudaSuccess);
}

void **__cudaRegisterFatBinary(void *wrapper)
{
	struct CUmod_st *m = NULL;
	struct tr_err err = {0};
	const void *const *several;
	const void *image;

	rt_register();
	image = rt_fatbin_image(wrapper, &several, &err);
	if (image)
		m = rt_module_new(image, several);
	else
		rt_say("%s", err.msg);
	if (m)
		m->library = library_of(wrapper);
	rt_leave(cudaSuccess);
	return (void **)m;
}

void __cudaRegisterFatBinaryEnd(void **h)
{
	rt_register();
	if (h)
		registered((struct CUmod_st *)h);
	rt_leave(cudaSuccess);
}

/* What trace-nvcc makes of the calls for which nvcc's linker has a function in each program. */
void __warptraceLinkedBinary(void (*register_all)(void **), void *wrapper, void *id, void *unused)
{
	void **h = __cudaRegisterFatBinary(wrapper);

	(void)id, (void)unused;
	if (h && register_all)
		register_all(h);
	__cudaRegisterFatBinaryEnd(h);
}

void __cudaUnregisterFatBinary(void **h)
{
	rt_register();
	if (h)
		forget((struct CUmod_st *)h);
	rt_leave(cudaSuccess);
}

char __cudaInitModule(void **h)
{
	(void)h;
	return 1;
}

void __cudaRegisterFunction(void **h, const char *stub, char *dev, const char *name, int limit,
	uint3 *tid, uint3 *bid, dim3 *block, dim3 *grid, int *warp)
{
	(void)dev, (void)limit, (void)tid, (void)bid, (void)block, (void)grid, (void)warp;
	rt_register();
	if (h && !rt_function_new((struct CUmod_st *)h, stub, name))
		rt_say("no memory to register kernel '%s'", name);
	rt_leave(cudaSuccess);
}

void __cudaRegisterVar(void **h, char *host, char *dev, const char *name, int ext, size_t bytes,
	int constant, int global)
{
	(void)dev, (void)ext, (void)constant, (void)global;
	rt_register();
	variable_new((struct CUmod_st *)h, host, name, bytes, NULL);
	rt_leave(cudaSuccess);
}

void __cudaRegisterManagedVar(void **h, void **host, char *dev, const char *name, int ext,
	size_t bytes, int constant, int global)
{
	(void)dev, (void)ext, (void)constant, (void)global;
	rt_register();
	variable_new((struct CUmod_st *)h, host, name, bytes, host);
	rt_leave(cudaSuccess);
}

void __cudaRegisterTexture(
	void **h, const void *host, const void **dev, const char *name, int dim, int norm, int ext)
{
	(void)dev, (void)dim, (void)norm, (void)ext;
	rt_register();
	variable_new((struct CUmod_st *)h, host, name, sizeof(uint64_t), NULL);
	rt_leave(cudaSuccess);
}

/* ---- symbols as the API has them ---- */

cudaError_t cudaGetSymbolAddress(void **p, const void *symbol)
{
	uint64_t address = 0, bytes = 0;
	RT_ENTER();
	RT_WANT(p);
	const cudaError_t e = rt_symbol(symbol, &address, &bytes);
	*p = (void *)(uintptr_t)address;
	return rt_leave(e);
}

cudaError_t cudaGetSymbolSize(size_t *n, const void *symbol)
{
	uint64_t address = 0, bytes = 0;
	RT_ENTER();
	RT_WANT(n);
	const cudaError_t e = rt_symbol(symbol, &address, &bytes);
	*n = bytes;
	return rt_leave(e);
}
