/*
 * libwarptrace-cudart: the CUDA runtime's and driver's entry points over the PTX machine. A program
 * that is linked with it, or preloaded, runs its kernels on the CPU; under `trace-gen --run` they
 * are recorded as well.
 *
 * Everything happens at once and in the order of the calls: streams and events keep their rules but
 * never run side by side. Device addresses are host addresses, so managed, mapped and registered
 * memory is simply memory. One lock is held in every entry point, so host threads may call at will;
 * host functions of streams run without it, since they may wait for other threads.
 *
 * This header is what the library's files share. It is a program's guest: it says something on
 * stderr only where a program would otherwise go on with wrong results, and never ends the program.
 */
#ifndef CUDA_RT_H
#define CUDA_RT_H

#include "cuda.h"
#include "cuda_runtime_api.h"
#include "sim/ptx/ptx.h"
#include <stdbool.h>

#define RT_REGION                                                                                  \
	0x200000000000ull         /* device memory: clear of programs, and of sanitizers' shadows */
#define RT_MEMORY (8ull << 30)    /* of the device, unless --memory says otherwise */
#define RT_THREADS_MAX 1024u      /* of a CTA */
#define RT_SHARED_MAX (48u << 10) /* shared memory of a kernel that asked for no more, */
#define RT_SHARED_OPTIN (96u << 10) /* and of one that has */
#define RT_CLUSTER_MAX 8u           /* CTAs of a cluster of any kernel, */
#define RT_CLUSTER_OPTIN 16u        /* and of one that asked for more than portable ones */

/*
 * A fat binary, or PTX that the driver loaded: parsed and put on the machine when first wanted. All
 * that are relocatable are linked then, with nvcc's links of several images, to one ptx module.
 */
struct CUmod_st {
	struct CUmod_st *next;
	const void *const *images; /* NULL-ended; NULL for a module that the driver made */
	const void *image[2];      /* where there is one: it, and NULL */
	const char *texts;         /* what the driver was given, until it is parsed: PTX, */
	unsigned ntexts;           /* as many, one behind the other, each with its NUL */
	char *text;                /* what was found in the image, until then */
	const void *library;       /* the program or library that it came with: linked by itself */
	bool relocatable;
	unsigned long long file; /* what the names of its static things end in; 0: nothing */
	char *path;              /* for messages */
	struct ptx_module *ptx;
	cudaError_t status; /* cudaSuccess, or why it cannot be used */
	bool tried;
	struct tr_err why;
};

struct CUfunc_st {
	struct CUfunc_st *next; /* of all, for lookups by stub */
	struct CUmod_st *module;
	const void *stub; /* the host function whose address the program launches, or NULL */
	char *name;
	const struct ptx_kernel *kernel; /* once it is known */
	uint32_t shared_max;             /* dynamic bytes that a launch may ask for */
	int carveout;        /* percent of the L1D that it would like as shared memory, or -1 */
	bool told;           /* that it was refused */
	bool large_clusters; /* may have clusters of more than RT_CLUSTER_MAX CTAs */
	unsigned cluster[3]; /* that each launch has to have; 0: nobody said so */
};

struct rt_variable {
	struct rt_variable *next;
	struct CUmod_st *module;
	const void *host; /* its twin in the program, which stands for it in calls */
	char *name;
	size_t bytes;
	void **managed; /* where the program keeps its address, or NULL */
	bool shared;    /* managed, and one with the device's */
};

/* What a launch says, in the runtime's words. */
struct rt_launch {
	struct CUfunc_st *f;
	dim3 grid, block;
	size_t shared;
	bool cooperative;
	unsigned cluster[3]; /* CTAs of a cluster; 0, 0, 0: as the kernel has it */
};

struct rt {
	struct ptx_machine *machine; /* NULL before the first call that wants one */
	struct ptx_resident resident;
	cudaError_t sticky; /* what every call returns from a fault on */
	struct CUmod_st *modules;
	struct CUfunc_st *functions;
	struct rt_variable *variables;
	uint64_t api_calls, nallocs;
	uint64_t host_memory; /* bytes of pinned and managed memory that there may be */
	bool verbose;
	bool was_reset; /* cudaDeviceReset left memory or variables */
};
extern struct rt rt;

/*
 * Every entry point lies between these. rt_enter takes the lock and starts the machine; what it
 * returns, unless it is cudaSuccess, is what the entry point has to return, through rt_leave, which
 * gives the lock back and remembers an error for cudaGetLastError.
 */
cudaError_t rt_enter(void);
cudaError_t rt_leave(cudaError_t e);
/* The same for what uses the device's context: a thread that has none has that one from now on. */
cudaError_t rt_enter_context(void);
/* The same for what compilers call before main, which is no use of the device: no record begins. */
cudaError_t rt_register(void);
/*
 * The lock alone, for a signal's handler: false where another thread keeps it for too long. Where
 * this thread has it already, it has it once more.
 */
bool rt_try(void);
void rt_let(void);
#define RT_ENTER_BY(enter)                                                                         \
	do {                                                                                       \
		const cudaError_t entered_ = enter();                                              \
		if (entered_)                                                                      \
			return rt_leave(entered_);                                                 \
	} while (0)
#define RT_ENTER() RT_ENTER_BY(rt_enter_context)
/* For a call that needs no context, as cudaGetDeviceCount: the thread's stays what it is. */
#define RT_ASK() RT_ENTER_BY(rt_enter)
/* What else an entry point has to be given, as the real runtime has it. */
#define RT_WANT(given)                                                                             \
	do {                                                                                       \
		if (!(given))                                                                      \
			return rt_leave(cudaErrorInvalidValue);                                    \
	} while (0)
cudaError_t rt_last_error(bool forget);
/*
 * In an entry point: calls a function of the program without the lock; waits until one has
 * returned, without the lock as well. What the caller knows of handles may be wrong after either.
 */
void rt_call(void (*fn)(void *user), void *user);
void rt_wait(void);
void rt_set_device(int device);
int rt_device(void);

/* "warptrace: ..." on stderr. */
void rt_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* The run's record is not to be kept, and why. */
void rt_spoil(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* The error that the real runtime has for what the machine says. */
cudaError_t rt_error_of(const struct tr_err *err);

/* rt.c: the record. Runs the launch, recorded if the command line wants that one. */
int rt_run(const struct ptx_launch *l, struct tr_err *err);
double rt_time(void); /* milliseconds of the device, from what it has executed */

/*
 * fatbin.c: the PTX in a fat binary, NUL-terminated, for the caller to free; NULL with *err.
 * *relocatable: trace-nvcc made it to be linked.
 */
char *rt_fatbin_ptx(const void *image, bool *relocatable, struct tr_err *err);
/* What its PTX was compiled for: 80, of sm_80; 0: there is none. */
uint32_t rt_fatbin_arch(const void *image);
/* Do n bytes hold all of an image, as a file should? What else stands in them may be wrong. */
bool rt_fatbin_whole(const void *image, size_t n);
/*
 * The image behind the wrapper that programs register, or the image itself; NULL: neither.
 * *several: those that nvcc's linker put together, NULL-ended, or NULL.
 */
const void *rt_fatbin_image(const void *wrapper, const void *const **several, struct tr_err *err);

/* module.c: a new module of an image, of several that nvcc linked, or without any; NULL: no memory
 */
struct CUmod_st *rt_module_new(const void *image, const void *const *several);
cudaError_t rt_module_use(struct CUmod_st *m);
cudaError_t rt_kernel_of(struct CUfunc_st *f);
struct CUfunc_st *rt_function(const void *stub);
/* A kernel's handle is its function's record; programs pass either where CUDA 12 takes both. */
struct CUfunc_st *rt_function_or_handle(const void *f);
/* Where a program's variable stands on the device, and its bytes. */
cudaError_t rt_symbol(const void *symbol, uint64_t *address, uint64_t *bytes);
struct CUfunc_st *rt_function_new(struct CUmod_st *m, const void *stub, const char *name);

/* launch.c */
cudaError_t rt_launch(const struct rt_launch *l, void *const *args);
/* The same, or what becomes of it where the stream is captured. */
cudaError_t rt_launch_on(struct rt_launch *l, void *const *args, cudaStream_t stream);
cudaError_t rt_occupancy(int *n, struct CUfunc_st *f, int block, size_t shared);
/* Takes what a launch's attributes say of it; the event that is to be recorded after it, or NULL.
 */
cudaError_t rt_launch_attributes(
	struct rt_launch *l, const cudaLaunchAttribute *a, unsigned n, cudaEvent_t *event);
cudaError_t rt_function_set(struct CUfunc_st *f, int attribute, int value);
/*
 * What cudaFuncAttributes of CUDA 12 on has behind preferredShmemCarveout, of a known kernel: must
 * clusters be said, their width, height, depth, how they are spread, may they be large; numbered
 * as cudaFuncAttributeClusterDimMustBeSet and the next ones.
 */
enum { RT_CLUSTER_ATTRIBUTES = 6 };
void rt_cluster_attributes(int values[RT_CLUSTER_ATTRIBUTES], const struct CUfunc_st *f);
/* How many clusters are on the device at once, and the largest of which one is. */
cudaError_t rt_clusters_at_once(int *n, const struct rt_launch *l);
cudaError_t rt_largest_cluster(int *n, const struct rt_launch *l);
/* The CTAs of a launch's clusters: as it says, or its kernel, or 1. */
void rt_cluster_of(const struct rt_launch *l, unsigned cluster[3]);
cudaError_t rt_attributes(struct cudaFuncAttributes *a, struct CUfunc_st *f);

/* The device's compute capability, 80 or 90. */
int rt_capability(void);
/*
 * abi/: the entry points whose structs or parameters grew between CUDA's releases, one file a
 * release, of which each build of the library has one. They fill the release's struct from these.
 */
void rt_properties(struct cudaDeviceProp *p);
void rt_pointer(struct cudaPointerAttributes *a, const void *p);

/* stream.c: the graph that the stream's calls go to while it is captured, or NULL. */
struct rt_graph;
struct rt_graph *rt_capturing(cudaStream_t stream);
bool rt_stream_known(cudaStream_t stream);
/* Ends the capture that goes on in g, for all streams and events. */
void rt_capture_end(struct rt_graph *g);
/*
 * Host functions of streams. rt_turn waits for those of other threads that work in this stream
 * comes behind, rt_turn_of_all for those in any; rt_turn_is_others: would the former wait?
 */
void rt_host_function(cudaStream_t stream, void (*fn)(void *user), void *user);
void rt_turn(cudaStream_t stream);
void rt_turn_of_all(void);
bool rt_turn_is_others(cudaStream_t stream);
/* What the entry points of several releases come down to; each may be NULL but status. */
cudaError_t rt_capture_info(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
	unsigned long long *id, cudaGraph_t *graph, const cudaGraphNode_t **last, size_t *n);
cudaError_t rt_capture_dependencies(
	cudaStream_t stream, cudaGraphNode_t *nodes, size_t n, unsigned int flags);

/* graph.c: what becomes of a captured call. */
struct rt_graph *rt_graph_new(void); /* or NULL */
void rt_graph_drop(struct rt_graph *g);
cudaError_t rt_capture_host(struct rt_graph *g, cudaHostFn_t fn, void *user);
cudaError_t rt_capture_event(struct rt_graph *g, cudaEvent_t event);
cudaError_t rt_capture_allocation(struct rt_graph *g, void **p, size_t bytes);
cudaError_t rt_capture_free(struct rt_graph *g, void *p);
cudaError_t rt_capture_copy_3d(struct rt_graph *g, const struct cudaMemcpy3DParms *p);
cudaError_t rt_capture_launch(struct rt_graph *g, const struct rt_launch *l, void *const *args);
cudaError_t rt_capture_copy(struct rt_graph *g, void *dst, size_t dpitch, const void *src,
	size_t spitch, size_t width, size_t height, enum cudaMemcpyKind kind);
cudaError_t rt_capture_fill(struct rt_graph *g, const struct cudaMemsetParams *p);
cudaError_t rt_capture_set(
	struct rt_graph *g, void *p, size_t pitch, int value, size_t width, size_t height);
/* Nodes without what waits for them: what a captured stream's next call will wait for. */
struct rt_tail {
	cudaGraphNode_t *v;
	size_t n;
};
cudaError_t rt_tail_join(struct rt_tail *to, const struct rt_tail *from);
void rt_tail_free(struct rt_tail *t);
/* Does nothing but the tail lack what waits for it? */
bool rt_graph_joined(const struct rt_graph *g, const struct rt_tail *end);
/* nodes.c: what the entry points of several releases come down to. behind: those that wait for it.
 */
cudaError_t rt_graph_dependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
	const cudaGraphNode_t *to, size_t n, bool remove);
cudaError_t rt_graph_add(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *before,
	size_t count, struct cudaGraphNodeParams *p);
cudaError_t rt_graph_edges(
	cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, size_t *count);
cudaError_t rt_node_neighbours(
	cudaGraphNode_t node, cudaGraphNode_t *nodes, size_t *count, bool behind);

/*
 * pool.c: memory in the order of a stream. rt_pool_release: is p of a pool, and what came of its
 * free? Memory of graphs has an address from rt_lent_new on, kept by one node; rt_lent_keep adds
 * nodes or takes some away; a launch begins its use, cudaFree ends it.
 */
bool rt_pool_release(void *p, cudaError_t *e);
cudaError_t rt_lent_new(void **p, size_t bytes);
void rt_lent_keep(void *p, int nodes);
cudaError_t rt_lent_start(void *p);
bool rt_lent_is_out(const void *p);

/* driver.c: the device's context is this thread's, unless it has another one. */
void rt_use_context(void);

/* touch.c: from here on it is said where the host touches device memory that is not there, unless
 * the program takes the signal for itself. */
void rt_watch_touches(void);

/* unsupported.c: cudaErrorNotSupported, and says so once for each thing. */
cudaError_t rt_unsupported(const char *what);

/* memory.c: what the calls with and without a stream, and graphs, come down to. */
cudaError_t rt_allocate(void **p, size_t bytes, const char *kind);
/* Sizes of what a program wants; what does not fit is SIZE_MAX, which no device has. */
size_t rt_times(size_t a, size_t b);
size_t rt_rows(size_t bytes, size_t unit); /* a multiple of the unit */
cudaError_t rt_copy(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
	size_t height, enum cudaMemcpyKind kind);
/*
 * texture.c: the flags that the driver was given for a texture, more than the runtime's words for
 * it tell; false: the runtime made it, or it is not there.
 */
void rt_texture_set_flags(cudaTextureObject_t t, unsigned flags);
bool rt_texture_flags(cudaTextureObject_t t, unsigned *flags);
cudaError_t rt_copy_3d(const struct cudaMemcpy3DParms *p); /* texture.c */
cudaError_t rt_set(void *p, size_t pitch, int value, size_t width, size_t height);
/* n elements of 1, 2 or 4 bytes, and rows of them. */
cudaError_t rt_fill(void *p, uint32_t value, size_t n, size_t element);
cudaError_t rt_fill_rows(const struct cudaMemsetParams *p);

#endif
