/*
 * Host functions of streams and graphs that wait for other threads, which use the runtime meanwhile,
 * and work of other threads that comes behind such a function.
 */
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cuda.h>
#include <functional>
#include <thread>

#define CHECK(x)                                                                                   \
	do {                                                                                       \
		if (!(x)) {                                                                        \
			printf("FAILED: line %d\n", __LINE__);                                     \
			return 1;                                                                  \
		}                                                                                  \
	} while (0)

__global__ void add(int *p, int n) { atomicAdd(p, n); }
__global__ void copy(int *to, const int *from) { *to = *from; }

/* Waits for what another thread does; false: it takes too long, as where both wait for each other. */
static bool comes(const std::atomic<int> &what, int value)
{
	for (int i = 0; i < 20000 && what != value; i++)
		std::this_thread::sleep_for(std::chrono::milliseconds(1));
	return what == value;
}

static std::atomic<int> begun, done;
static bool in_time;

static void waits(void *)
{
	begun = 1;
	in_time = comes(done, 1);
}
static void called(cudaStream_t, cudaError_t, void *p)
{
	waits(p);
}

/* What may be done meanwhile: memory, kernels and copies in a stream that waits for no other. */
static void works(int *result)
{
	cudaStream_t stream;
	int *p, zero = 0, n = 0;

	if (!comes(begun, 1) || cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) ||
		cudaMalloc(&p, sizeof(int)) ||
		cudaMemcpyAsync(p, &zero, sizeof(int), cudaMemcpyHostToDevice, stream))
		return;
	add<<<2, 32, 0, stream>>>(p, 3);
	if (!cudaMemcpyAsync(&n, p, sizeof(int), cudaMemcpyDeviceToHost, stream) &&
		!cudaStreamSynchronize(stream) && !cudaFree(p) && !cudaStreamDestroy(stream))
		*result = n;
	done = 1;
}

template <class F> static int beside(F call)
{
	int result = 0;

	begun = done = 0;
	in_time = false;
	std::thread other(works, &result);
	const bool good = call();
	other.join();
	CHECK(good && in_time && result == 192);
	return 0;
}

/* Work of another thread in the same stream, and its waiting, come behind a host function. */
static int *value, *seen;
static void slow(void *)
{
	begun = 1;
	std::this_thread::sleep_for(std::chrono::milliseconds(200));
	*value = 7;
}

static int behind(cudaStream_t stream, cudaStream_t by)
{
	std::atomic<int> bad(0);

	begun = *value = *seen = 0;
	std::thread other([&] {
		bad += !comes(begun, 1);
		bad += cudaStreamQuery(by) != cudaErrorNotReady;
		copy<<<1, 1, 0, by>>>(seen, value);
		bad += cudaStreamSynchronize(by) != cudaSuccess || *seen != 7;
	});
	std::thread third([&] {
		bad += !comes(begun, 1);
		bad += cudaDeviceSynchronize() != cudaSuccess || *value != 7;
	});
	const cudaError_t e = cudaLaunchHostFunc(stream, slow, nullptr);
	other.join();
	third.join();
	CHECK(!e && !bad);
	return 0;
}

/* A graph that another thread ends while its host function runs is ended when that has returned. */
static int ended(cudaGraph_t graph, cudaStream_t stream)
{
	cudaGraphExec_t exec;
	std::atomic<int> bad(0);

	CHECK(!cudaGraphInstantiate(&exec, graph, 0));
	begun = *value = 0;
	std::thread other([&] {
		bad += !comes(begun, 1);
		bad += cudaGraphExecDestroy(exec) != cudaSuccess || *value != 8;
	});
	const cudaError_t e = cudaGraphLaunch(exec, stream);
	other.join();
	CHECK(!e && !bad && cudaGraphLaunch(exec, stream) == cudaErrorInvalidValue);
	cudaGetLastError();
	return 0;
}

/* So do copies and sets that name no stream. */
static int synchronous(cudaStream_t stream)
{
	const CUdeviceptr to = (CUdeviceptr)(uintptr_t)value;
	int five = 5;
	cudaMemcpy3DParms block = {};

	block.srcPtr = make_cudaPitchedPtr(&five, sizeof(five), sizeof(five), 1);
	block.dstPtr = make_cudaPitchedPtr(value, sizeof(five), sizeof(five), 1);
	block.extent = make_cudaExtent(sizeof(five), 1, 1);
	block.kind = cudaMemcpyDefault;
	const std::function<int()> calls[] = {
		[&] { return (int)cudaMemcpy(value, &five, sizeof(five), cudaMemcpyDefault); },
		[&] { return (int)cudaMemcpy3D(&block); },
		[&] { return (int)cuMemsetD32(to, 5, 1); },
		[&] { return (int)cuMemsetD16(to, 5, 1); },
		[&] { return (int)cuMemsetD2D8(to, sizeof(five), 5, 1, 1); },
	};
	for (const auto &call : calls) {
		begun = *value = 0;
		std::thread other([&] { cudaLaunchHostFunc(stream, slow, nullptr); });
		const bool good = comes(begun, 1) && !call();
		other.join();
		CHECK(good && *value == 5);
	}
	return 0;
}

int main()
{
	cudaStream_t stream, other;
	cudaGraph_t graph, slowly;
	cudaGraphExec_t exec;

	CHECK(!cudaStreamCreate(&stream) && !cudaStreamCreate(&other));
	CHECK(!cudaMallocManaged(&value, sizeof(int)) && !cudaMallocManaged(&seen, sizeof(int)));
	if (beside([&] { return !cudaLaunchHostFunc(stream, waits, nullptr); }) ||
		beside([&] { return !cudaLaunchHostFunc(nullptr, waits, nullptr); }) ||
		beside([&] { return !cudaStreamAddCallback(stream, called, nullptr, 0); }))
		return 1;

	CHECK(!cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
	CHECK(!cudaLaunchHostFunc(stream, waits, nullptr));
	CHECK(!cudaStreamEndCapture(stream, &graph));
	CHECK(!cudaGraphInstantiate(&exec, graph, 0));
	if (beside([&] { return !cudaGraphLaunch(exec, stream); }))
		return 1;

	/* What comes behind a host function waits: in the same stream, in the legacy one behind a
	 * stream of its own, and in such a stream behind the legacy one. */
	if (behind(stream, stream) || behind(stream, nullptr) || behind(nullptr, other) ||
		synchronous(stream))
		return 1;

	CHECK(!cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
	CHECK(!cudaLaunchHostFunc(stream, slow, nullptr));
	add<<<1, 1, 0, stream>>>(value, 1);
	CHECK(!cudaStreamEndCapture(stream, &slowly));
	if (ended(slowly, stream))
		return 1;
	CHECK(!cudaGraphExecDestroy(exec) && !cudaGraphDestroy(graph) && !cudaGraphDestroy(slowly));
	CHECK(!cudaStreamDestroy(stream) && !cudaStreamDestroy(other));
	puts("PASSED");
}
