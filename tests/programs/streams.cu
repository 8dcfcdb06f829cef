/* Streams, events, a captured graph, templates, dynamic shared memory, atomics, warps and blocks. */
#include <cstdio>
#include <vector>

template <typename T> __global__ void sum(const T *in, int n, T *out)
{
	extern __shared__ char memory[];
	T *part = (T *)memory;
	T mine = 0;

	for (int i = threadIdx.x; i < n; i += blockDim.x)
		mine += in[i];
	part[threadIdx.x] = mine;
	__syncthreads();
	for (int step = blockDim.x / 2; step; step /= 2) {
		if (threadIdx.x < step)
			part[threadIdx.x] += part[threadIdx.x + step];
		__syncthreads();
	}
	if (threadIdx.x == 0)
		atomicAdd(out, part[0]);
}

__global__ void warp_sum(const int *in, int *out)
{
	int v = in[threadIdx.x];
	for (int step = 16; step; step /= 2)
		v += __shfl_down_sync(0xffffffff, v, step);
	unsigned all = __ballot_sync(0xffffffff, threadIdx.x != 40);
	if (threadIdx.x == 0)
		*out = v + __popc(all) - 32;
}

#define CHECK(x)                                                                                   \
	do {                                                                                       \
		if (!(x)) {                                                                        \
			printf("FAILED: line %d\n", __LINE__);                                     \
			return 1;                                                                  \
		}                                                                                  \
	} while (0)

int main()
{
	const int n = 1000;
	std::vector<double> h(n);
	double *in, *out, result;
	int *small, *total, small_total, ints[32];
	cudaStream_t streams[2];
	cudaEvent_t from, to;
	cudaGraph_t graph;
	cudaGraphExec_t exec;
	float ms = -1;

	for (int i = 0; i < n; i++)
		h[i] = i;
	CHECK(!cudaMalloc(&in, n * sizeof(double)) && !cudaMalloc(&out, sizeof(double)));
	for (auto &s : streams)
		CHECK(!cudaStreamCreate(&s));
	CHECK(!cudaEventCreate(&from) && !cudaEventCreate(&to));
	cudaEventRecord(from, streams[0]);
	cudaMemcpyAsync(in, h.data(), n * sizeof(double), cudaMemcpyHostToDevice, streams[0]);
	cudaMemsetAsync(out, 0, sizeof(double), streams[0]);
	sum<double><<<1, 128, 128 * sizeof(double), streams[0]>>>(in, n, out);
	cudaEventRecord(to, streams[0]);
	cudaStreamWaitEvent(streams[1], to, 0);
	cudaMemcpyAsync(&result, out, sizeof(double), cudaMemcpyDeviceToHost, streams[1]);
	CHECK(!cudaStreamSynchronize(streams[1]) && result == n * (n - 1) / 2);
	CHECK(!cudaEventElapsedTime(&ms, from, to) && ms > 0);

	/* the graph adds the sum once more each time */
	CHECK(!cudaStreamBeginCapture(streams[0], cudaStreamCaptureModeGlobal));
	sum<double><<<1, 64, 64 * sizeof(double), streams[0]>>>(in, n, out);
	CHECK(!cudaStreamEndCapture(streams[0], &graph));
	CHECK(!cudaGraphInstantiate(&exec, graph, NULL, NULL, 0));
	for (int i = 0; i < 3; i++)
		CHECK(!cudaGraphLaunch(exec, streams[0]));
	cudaMemcpy(&result, out, sizeof(double), cudaMemcpyDeviceToHost);
	CHECK(result == 4.0 * n * (n - 1) / 2);
	CHECK(!cudaGraphExecDestroy(exec) && !cudaGraphDestroy(graph));

	for (int i = 0; i < 32; i++)
		ints[i] = i;
	CHECK(!cudaMalloc(&small, sizeof(ints)) && !cudaMalloc(&total, sizeof(int)));
	cudaMemcpy(small, ints, sizeof(ints), cudaMemcpyDefault);
	warp_sum<<<1, 32>>>(small, total);
	cudaMemcpy(&small_total, total, sizeof(int), cudaMemcpyDefault);
	CHECK(small_total == 496);
	/* Of a thousand streams those are known that are left. */
	std::vector<cudaStream_t> many(1000);
	for (auto &s : many)
		CHECK(!cudaStreamCreate(&s));
	for (size_t i = 0; i < many.size(); i += 3)
		CHECK(!cudaStreamDestroy(many[i]));
	for (size_t i = 0; i < many.size(); i++)
		CHECK(!cudaStreamQuery(many[i]) == (i % 3 != 0));
	for (auto &s : streams)
		CHECK(!cudaStreamDestroy(s));
	CHECK(cudaStreamDestroy(streams[0]) == cudaErrorInvalidResourceHandle);
	cudaGetLastError();
	printf("PASSED\n");
	return 0;
}
