/*
 * The driver's graphs: nodes of each kind, by the call for it and by the one for any; libraries, and
 * the names of errors.
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda.h>
#include <cuda_runtime_api.h>

#define MUST(call, want)                                                                           \
	do {                                                                                       \
		const CUresult r_ = (call);                                                        \
		if (r_ != (want)) {                                                                \
			const char *name_ = "?";                                                   \
			cuGetErrorName(r_, &name_);                                                \
			printf("line %d: %s\n", __LINE__, name_);                                  \
			exit(1);                                                                   \
		}                                                                                  \
	} while (0)
#define OK(call) MUST(call, CUDA_SUCCESS)
#define CHECK(x)                                                                                   \
	do {                                                                                       \
		if (!(x)) {                                                                        \
			printf("line %d: %s\n", __LINE__, #x);                                     \
			exit(1);                                                                   \
		}                                                                                  \
	} while (0)

enum { N = 32 };

/* v[thread] = v[thread] * a + thread */
static const char text[] =
	".version 7.0\n.target sm_60\n.address_size 64\n"
	".visible .entry affine(.param .u64 v, .param .u32 a) {\n"
	".reg .b32 %r<5>; .reg .b64 %rd<3>;\n"
	"ld.param.u64 %rd0, [v]; ld.param.u32 %r0, [a];\n"
	"mov.u32 %r1, %tid.x; mul.wide.u32 %rd1, %r1, 4; add.u64 %rd0, %rd0, %rd1;\n"
	"ld.global.u32 %r2, [%rd0]; mad.lo.u32 %r3, %r2, %r0, %r1;\n"
	"st.global.u32 [%rd0], %r3; ret; }\n";

static void count(void *p)
{
	++*(int *)p;
}

int main()
{
	CUdevice device;
	CUcontext context, now;
	CUmodule module, in;
	CUfunction f, g, again_f;
	CUlibrary library;
	CUkernel of_library, none;
	const char *name, *sentence, *unknown = cudaGetErrorString((cudaError_t)98765);
	CUdeviceptr v, copy;
	CUgraph graph, inner;
	CUgraphExec exec;
	CUgraphNode set, kernel, again, back, host, choice, empty, child;
	CUgraphConditionalHandle handle;
	CUgraphNodeParams p;
	unsigned a = 3, b = 5, got[N], had[N];
	int times = 0, threads = 0;

	OK(cuInit(0));
	OK(cuDeviceGet(&device, 0));
	OK(cuCtxCreate(&context, 0, device));
	OK(cuModuleLoadData(&module, text));
	OK(cuModuleGetFunction(&f, module, "affine"));
	/* The same as a library, whose kernels stand for functions. */
	OK(cuLibraryLoadData(&library, text, nullptr, nullptr, 0, nullptr, nullptr, 0));
	OK(cuLibraryGetKernel(&of_library, library, "affine"));
	MUST(cuLibraryGetKernel(&none, library, "none"), CUDA_ERROR_NOT_FOUND);
	OK(cuKernelGetFunction(&g, of_library));
	OK(cuKernelGetName(&name, of_library));
	CHECK(g && !strcmp(name, "affine"));
	OK(cuKernelGetAttribute(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, of_library, device));
	CHECK(threads == 1024);
	OK(cuLibraryGetModule(&in, library));
	OK(cuModuleGetFunction(&again_f, in, "affine"));
	CHECK(again_f == g);
	MUST(cuLibraryGetGlobal(&v, nullptr, library, "none"), CUDA_ERROR_NOT_FOUND);

	OK(cuMemAlloc(&v, N * sizeof(unsigned)));
	OK(cuMemAlloc(&copy, N * sizeof(unsigned)));
	OK(cuGraphCreate(&graph, 0));
	OK(cuGraphCreate(&inner, 0));

	/* v = 7, then v = 3 v + i, which is copied, and v = 5 v + i in a graph within an if. */
	CUDA_MEMSET_NODE_PARAMS m = {};
	m.dst = v;
	m.value = 7;
	m.elementSize = 4;
	m.width = N;
	m.height = 1;
	OK(cuGraphAddMemsetNode(&set, graph, nullptr, 0, &m, context));

	void *args[] = {&v, &a}, *other[] = {&v, &b};
	memset(&p, 0, sizeof(p));
	p.type = CU_GRAPH_NODE_TYPE_KERNEL;
	p.kernel.func = f;
	p.kernel.gridDimX = p.kernel.gridDimY = p.kernel.gridDimZ = 1;
	p.kernel.blockDimX = N;
	p.kernel.blockDimY = p.kernel.blockDimZ = 1;
	p.kernel.kernelParams = args;
	OK(cuGraphAddNode(&kernel, graph, &set, 1, &p));
	CUDA_KERNEL_NODE_PARAMS k = p.kernel;

	memset(&p, 0, sizeof(p));
	p.type = CU_GRAPH_NODE_TYPE_MEMCPY;
	p.memcpy.copyCtx = context;
	p.memcpy.copyParams.srcMemoryType = CU_MEMORYTYPE_DEVICE;
	p.memcpy.copyParams.srcDevice = v;
	p.memcpy.copyParams.dstMemoryType = CU_MEMORYTYPE_DEVICE;
	p.memcpy.copyParams.dstDevice = copy;
	p.memcpy.copyParams.WidthInBytes = N * sizeof(unsigned);
	p.memcpy.copyParams.Height = p.memcpy.copyParams.Depth = 1;
	OK(cuGraphAddNode_v2(&back, graph, &kernel, nullptr, 1, &p));

	OK(cuGraphConditionalHandleCreate(
		&handle, graph, context, 1, CU_GRAPH_COND_ASSIGN_DEFAULT));
	memset(&p, 0, sizeof(p));
	p.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
	p.conditional.handle = handle;
	p.conditional.type = CU_GRAPH_COND_TYPE_IF;
	p.conditional.size = 1;
	p.conditional.ctx = context;
	OK(cuGraphAddNode(&choice, graph, &back, 1, &p));
	CHECK(p.conditional.phGraph_out && p.conditional.phGraph_out[0]);
	k.func = nullptr;
	k.kern = of_library;
	k.kernelParams = other;
	OK(cuGraphAddKernelNode(&again, inner, nullptr, 0, &k));
	OK(cuGraphAddChildGraphNode(&child, p.conditional.phGraph_out[0], nullptr, 0, inner));

	CUDA_HOST_NODE_PARAMS h = {count, &times};
	OK(cuGraphAddHostNode(&host, graph, &choice, 1, &h));
	OK(cuGraphAddEmptyNode(&empty, graph, &host, 1));

	/* The copy once more, by the call for it, to the host. */
	CUDA_MEMCPY3D c = {};
	c.srcMemoryType = CU_MEMORYTYPE_DEVICE;
	c.srcDevice = copy;
	c.dstMemoryType = CU_MEMORYTYPE_HOST;
	c.dstHost = had;
	c.WidthInBytes = sizeof(had);
	c.Height = c.Depth = 1;
	OK(cuGraphAddMemcpyNode(&back, graph, &empty, 1, &c, context));

	OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
	for (int time = 1; time <= 2; time++) {
		memset(had, 0, sizeof(had));
		OK(cuGraphLaunch(exec, nullptr));
		OK(cuStreamSynchronize(nullptr));
		OK(cuMemcpyDtoH(got, v, sizeof(got)));
		for (unsigned i = 0; i < N; i++)
			CHECK(had[i] == 21 + i && got[i] == 5 * had[i] + i);
		CHECK(times == time);
	}
	MUST(cuGraphAddNode(&kernel, graph, nullptr, 0, nullptr), CUDA_ERROR_INVALID_VALUE);
	memset(&p, 0, sizeof(p));
	p.type = CU_GRAPH_NODE_TYPE_KERNEL;
	CHECK(cuGraphAddNode(&kernel, graph, nullptr, 0, &p) != CUDA_SUCCESS);
	/* What is known of pointers, and functions by name for the release that asks. */
	CUpointer_attribute attributes[] = {
		CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_DEVICE_POINTER};
	unsigned type = 99;
	CUdeviceptr pointer = 99;
	void *values[] = {&type, &pointer}, *entry[2];
	OK(cuPointerGetAttributes(2, attributes, values, v));
	CHECK(type == CU_MEMORYTYPE_DEVICE && pointer == v);
	OK(cuPointerGetAttributes(2, attributes, values, (CUdeviceptr)&type));
	CHECK(!type && !pointer);
	OK(cuGetProcAddress("cuGraphAddNode", &entry[0], 12020, CU_GET_PROC_ADDRESS_DEFAULT));
	OK(cuGetProcAddress("cuGraphAddNode", &entry[1], 12030, 0, nullptr));
	CHECK(entry[0] == (void *)cuGraphAddNode && entry[1] == (void *)cuGraphAddNode_v2);
	OK(cuStreamGetCtx(nullptr, &now));
	CHECK(now);

	OK(cuGraphExecDestroy(exec));
	OK(cuGraphDestroy(graph));
	OK(cuGraphDestroy(inner));
	OK(cuLibraryUnload(library));

	/* Each error has its name, and a sentence that is not that of a number without a name. */
#define CU_ERROR(number, word)                                                                     \
	OK(cuGetErrorName((CUresult)number, &name));                                               \
	OK(cuGetErrorString((CUresult)number, &sentence));                                         \
	CHECK(!strcmp(name, "CUDA_ERROR_" #word) && sentence && strcmp(sentence, unknown));
#include "warptrace/driver_errors.def"
	OK(cuGetErrorName((CUresult)904, &name));
	OK(cuGetErrorString((CUresult)904, &sentence));
	CHECK(!strcmp(name, "CUDA_ERROR_STREAM_CAPTURE_UNJOINED"));
	CHECK(!strcmp(sentence, "capturing stream has unjoined work"));
	MUST(cuGetErrorName((CUresult)98765, &name), CUDA_ERROR_INVALID_VALUE);
	CHECK(!name);
	puts("PASSED");
}
