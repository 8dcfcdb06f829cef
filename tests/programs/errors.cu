/* What a program does wrong, and what the runtime says to it. The argument names the fault. */
#include <cstdio>
#include <cstring>
#include <thread>
#include <unistd.h>
#include <vector>

__global__ void fill(int *p, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		p[i] = i;
}

__global__ void __launch_bounds__(64) bounded(int *p)
{
	*p = 1;
}

__global__ void odd(char *p)
{
	*(int *)(p + 2) = 1;
}

static void say(const char *what, cudaError_t e)
{
	printf("%s: %s\n", what, cudaGetErrorName(e));
}

/* Calls that are not given where their result goes, and sizes and kinds of memory that are wrong.
 */
static void wrong_arguments()
{
	const size_t huge = ~(size_t)0;
	const cudaError_t bad = cudaErrorInvalidValue;
	cudaChannelFormatDesc four = {32, 0, 0, 0, cudaChannelFormatKindFloat};
	cudaChannelFormatDesc wide = {64, 0, 0, 0, cudaChannelFormatKindFloat};
	cudaResourceDesc r = {};
	cudaTextureDesc d = {};
	cudaTextureObject_t t;
	cudaMemcpy3DParms block = {};
	cudaPitchedPtr rows;
	cudaArray_t array;
	cudaStream_t stream;
	unsigned flags;
	size_t n;
	int i, *p, *pinned, on_host[64];

	cudaMalloc(&p, 4096);
	cudaMallocHost(&pinned, 4096);
	cudaHostRegister(on_host, sizeof(on_host), 0);
	cudaMallocArray(&array, &four, 8, 8, 0);
	const cudaError_t nowhere[] = {cudaGetDevice(nullptr), cudaGetDeviceCount(nullptr),
		cudaDriverGetVersion(nullptr), cudaRuntimeGetVersion(nullptr),
		cudaDeviceGetAttribute(nullptr, cudaDevAttrWarpSize, 0),
		cudaDeviceGetLimit(nullptr, cudaLimitStackSize), cudaMemGetInfo(&n, nullptr),
		cudaMallocPitch((void **)&p, nullptr, 4, 4), cudaMalloc3D(nullptr, {4, 4, 4}),
		cudaPointerGetAttributes(nullptr, p), cudaStreamGetPriority(0, nullptr),
		cudaGetSymbolAddress(nullptr, "none"), cudaHostGetFlags(nullptr, pinned),
		cudaCreateTextureObject(&t, nullptr, &d, nullptr),
		cudaFuncGetAttributes(nullptr, (const void *)fill)};
	for (cudaError_t e : nowhere)
		i = e == bad ? 0 : printf("FAILED: a call without a place for its result\n");
	say("either of the two", cudaDeviceGetStreamPriorityRange(nullptr, &i));
	say("pitch", cudaMallocPitch((void **)&p, &n, huge, 1));
	say("rows", cudaMallocPitch((void **)&p, &n, 512, (size_t)1 << 55));
	say("planes", cudaMalloc3D(&rows, {512, (size_t)1 << 28, (size_t)1 << 28}));
	say("array", cudaMallocArray(&array, &four, (size_t)1 << 62, 4, 0));
	cudaMalloc(&p, 4096);
	say("pitches", cudaMemcpy2D(p, (size_t)1 << 60, on_host, 4, 4, 17, cudaMemcpyDefault));
	say("planes of no rows", cudaMemset3D({p, 64, 64, 0}, 1, {64, 1, huge}));
	cudaMallocArray(&array, &four, 8, 8, 0);
	block.srcPtr = {p, 64, 64, 8};
	block.dstArray = array;
	block.extent = {9, 1, 1};
	block.kind = cudaMemcpyDefault;
	say("beyond a row", cudaMemcpy3D(&block));
	block.extent = {8, 8, 1};
	say("all of it", cudaMemcpy3D(&block));
	block.dstArray = nullptr;
	block.dstPtr = {p, 64, 64, 0};
	block.extent = {64, 1, huge};
	say("copied planes of no rows", cudaMemcpy3D(&block));
	block.extent = {32, 2, 1};
	block.srcPos.x = 32;
	say("up to the pitch", cudaMemcpy3D(&block));
	block.srcPos.x = 33;
	say("beyond the pitch", cudaMemcpy3D(&block));
	block.srcPos.x = 0;
	block.extent = {8, 1, 1};
	block.dstArray = array;
	say("an array and memory", cudaMemcpy3D(&block));
	block.dstArray = nullptr;
	block.dstPtr.ptr = nullptr;
	say("neither", cudaMemcpy3D(&block));
	cudaStreamCreateWithPriority(&stream, 0, 77);
	cudaStreamGetPriority(stream, &i);
	printf("least priority: %d\n", i);
	cudaStreamDestroy(stream);
	block.dstPtr.ptr = p;
	say("stream that is gone", cudaMemcpy3DAsync(&block, stream));
	cudaStreamCreateWithPriority(&stream, 0, -77);
	cudaStreamGetPriority(stream, &i);
	printf("greatest priority: %d\n", i);
	say("from another device", cudaMemcpyPeer(p, 0, p + 64, 1, 64));
	say("to another device", cudaMemcpyPeerAsync(p, -1, p + 64, 0, 64, stream));
	say("within the device", cudaMemcpyPeer(p, 0, p + 64, 0, 64));
	say("advice for another device",
		cudaMemAdvise(p, 64, cudaMemAdviseSetPreferredLocation, 9));
	say("advice for no device", cudaMemAdvise(p, 64, cudaMemAdviseSetReadMostly, 9));
	say("prefetch to another device", cudaMemPrefetchAsync(p, 64, 9, stream));
	say("prefetch to the host", cudaMemPrefetchAsync(p, 64, cudaCpuDeviceId, stream));
	r.resType = cudaResourceTypePitch2D;
	r.res.pitch2D = {p, four, 8, 0, 64};
	d.addressMode[0] = d.addressMode[1] = cudaAddressModeWrap;
	d.normalizedCoords = 1;
	say("no rows", cudaCreateTextureObject(&t, &r, &d, nullptr));
	r.res.pitch2D = {p, wide, 8, 8, 64};
	say("channels of 64 bits", cudaCreateTextureObject(&t, &r, &d, nullptr));
	say("flags of the device's", cudaHostGetFlags(&flags, p));
	for (unsigned made : {0, cudaHostAllocWriteCombined, cudaHostAllocMapped}) {
		void *host;
		cudaHostAlloc(&host, 64, made);
		cudaHostGetFlags(&flags, host);
		printf("flags %u: %u\n", made, flags);
		cudaFreeHost(host);
	}
	say("free of the host's", cudaFree(pinned));
	say("free of what is registered", cudaFree(on_host));
	say("free of an array", cudaFree((void *)array));
	say("host's free of the device's", cudaFreeHost(p));
	say("unregister of the device's", cudaHostUnregister(p));
	say("each its own", cudaFree(p));
	say("each its own", cudaFreeHost(pinned));
	say("each its own", cudaHostUnregister(on_host));
	fill<<<1, 32, huge - 8>>>(p, 1);
	say("more shared memory than there is", cudaGetLastError());
}

int main(int argc, char **argv)
{
	const char *fault = argc > 1 ? argv[1] : "calls";
	int *p, host[4], *none;

	cudaMalloc(&p, 400);
	if (!strcmp(fault, "calls")) {
		say("malloc", cudaMalloc(&none, (size_t)1 << 50));
		say("free", cudaFree(p + 1));
		say("copy", cudaMemcpy(p, host, 401, cudaMemcpyHostToDevice));
		say("direction", cudaMemcpy(host, host, 4, cudaMemcpyHostToDevice));
		say("set", cudaMemset(p + 99, 0, 8));
		say("symbol", cudaMemcpyToSymbol((const void *)host, host, 4));
		fill<<<1, 2000>>>(p, 100);
		say("threads", cudaGetLastError());
		fill<<<0, 32>>>(p, 100);
		say("grid", cudaGetLastError());
		bounded<<<1, 65>>>(p);
		say("bounds", cudaGetLastError());
		fill<<<1, 32, 1 << 20>>>(p, 100);
		say("shared", cudaGetLastError());
		say("kernel", cudaLaunchKernel((const void *)host, dim3(1), dim3(1), nullptr, 0, 0));
		say("device", cudaSetDevice(1));
		cudaGetLastError();
		fill<<<1, 128>>>(p, 100);
		say("then", cudaDeviceSynchronize());
		say("last", cudaGetLastError());
	} else if (!strcmp(fault, "arguments")) {
		wrong_arguments();
	} else if (!strcmp(fault, "bounds")) {
		fill<<<1, 128>>>(p, 101);
		say("sync", cudaDeviceSynchronize());
		say("after", cudaMemcpy(host, p, 4, cudaMemcpyDeviceToHost));
	} else if (!strcmp(fault, "freed")) {
		cudaFree(p);
		fill<<<1, 128>>>(p, 100);
		say("sync", cudaDeviceSynchronize());
	} else if (!strcmp(fault, "misaligned")) {
		odd<<<1, 1>>>((char *)p);
		say("sync", cudaDeviceSynchronize());
	} else if (!strcmp(fault, "threads")) {
		std::vector<std::thread> threads;
		int bad[8] = {0};
		for (int t = 0; t < 8; t++)
			threads.emplace_back([t, &bad] {
				for (int round = 0; round < 20; round++) {
					int *q, back[100];
					cudaMalloc(&q, sizeof(back));
					fill<<<1, 128>>>(q, 100);
					cudaMemcpy(back, q, sizeof(back), cudaMemcpyDeviceToHost);
					cudaFree(q);
					for (int i = 0; i < 100; i++)
						bad[t] += back[i] != i;
				}
			});
		for (auto &t : threads)
			t.join();
		for (int b : bad)
			if (b)
				return printf("FAILED\n");
		printf("PASSED\n");
	} else if (!strcmp(fault, "leaves")) {
		/* Others go on launching while it ends. */
		for (int t = 0; t < 4; t++)
			std::thread([p] {
				while (!cudaGetLastError())
					fill<<<1, 128>>>(p, 100);
			}).detach();
		usleep(20000);
		printf("PASSED\n");
	}
	return 0;
}
