/*
 * What ordinary programs ask of the driver beside modules and memory: the largest block, arrays
 * with textures and surfaces, peers, words of streams, graphs that change, and what is not there.
 */
#include <cuda.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <sys/mman.h>

#define MUST(call, want)                                                                           \
	do {                                                                                       \
		const CUresult r_ = (call);                                                        \
		if (r_ != (want)) {                                                                \
			printf("line %d: %d\n", __LINE__, (int)r_);                                \
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

static const char text[] =
	".version 7.0\n.target sm_60\n.address_size 64\n"
	".visible .entry fetch(.param .u64 t, .param .u64 to) {\n"
	".reg .b64 %rd<5>; .reg .f32 %f<6>; .reg .b32 %r<3>;\n"
	"ld.param.u64 %rd0, [t]; ld.param.u64 %rd1, [to]; mov.u32 %r0, %tid.x;\n"
	"mov.u32 %r1, %tid.y; cvt.rn.f32.u32 %f0, %r0; cvt.rn.f32.u32 %f1, %r1;\n"
	"tex.2d.v4.f32.f32 {%f2, %f3, %f4, %f5}, [%rd0, {%f0, %f1}];\n"
	"mad.lo.u32 %r2, %r1, 8, %r0; mul.wide.u32 %rd2, %r2, 4; add.u64 %rd1, %rd1, %rd2;\n"
	"st.global.f32 [%rd1], %f2; ret; }\n"
	".visible .entry mark(.param .u64 s) {\n"
	".reg .b64 %rd; .reg .b32 %r<4>;\n"
	"ld.param.u64 %rd, [s]; mov.u32 %r0, %tid.x; mov.u32 %r1, %tid.y; shl.b32 %r2, %r0, 2;\n"
	"mov.u32 %r3, 1073741824; sust.b.2d.b32.trap [%rd, {%r2, %r1}], {%r3}; ret; }\n"
	".visible .entry put(.param .u64 to, .param .u32 v) {\n"
	".reg .b64 %rd; .reg .b32 %r; ld.param.u64 %rd, [to]; ld.param.u32 %r, [v];\n"
	"st.global.u32 [%rd], %r; ret; }\n";

enum { WIDTH = 8, HEIGHT = 4 };
static CUmodule module;
static CUstream stream;
static CUcontext context;

static CUfunction function(const char *name)
{
	CUfunction f;

	OK(cuModuleGetFunction(&f, module, name));
	return f;
}

static void constants()
{
	CUfunc_cache cache;
	CUsharedconfig banks;
	CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_INVALIDATED;
	CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
	CUevent event;
	CUdeviceptr p, start;
	CUcontext made;
	size_t bytes;
	void *host;
	unsigned flags;
	int value;

	OK(cuCtxSetCacheConfig(CU_FUNC_CACHE_PREFER_L1));
	OK(cuCtxGetCacheConfig(&cache));
	CHECK(cache == CU_FUNC_CACHE_PREFER_L1);
	OK(cuCtxSetSharedMemConfig(CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE));
	OK(cuCtxGetSharedMemConfig(&banks));
	CHECK(banks == CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE);
	OK(cuCtxSetLimit(CU_LIMIT_PRINTF_FIFO_SIZE, 1 << 20));
	OK(cuCtxGetLimit(&bytes, CU_LIMIT_PRINTF_FIFO_SIZE));
	CHECK(bytes == 1 << 20);
	OK(cuStreamIsCapturing(CU_STREAM_PER_THREAD, &status));
	CHECK(status == CU_STREAM_CAPTURE_STATUS_NONE);
	OK(cuThreadExchangeStreamCaptureMode(&mode));
	CHECK(mode == CU_STREAM_CAPTURE_MODE_GLOBAL);
	OK(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING | CU_EVENT_BLOCKING_SYNC));
	OK(cuEventRecord(event, CU_STREAM_LEGACY));
	OK(cuEventDestroy(event));
	OK(cuMemHostAlloc(&host, 64, CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_PORTABLE));
	OK(cuMemHostGetFlags(&flags, host));
	CHECK(flags == (CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_PORTABLE));
	OK(cuMemFreeHost(host));
	host = aligned_alloc(4096, 4096);
	OK(cuMemHostRegister(host, 4096, CU_MEMHOSTREGISTER_DEVICEMAP));
	OK(cuMemHostUnregister(host));
	free(host);
	OK(cuMemAllocManaged(&p, 100, CU_MEM_ATTACH_GLOBAL));
	OK(cuMemAdvise(p, 100, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, CU_DEVICE_CPU));
	OK(cuMemRangeGetAttribute(
		&value, sizeof(value), CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, p, 100));
	CHECK(value == CU_DEVICE_CPU);
	OK(cuMemRangeGetAttribute(
		&value, sizeof(value), CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION, p, 100));
	CHECK(value == CU_DEVICE_INVALID);
	OK(cuStreamAttachMemAsync(stream, p, 0, CU_MEM_ATTACH_SINGLE));
	OK(cuPointerGetAttribute(&start, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, p + 9));
	OK(cuPointerGetAttribute(&bytes, CU_POINTER_ATTRIBUTE_RANGE_SIZE, p + 9));
	CHECK(start == p && bytes == 100);
	OK(cuMemFree(p));
	OK(cuCtxCreate(&made, CU_CTX_MAP_HOST | CU_CTX_SCHED_BLOCKING_SYNC, 0));
	OK(cuCtxDestroy(made));
}

static size_t by_block(int block)
{
	return block > 256 ? 1 << 20 : 0;
}

static void occupancy()
{
	CUfunction put = function("put");
	int grid, block, n, sms;
	size_t bytes;

	OK(cuDeviceGetAttribute(&sms, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0));
	OK(cuOccupancyMaxPotentialBlockSize(&grid, &block, put, NULL, 0, 0));
	OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&n, put, block, 0));
	CHECK(block == 1024 && n == 2 && grid == n * sms);
	OK(cuOccupancyMaxPotentialBlockSizeWithFlags(
		&grid, &block, put, NULL, 0, 100, CU_OCCUPANCY_DEFAULT));
	CHECK(block == 100 && grid == 16 * sms);
	OK(cuOccupancyMaxPotentialBlockSize(&grid, &block, put, by_block, 0, 0));
	CHECK(block == 256 && grid == 8 * sms);
	OK(cuOccupancyAvailableDynamicSMemPerBlock(&bytes, put, 2, 256));
	CHECK(bytes > 0 && bytes < 96 << 10);
	MUST(cuOccupancyMaxPotentialBlockSize(NULL, &block, put, NULL, 0, 0),
		CUDA_ERROR_INVALID_VALUE);
}

/* What the texture has at each place, by the kernel. */
static void fetched(CUtexObject t, float *got)
{
	CUdeviceptr to;

	OK(cuMemAlloc(&to, sizeof(float) * WIDTH * HEIGHT));
	void *args[] = {&t, &to};
	OK(cuLaunchKernel(
		function("fetch"), 1, 1, 1, WIDTH, HEIGHT, 1, 0, stream, args, NULL));
	OK(cuMemcpyDtoH(got, to, sizeof(float) * WIDTH * HEIGHT));
	OK(cuMemFree(to));
}

static void arrays()
{
	const CUDA_ARRAY_DESCRIPTOR d = {WIDTH, HEIGHT, CU_AD_FORMAT_FLOAT, 1};
	const CUDA_ARRAY3D_DESCRIPTOR bytes = {
		WIDTH, HEIGHT, 0, CU_AD_FORMAT_UNSIGNED_INT8, 1, CUDA_ARRAY3D_SURFACE_LDST};
	CUDA_ARRAY_DESCRIPTOR got_d;
	CUDA_ARRAY3D_DESCRIPTOR got_3;
	CUDA_ARRAY3D_DESCRIPTOR wrong = bytes;
	CUDA_RESOURCE_DESC r = {}, got_r;
	CUDA_TEXTURE_DESC how = {}, got_how;
	CUDA_RESOURCE_VIEW_DESC view = {};
	CUDA_MEMCPY2D c = {};
	CUarray array, small, level;
	CUmipmappedArray mipmap;
	CUtexObject t;
	CUsurfObject s;
	CUdeviceptr p;
	float in[HEIGHT][WIDTH], out[HEIGHT][WIDTH];
	unsigned char in8[HEIGHT][WIDTH], row[WIDTH];

	for (int i = 0; i < WIDTH * HEIGHT; i++) {
		in[0][i] = 0.5f * i;
		in8[0][i] = (unsigned char)(255 - i);
	}
	OK(cuArrayCreate(&array, &d));
	OK(cuArrayGetDescriptor(&got_d, array));
	CHECK(!memcmp(&d, &got_d, sizeof(d)));
	c.srcMemoryType = CU_MEMORYTYPE_HOST;
	c.srcHost = in;
	c.srcPitch = sizeof(in[0]);
	c.dstMemoryType = CU_MEMORYTYPE_ARRAY;
	c.dstArray = array;
	c.WidthInBytes = sizeof(in[0]);
	c.Height = HEIGHT;
	OK(cuMemcpy2D(&c));
	r.resType = CU_RESOURCE_TYPE_ARRAY;
	r.res.array.hArray = array;
	how.addressMode[0] = how.addressMode[1] = CU_TR_ADDRESS_MODE_CLAMP;
	OK(cuTexObjectCreate(&t, &r, &how, NULL));
	fetched(t, out[0]);
	CHECK(!memcmp(in, out, sizeof(in)));
	OK(cuTexObjectGetTextureDesc(&got_how, t));
	CHECK(got_how.flags == 0);
	OK(cuTexObjectDestroy(t));
	how.flags = CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION | CU_TRSF_SEAMLESS_CUBEMAP;
	OK(cuTexObjectCreate(&t, &r, &how, NULL));
	OK(cuTexObjectGetTextureDesc(&got_how, t));
	CHECK(got_how.flags == how.flags);
	OK(cuTexObjectDestroy(t));
	how.flags = 0;
	MUST(cuTexObjectCreate(&t, &r, &how, &view), CUDA_ERROR_NOT_SUPPORTED);

	/* A surface over it, and the way back. */
	OK(cuSurfObjectCreate(&s, &r));
	void *args[] = {&s};
	OK(cuLaunchKernel(function("mark"), 1, 1, 1, WIDTH, 2, 1, 0, stream, args, NULL));
	OK(cuSurfObjectDestroy(s));
	c.srcMemoryType = CU_MEMORYTYPE_ARRAY;
	c.srcArray = array;
	c.dstMemoryType = CU_MEMORYTYPE_HOST;
	c.dstHost = out;
	c.dstPitch = sizeof(out[0]);
	OK(cuMemcpy2D(&c));
	CHECK(out[0][0] == 2 && out[1][WIDTH - 1] == 2 && out[2][0] == in[2][0]);
	OK(cuArrayDestroy(array));

	/* Bytes: as numbers up to 1, from an array and from memory with a pitch. */
	OK(cuArray3DCreate(&small, &bytes));
	OK(cuArray3DGetDescriptor(&got_3, small));
	/* Not by memcmp: nothing says what is in the padding behind the last member. */
	CHECK(got_3.Width == bytes.Width && got_3.Height == bytes.Height && got_3.Depth == bytes.Depth);
	CHECK(got_3.Format == bytes.Format && got_3.NumChannels == bytes.NumChannels);
	CHECK(got_3.Flags == bytes.Flags);
	OK(cuMemcpyHtoA(small, 0, in8[0], WIDTH - 2));
	OK(cuMemcpyHtoA(small, WIDTH - 2, in8[0] + WIDTH - 2, 2));
	OK(cuMemcpyAtoH(row, small, 0, WIDTH));
	CHECK(!memcmp(row, in8[0], WIDTH));
	MUST(cuMemcpyAtoH(row, small, WIDTH * HEIGHT, 1), CUDA_ERROR_INVALID_VALUE);
	r.res.array.hArray = small;
	OK(cuTexObjectCreate(&t, &r, &how, NULL));
	fetched(t, out[0]);
	CHECK(out[0][0] == 1 && out[0][5] == 250 / 255.0f && out[1][0] == 0);
	OK(cuTexObjectDestroy(t));
	OK(cuMemAlloc(&p, 64 * HEIGHT));
	OK(cuMemcpyAtoD(p, small, 0, WIDTH));
	OK(cuMemsetD8(p + 64, 51, WIDTH));
	OK(cuMemcpyDtoA(small, 0, p + 64, 2));
	OK(cuMemcpyAtoA(small, 2, small, 0, 2));
	OK(cuMemcpyAtoH(row, small, 0, WIDTH));
	CHECK(row[3] == 51 && row[4] == 251);
	r.resType = CU_RESOURCE_TYPE_PITCH2D;
	r.res.pitch2D.devPtr = p;
	r.res.pitch2D.format = CU_AD_FORMAT_UNSIGNED_INT8;
	r.res.pitch2D.numChannels = 1;
	r.res.pitch2D.width = WIDTH;
	r.res.pitch2D.height = HEIGHT;
	r.res.pitch2D.pitchInBytes = 64;
	OK(cuTexObjectCreate(&t, &r, &how, NULL));
	fetched(t, out[0]);
	CHECK(out[0][7] == 248 / 255.0f && out[1][0] == 0.2f);
	OK(cuTexObjectGetResourceDesc(&got_r, t));
	CHECK(!memcmp(&got_r, &r, sizeof(r)));
	OK(cuTexObjectGetTextureDesc(&got_how, t));
	CHECK(!memcmp(&got_how, &how, sizeof(how)));
	MUST(cuTexObjectGetResourceViewDesc(&view, t), CUDA_ERROR_INVALID_VALUE);
	MUST(cuSurfObjectGetResourceDesc(&got_r, t), CUDA_ERROR_INVALID_VALUE);
	OK(cuTexObjectDestroy(t));
	OK(cuMemFree(p));
	OK(cuArrayDestroy(small));

	OK(cuMipmappedArrayCreate(&mipmap, &bytes, 2));
	OK(cuMipmappedArrayGetLevel(&level, mipmap, 1));
	OK(cuArrayGetDescriptor(&got_d, level));
	CHECK(got_d.Width == WIDTH / 2 && got_d.NumChannels == 1);
	OK(cuMipmappedArrayDestroy(mipmap));
	wrong.Format = (CUarray_format)7;
	MUST(cuArray3DCreate(&small, &wrong), CUDA_ERROR_INVALID_VALUE);
	wrong.Format = CU_AD_FORMAT_FLOAT;
	wrong.NumChannels = 3;
	MUST(cuArray3DCreate(&small, &wrong), CUDA_ERROR_INVALID_VALUE);
	MUST(cuArrayDestroy(NULL), CUDA_ERROR_INVALID_HANDLE);
}

static void peers(CUdeviceptr p)
{
	CUcontext primary;
	CUipcMemHandle handle;
	unsigned two[2] = {5, 6};
	int value;

	OK(cuDevicePrimaryCtxRetain(&primary, 0));
	MUST(cuCtxEnablePeerAccess(primary, 0), CUDA_ERROR_PEER_ACCESS_UNSUPPORTED);
	MUST(cuCtxEnablePeerAccess(context, 0), CUDA_ERROR_INVALID_CONTEXT);
	MUST(cuCtxDisablePeerAccess(primary), CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
	MUST(cuDeviceGetP2PAttribute(&value, CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED, 0, 1),
		CUDA_ERROR_INVALID_DEVICE);
	OK(cuMemcpyHtoD(p, two, sizeof(two)));
	OK(cuMemcpyPeer(p + 4, context, p, primary, 4));
	OK(cuMemcpyDtoH(two, p, sizeof(two)));
	CHECK(two[1] == 5);
	MUST(cuMemcpyPeer(p + 4, (CUcontext)&value, p, primary, 4), CUDA_ERROR_INVALID_CONTEXT);
	CUDA_MEMCPY3D_PEER c = {};
	c.srcMemoryType = c.dstMemoryType = CU_MEMORYTYPE_DEVICE;
	c.srcDevice = p;
	c.dstDevice = p + 8;
	c.srcContext = context;
	c.dstContext = (CUcontext)&value;
	MUST(cuMemcpy3DPeer(&c), CUDA_ERROR_INVALID_CONTEXT);
	c.dstContext = NULL;
	MUST(cuMemcpy3DPeerAsync(&c, stream), CUDA_ERROR_INVALID_CONTEXT);
	c.dstContext = context;
	c.WidthInBytes = 8;
	c.Height = c.Depth = 1;
	OK(cuMemcpy3DPeer(&c));
	OK(cuMemcpyDtoH(two, p + 8, sizeof(two)));
	CHECK(two[0] == 5 && two[1] == 5);
	MUST(cuIpcGetMemHandle(&handle, p), CUDA_ERROR_NOT_SUPPORTED);
	MUST(cuIpcCloseMemHandle(p), CUDA_ERROR_NOT_SUPPORTED);
}

static void words(CUdeviceptr p)
{
	unsigned now;
	CUgraph graph;
	CUgraphExec exec;

	OK(cuStreamWriteValue32(stream, p, 6, CU_STREAM_WRITE_VALUE_DEFAULT));
	OK(cuMemcpyDtoH(&now, p, sizeof(now)));
	CHECK(now == 6);
	OK(cuStreamWaitValue32(stream, p, 5, CU_STREAM_WAIT_VALUE_GEQ));
	OK(cuStreamWaitValue32(stream, p, 0xfffffff0u, CU_STREAM_WAIT_VALUE_GEQ));
	OK(cuStreamWaitValue32(stream, p, 6, CU_STREAM_WAIT_VALUE_EQ | CU_STREAM_WAIT_VALUE_FLUSH));
	OK(cuStreamWaitValue32(stream, p, 2, CU_STREAM_WAIT_VALUE_AND));
	OK(cuStreamWaitValue32(stream, p, 1, CU_STREAM_WAIT_VALUE_NOR));
	MUST(cuStreamWaitValue32(stream, p, 7, CU_STREAM_WAIT_VALUE_GEQ), CUDA_ERROR_NOT_SUPPORTED);
	MUST(cuStreamWaitValue32(stream, p, 7, CU_STREAM_WAIT_VALUE_EQ), CUDA_ERROR_NOT_SUPPORTED);
	MUST(cuStreamWaitValue32(stream, p, 1, CU_STREAM_WAIT_VALUE_AND), CUDA_ERROR_NOT_SUPPORTED);
	MUST(cuStreamWaitValue32(stream, p, ~6u, CU_STREAM_WAIT_VALUE_NOR),
		CUDA_ERROR_NOT_SUPPORTED);
	MUST(cuStreamWaitValue32(stream, p + 2, 6, CU_STREAM_WAIT_VALUE_EQ),
		CUDA_ERROR_INVALID_VALUE);
	MUST(cuStreamWaitValue32(stream, 16, 6, CU_STREAM_WAIT_VALUE_EQ), CUDA_ERROR_INVALID_VALUE);
	MUST(cuStreamWriteValue64(stream, p, 6, 0), CUDA_ERROR_NOT_SUPPORTED);

	OK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
	OK(cuStreamWriteValue32(stream, p, 9, 0));
	OK(cuStreamEndCapture(stream, &graph));
	OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
	OK(cuMemcpyDtoH(&now, p, sizeof(now)));
	CHECK(now == 6);
	OK(cuGraphLaunch(exec, stream));
	OK(cuMemcpyDtoH(&now, p, sizeof(now)));
	CHECK(now == 9);
	OK(cuGraphExecDestroy(exec));
	OK(cuGraphDestroy(graph));
}

static void count(void *to)
{
	++*(int *)to;
}

static void graphs(CUdeviceptr p)
{
	CUgraph graph, clone;
	CUgraphExec exec;
	CUgraphNode nodes[4], kernel, set, called, copy;
	CUgraphNodeType type;
	CUgraphExecUpdateResultInfo result;
	int calls = 0, other = 0;
	unsigned value = 3, more = 4, on, four[4];
	size_t n = 4;
	CUdeviceptr to = p + 8;
	void *args[] = {&p, &value}, *new_args[] = {&to, &more};
	CUDA_KERNEL_NODE_PARAMS k = {};
	CUDA_MEMSET_NODE_PARAMS m = {p + 4, 0, 7, 4, 1, 1};
	CUDA_HOST_NODE_PARAMS h = {count, &calls};
	CUDA_MEMCPY3D c = {};

	k.func = function("put");
	k.gridDimX = k.gridDimY = k.gridDimZ = k.blockDimX = k.blockDimY = k.blockDimZ = 1;
	k.kernelParams = args;
	c.srcMemoryType = c.dstMemoryType = CU_MEMORYTYPE_DEVICE;
	c.srcDevice = p + 4;
	c.dstDevice = p + 12;
	c.WidthInBytes = 4;
	c.Height = c.Depth = 1;
	OK(cuMemsetD32(p, 0, 4));
	OK(cuGraphCreate(&graph, 0));
	OK(cuGraphAddKernelNode(&kernel, graph, NULL, 0, &k));
	OK(cuGraphAddMemsetNode(&set, graph, &kernel, 1, &m, context));
	OK(cuGraphAddHostNode(&called, graph, &set, 1, &h));
	OK(cuGraphAddMemcpyNode(&copy, graph, &called, 1, &c, context));
	OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
	OK(cuGraphUpload(exec, stream));
	k.kernelParams = new_args;
	m.value = 8;
	h.userData = &other;
	OK(cuGraphExecKernelNodeSetParams(exec, kernel, &k));
	OK(cuGraphExecMemsetNodeSetParams(exec, set, &m, context));
	OK(cuGraphExecHostNodeSetParams(exec, called, &h));
	c.srcDevice = p + 8;
	OK(cuGraphExecMemcpyNodeSetParams(exec, copy, &c, context));
	OK(cuGraphLaunch(exec, stream));
	OK(cuMemcpyDtoH(four, p, sizeof(four)));
	CHECK(four[0] == 0 && four[1] == 8 && four[2] == 4 && four[3] == 4);
	CHECK(calls == 0 && other == 1);
	OK(cuGraphNodeSetEnabled(exec, kernel, 0));
	OK(cuGraphNodeGetEnabled(exec, kernel, &on));
	CHECK(on == 0);
	OK(cuGraphExecUpdate(exec, graph, &result));
	CHECK(result.result == CU_GRAPH_EXEC_UPDATE_SUCCESS);
	OK(cuGraphGetNodes(graph, nodes, &n));
	CHECK(n == 4);
	OK(cuGraphGetRootNodes(graph, nodes, &n));
	OK(cuGraphNodeGetType(nodes[0], &type));
	CHECK(n == 1 && nodes[0] == kernel && type == CU_GRAPH_NODE_TYPE_KERNEL);
	OK(cuGraphClone(&clone, graph));
	OK(cuGraphDestroyNode(copy));
	OK(cuGraphGetNodes(graph, NULL, &n));
	CHECK(n == 3);
	MUST(cuGraphExecUpdate(exec, graph, &result), CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
	CHECK(result.result == CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
	MUST(cuGraphExecKernelNodeSetParams(exec, set, &k), CUDA_ERROR_INVALID_VALUE);
	OK(cuGraphDestroy(clone));
	OK(cuGraphExecDestroy(exec));
	OK(cuGraphDestroy(graph));
}

template <typename F> static F *by_name(const char *name, int version)
{
	void *f = NULL;

	OK(cuGetProcAddress(name, &f, version, 0));
	return (F *)f;
}

/* Where there is none, who takes the status has no error. */
static bool none(const char *name, int version, CUdriverProcAddressQueryResult want)
{
	CUdriverProcAddressQueryResult status = CU_GET_PROC_ADDRESS_SUCCESS;
	void *f = &f, *g = &g;

	return cuGetProcAddress(name, &f, version, 0) == CUDA_ERROR_NOT_FOUND && !f &&
	       !cuGetProcAddress_v2(name, &g, version, 0, &status) && !g && status == want;
}

/* A struct at the end of what there is: who reads beyond it is stopped. */
template <typename T> static T *at_the_end(const T &value)
{
	const size_t page = 4096;
	char *const p = (char *)mmap(
		NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(p != MAP_FAILED && !mprotect(p + page, page, PROT_NONE));
	return (T *)memcpy(p + page - sizeof(T), &value, sizeof(T));
}

/* Functions in the forms of several releases, by name and by what cuda.h has. */
static void releases(CUdeviceptr p)
{
	CUgraph graph;
	CUgraphExec exec;
	CUgraphNode kernel, at = (CUgraphNode)&at;
	const CUgraphNode *last;
	const CUgraphEdgeData *edges;
	CUgraphExecUpdateResult result = CU_GRAPH_EXEC_UPDATE_ERROR;
	CUgraphExecUpdateResultInfo info = {CU_GRAPH_EXEC_UPDATE_ERROR, kernel, kernel};
	CUstreamCaptureStatus status;
	CUdriverProcAddressQueryResult found;
	CUcontext made, of_stream;
	void *f, *green = &green;
	cuuint64_t id[2] = {0, 77};
	size_t n;
	unsigned value = 3, got;
	void *args[] = {&p, &value};
	const CUmemLocation device = {CU_MEM_LOCATION_TYPE_DEVICE, 0};

	/* CUDA 11's kernel nodes are shorter. */
	const CUDA_KERNEL_NODE_PARAMS_v1 k = {
		function("put"), 1, 1, 1, 1, 1, 1, 0, args, NULL};
	CUDA_KERNEL_NODE_PARAMS_v1 *const end = at_the_end(k);
	OK(cuGraphCreate(&graph, 0));
	typedef CUresult add(CUgraphNode *, CUgraph, const CUgraphNode *, size_t,
		const CUDA_KERNEL_NODE_PARAMS_v1 *);
	OK(by_name<add>("cuGraphAddKernelNode", 11080)(&kernel, graph, NULL, 0, end));
	OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
	value = 4;
	typedef CUresult set(CUgraphExec, CUgraphNode, const CUDA_KERNEL_NODE_PARAMS_v1 *);
	OK(by_name<set>("cuGraphExecKernelNodeSetParams", 11080)(exec, kernel, end));
	OK(cuGraphLaunch(exec, stream));
	OK(cuMemcpyDtoH(&got, p, sizeof(got)));
	CHECK(got == 4);

	typedef CUresult update_11(CUgraphExec, CUgraph, CUgraphNode *, CUgraphExecUpdateResult *);
	OK(by_name<update_11>("cuGraphExecUpdate", 11040)(exec, graph, &at, &result));
	CHECK(!at && result == CU_GRAPH_EXEC_UPDATE_SUCCESS);
	OK(cuGraphExecUpdate(exec, graph, &at, &result));
	typedef CUresult update_12(CUgraphExec, CUgraph, CUgraphExecUpdateResultInfo *);
	OK(by_name<update_12>("cuGraphExecUpdate", 12000)(exec, graph, &info));
	CHECK(info.result == CU_GRAPH_EXEC_UPDATE_SUCCESS && !info.errorNode);

	typedef CUresult begin(CUstream);
	OK(by_name<begin>("cuStreamBeginCapture", 10000)(stream));
	typedef CUresult info_10(CUstream, CUstreamCaptureStatus *, cuuint64_t *);
	OK(by_name<info_10>("cuStreamGetCaptureInfo", 11000)(stream, &status, &id[0]));
	CHECK(status == CU_STREAM_CAPTURE_STATUS_ACTIVE && id[0] && id[1] == 77);
	OK(cuStreamGetCaptureInfo(stream, &status, &id[1]));
	CHECK(id[1] == id[0]);
	typedef CUresult info_11(CUstream, CUstreamCaptureStatus *, cuuint64_t *, CUgraph *,
		const CUgraphNode **, size_t *);
	n = 5;
	OK(by_name<info_11>("cuStreamGetCaptureInfo", 12020)(stream, &status, NULL, NULL, &last, &n));
	CHECK(n == 0);
	typedef CUresult info_12(CUstream, CUstreamCaptureStatus *, cuuint64_t *, CUgraph *,
		const CUgraphNode **, const CUgraphEdgeData **, size_t *);
	n = 5;
	edges = (const CUgraphEdgeData *)&n;
	OK(by_name<info_12>("cuStreamGetCaptureInfo", 12030)(
		stream, &status, NULL, NULL, &last, &edges, &n));
	CHECK(n == 0 && !edges);
	n = 5;
	OK(cuStreamGetCaptureInfo(stream, &status, NULL, NULL, &last, &n));
	CHECK(n == 0);
	n = 5;
	OK(cuStreamGetCaptureInfo(stream, &status, NULL, NULL, &last, &edges, &n));
	CHECK(n == 0);
	OK(cuStreamEndCapture(stream, &graph));

	typedef CUresult address(const char *, void **, int, cuuint64_t);
	CHECK(by_name<address>("cuGetProcAddress", 11080) == (address *)dlsym(RTLD_DEFAULT, "cuGetProcAddress"));
	OK(by_name<address>("cuGetProcAddress", 11080)("cuMemAlloc", &f, 3020, 0));
	CHECK(f == (void *)cuMemAlloc);
	CHECK(by_name<void>("cuGetProcAddress", 12000) == (void *)cuGetProcAddress_v2);
	OK(cuGetProcAddress_v2("cuInit", &f, 2000, 0, &found));
	CHECK(f == (void *)cuInit && found == CU_GET_PROC_ADDRESS_SUCCESS);
	CHECK(none("cuNone", 12000, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND));
	CHECK(none("printf", 12000, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND));
	CHECK(none("cuMemAlloc", 2000, CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT));
	CHECK(none("cuGraphExecUpdate", 10010, CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT));

	typedef CUresult create_11(CUcontext *, void *, int, unsigned, CUdevice);
	OK(by_name<create_11>("cuCtxCreate", 12000)(&made, NULL, 0, 0, 0));
	OK(cuCtxDestroy(made));
	typedef CUresult create_13(CUcontext *, void *, unsigned, CUdevice);
	OK(by_name<create_13>("cuCtxCreate", 13000)(&made, NULL, 0, 0));
	OK(cuCtxDestroy(made));
	typedef CUresult context_of(CUstream, CUcontext *, void **);
	OK(by_name<context_of>("cuStreamGetCtx", 12050)(stream, &of_stream, &green));
	CHECK(of_stream && !green);

	OK(cuMemAllocManaged(&p, 64, CU_MEM_ATTACH_GLOBAL));
	typedef CUresult prefetch(CUdeviceptr, size_t, CUmemLocation, unsigned, CUstream);
	OK(by_name<prefetch>("cuMemPrefetchAsync", 12020)(p, 64, device, 0, stream));
	typedef CUresult advise(CUdeviceptr, size_t, CUmem_advise, CUmemLocation);
	OK(by_name<advise>("cuMemAdvise", 12020)(
		p, 64, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, device));
	OK(cuMemFree(p));
	OK(cuGraphExecDestroy(exec));
}

int main()
{
	CUdeviceptr p;

	OK(cuInit(0));
	OK(cuCtxCreate(&context, CU_CTX_SCHED_AUTO, 0));
	OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	OK(cuModuleLoadData(&module, text));
	OK(cuMemAlloc(&p, 64));
	constants();
	occupancy();
	arrays();
	peers(p);
	words(p);
	graphs(p);
	releases(p);
	puts("PASSED");
}
