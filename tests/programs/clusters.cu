/*
 * Clusters of CTAs: a histogram whose bins lie in the shared memory of a whole cluster, in clusters
 * that the kernel has, the launch says, or nobody asked for; what a program asks about clusters; and
 * launches that cannot be. The bins are checked against the CPU's.
 */
#include <cooperative_groups.h>
#include <cuda.h>
#include <cstdio>
#include <vector>

namespace cg = cooperative_groups;

static int wrong;
#define CHECK(what)                                                                                \
	do {                                                                                       \
		if (!(what)) {                                                                     \
			printf("%s:%d: %s\n", __FILE__, __LINE__, #what);                          \
			wrong++;                                                                   \
		}                                                                                  \
	} while (0)

enum { BINS = 512, THREADS = 64, N = 20000 };

/* Each CTA keeps its share of the bins; whoever finds a value counts it where its bin lies. */
__device__ void count(int *bins, int n, const int *values)
{
	extern __shared__ int own[];
	cg::cluster_group cluster = cg::this_cluster();
	const int share = (BINS + cluster.num_blocks() - 1) / cluster.num_blocks();

	for (int i = threadIdx.x; i < share; i += blockDim.x)
		own[i] = 0;
	cluster.sync();
	const cg::grid_group grid = cg::this_grid();
	for (unsigned long long i = grid.thread_rank(); i < n; i += grid.size()) {
		const int bin = values[i] % BINS;
		atomicAdd(cluster.map_shared_rank(own, bin / share) + bin % share, 1);
	}
	cg::cluster_group::arrival_token token = cluster.barrier_arrive();
	cluster.barrier_wait(static_cast<cg::cluster_group::arrival_token &&>(token));
	for (int i = threadIdx.x; i < share; i += blockDim.x)
		if (cluster.block_rank() * share + i < BINS)
			atomicAdd(&bins[cluster.block_rank() * share + i], own[i]);
}

__global__ void free_form(int *bins, int n, const int *values)
{
	count(bins, n, values);
}

constexpr int WIDE = 4;
__global__ void __cluster_dims__(WIDE, 1, 1) fixed_form(int *bins, int n, const int *values)
{
	count(bins, n, values);
}

template <int Y> __cluster_dims__(2, Y) __global__ void of_template(int *bins, int n, const int *values)
{
	count(bins, n, values);
}

/* Eight numbers of each CTA about its place. */
__global__ void places(unsigned *out)
{
	__shared__ int word;
	const cg::cluster_group c = cg::this_cluster();
	const cg::grid_group g = cg::this_grid();
	if (threadIdx.x)
		return;
	out += 8 * g.block_rank();
	out[0] = g.cluster_rank();
	out[1] = g.num_clusters();
	out[2] = c.block_rank();
	out[3] = c.num_blocks();
	out[4] = c.block_index().x + 10 * c.block_index().y;
	out[5] = c.dim_blocks().x + 10 * c.dim_blocks().y;
	out[6] = c.query_shared_rank(c.map_shared_rank(&word, c.num_blocks() - 1));
	out[7] = c.num_threads() + 1000 * __clusterDimIsSpecified() +
		 2000 * __isClusterShared(c.map_shared_rank(&word, 0));
}

__global__ void twice(int *p)
{
	cudaGridDependencySynchronize();
	p[threadIdx.x] *= 2;
	cudaTriggerProgrammaticLaunchCompletion();
}

static std::vector<int> values(N), want(BINS);
static int *device_values, *device_bins;

static bool counted()
{
	std::vector<int> bins(BINS);
	cudaMemcpy(bins.data(), device_bins, BINS * sizeof(int), cudaMemcpyDeviceToHost);
	cudaMemset(device_bins, 0, BINS * sizeof(int));
	return bins == want;
}

static cudaLaunchConfig_t config(int ctas, cudaLaunchAttribute *attribute, int x, int y)
{
	cudaLaunchConfig_t c = {};
	c.gridDim = dim3(ctas);
	c.blockDim = dim3(THREADS);
	c.dynamicSmemBytes = BINS * sizeof(int);
	attribute->id = cudaLaunchAttributeClusterDimension;
	attribute->val.clusterDim.x = x;
	attribute->val.clusterDim.y = y;
	attribute->val.clusterDim.z = 1;
	c.attrs = attribute;
	c.numAttrs = 1;
	return c;
}

static void histograms()
{
	const size_t bytes = BINS * sizeof(int);
	cudaLaunchAttribute a;
	for (int x = 1; x <= 8; x *= 2) {
		cudaLaunchConfig_t c = config(16, &a, x, 1);
		CHECK(!cudaLaunchKernelEx(&c, free_form, device_bins, N, (const int *)device_values));
		CHECK(counted());
	}
	free_form<<<16, THREADS, bytes>>>(device_bins, N, device_values);
	CHECK(counted());
	fixed_form<<<16, THREADS, bytes>>>(device_bins, N, device_values);
	CHECK(counted());
	of_template<4><<<dim3(4, 4), THREADS, bytes>>>(device_bins, N, device_values);
	CHECK(counted());
	/* Of sixteen CTAs only where the kernel asks for what not all devices have. */
	cudaLaunchConfig_t c = config(16, &a, 16, 1);
	CHECK(cudaLaunchKernelEx(&c, free_form, device_bins, N, (const int *)device_values) ==
	      cudaErrorInvalidClusterSize);
	CHECK(!cudaFuncSetAttribute(free_form, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
	CHECK(!cudaLaunchKernelEx(&c, free_form, device_bins, N, (const int *)device_values));
	CHECK(counted());
	/* A graph keeps the clusters of what it captured. */
	cudaStream_t stream;
	cudaGraph_t graph;
	cudaGraphExec_t exec;
	CHECK(!cudaStreamCreate(&stream));
	c = config(16, &a, 8, 1);
	c.stream = stream;
	CHECK(!cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	CHECK(!cudaLaunchKernelEx(&c, free_form, device_bins, N, (const int *)device_values));
	CHECK(!cudaStreamEndCapture(stream, &graph));
	cudaGraphNode_t node;
	size_t n = 1;
	cudaLaunchAttributeValue value;
	CHECK(!cudaGraphGetNodes(graph, &node, &n));
	CHECK(!cudaGraphKernelNodeGetAttribute(node, cudaLaunchAttributeClusterDimension, &value));
	CHECK(value.clusterDim.x == 8 && value.clusterDim.y == 1);
	value.clusterDim.x = 2;
	CHECK(!cudaGraphKernelNodeSetAttribute(node, cudaLaunchAttributeClusterDimension, &value));
	CHECK(!cudaGraphInstantiate(&exec, graph));
	CHECK(!cudaGraphLaunch(exec, stream));
	CHECK(counted());
}

static void questions()
{
	cudaLaunchAttribute a;
	cudaLaunchConfig_t c = config(16, &a, 4, 1);
	int n = 0, ctas = 0, sms = 0;
	CHECK(!cudaDeviceGetAttribute(&n, cudaDevAttrClusterLaunch, 0) && n == 1);
	CHECK(!cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
	CHECK(!cudaOccupancyMaxActiveBlocksPerMultiprocessor(
		&ctas, free_form, THREADS, c.dynamicSmemBytes));
	CHECK(!cudaOccupancyMaxActiveClusters(&n, free_form, &c) && n == ctas * sms / 4);
	CHECK(!cudaOccupancyMaxPotentialClusterSize(&n, free_form, &c) && n == 16);
	CHECK(!cudaFuncSetAttribute(free_form, cudaFuncAttributeNonPortableClusterSizeAllowed, 0));
	CHECK(!cudaOccupancyMaxPotentialClusterSize(&n, free_form, &c) && n == 8);

	/* 4 by 2 CTAs in clusters of 2 by 2: CTA (3, 1) is (1, 1) of cluster 1. */
	unsigned *at, *out;
	CHECK(!cudaMallocManaged(&out, 64 * sizeof(*out)));
	c = config(4, &a, 2, 2);
	c.gridDim.y = 2;
	CHECK(!cudaLaunchKernelEx(&c, places, out));
	CHECK(!cudaDeviceSynchronize());
	at = out + 8 * 7;
	CHECK(at[0] == 1 && at[1] == 2 && at[2] == 3 && at[3] == 4 && at[4] == 11 && at[5] == 22);
	CHECK(at[6] == 3 && at[7] == 4 * THREADS + 3000);
	places<<<dim3(4, 2), THREADS>>>(out);
	CHECK(!cudaDeviceSynchronize());
	CHECK(at[0] == 7 && at[1] == 8 && at[2] == 0 && at[3] == 1 && at[4] == 0 && at[5] == 11);
	CHECK(at[6] == 0 && at[7] == THREADS + 2000);
}

static void mistakes()
{
	const size_t bytes = BINS * sizeof(int);
	cudaLaunchAttribute a;
	cudaLaunchConfig_t c = config(6, &a, 4, 1);
	const auto launch = [&] {
		return cudaLaunchKernelEx(&c, free_form, device_bins, N, (const int *)device_values);
	};
	CHECK(launch() == cudaErrorInvalidClusterSize);
	c = config(8, &a, 4, 0);
	CHECK(launch() == cudaErrorInvalidClusterSize);
	fixed_form<<<6, THREADS, bytes>>>(device_bins, N, device_values);
	CHECK(cudaGetLastError() == cudaErrorInvalidClusterSize);
	c = config(8, &a, 2, 1);
	CHECK(cudaLaunchKernelEx(&c, fixed_form, device_bins, N, (const int *)device_values) ==
	      cudaErrorInvalidClusterSize);
	CHECK(cudaFuncSetAttribute(fixed_form, cudaFuncAttributeRequiredClusterWidth, 2) ==
	      cudaErrorInvalidValue);
	CHECK(!cudaFuncSetAttribute(free_form, cudaFuncAttributeRequiredClusterWidth, 2));
	c = config(8, &a, 4, 1);
	CHECK(launch() == cudaErrorInvalidClusterSize);
	c = config(8, &a, 2, 1);
	CHECK(!launch() && counted());
	c.numAttrs = 0;
	CHECK(!launch() && counted());
	CHECK(cudaGetLastError() == cudaErrorInvalidClusterSize && !cudaGetLastError());
}

/* What says when a device may begin changes nothing here, and an event behind a launch is recorded. */
static void others()
{
	cudaLaunchAttribute a[4] = {};
	cudaLaunchConfig_t c = {};
	cudaEvent_t event;
	int *p;
	CHECK(!cudaEventCreate(&event));
	CHECK(!cudaMallocManaged(&p, THREADS * sizeof(*p)));
	for (int i = 0; i < THREADS; i++)
		p[i] = i;
	a[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
	a[0].val.programmaticStreamSerializationAllowed = 1;
	a[1].id = cudaLaunchAttributePriority;
	a[1].val.priority = -1;
	a[2].id = cudaLaunchAttributeProgrammaticEvent;
	a[2].val.programmaticEvent.event = event;
	a[3].id = cudaLaunchAttributeCooperative;
	a[3].val.cooperative = 1;
	c.gridDim = dim3(1);
	c.blockDim = dim3(THREADS);
	c.attrs = a;
	c.numAttrs = 4;
	CHECK(!cudaLaunchKernelEx(&c, twice, p));
	CHECK(!cudaEventSynchronize(event));
	CHECK(p[1] == 2 && p[THREADS - 1] == 2 * (THREADS - 1));
	c.gridDim = dim3(100000);
	CHECK(cudaLaunchKernelEx(&c, twice, p) == cudaErrorCooperativeLaunchTooLarge);

	/* The driver's call. */
	CUlaunchAttribute d = {};
	CUlaunchConfig k = {};
	cudaFunction_t f;
	int n = N, width = 0;
	const int *from = device_values;
	void *args[] = {&device_bins, &n, &from};
	CHECK(!cudaGetFuncBySymbol(&f, (const void *)fixed_form));
	CHECK(!cuFuncGetAttribute(&width, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH, f));
	CHECK(width == WIDE);
	k.gridDimX = 8;
	k.gridDimY = k.gridDimZ = k.blockDimY = k.blockDimZ = 1;
	k.blockDimX = THREADS;
	k.sharedMemBytes = BINS * sizeof(int);
	d.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
	d.value.clusterDim.x = WIDE;
	d.value.clusterDim.y = d.value.clusterDim.z = 1;
	k.attrs = &d;
	k.numAttrs = 1;
	CHECK(!cuLaunchKernelEx(&k, f, args, nullptr));
	CHECK(counted());
	CHECK(!cuOccupancyMaxActiveClusters(&n, f, &k) && n > 0);
	CHECK(!cuOccupancyMaxPotentialClusterSize(&n, f, &k) && n == 8);
	d.value.clusterDim.x = 2;
	CHECK(cuLaunchKernelEx(&k, f, args, nullptr) == CUDA_ERROR_INVALID_CLUSTER_SIZE);
	/* A kernel that says how many at most. */
	CUmodule module;
	CUfunction few;
	k.numAttrs = 0;
	CHECK(!cuModuleLoadData(&module, ".version 8.0\n.target sm_90\n.address_size 64\n"
					 ".entry few()\n.maxclusterrank 3\n{ ret; }\n"));
	CHECK(!cuModuleGetFunction(&few, module, "few"));
	CHECK(!cuOccupancyMaxPotentialClusterSize(&n, few, &k) && n == 3);
	CHECK(cudaGetLastError() == cudaErrorCooperativeLaunchTooLarge);
}

int main()
{
	unsigned state = 1;
	for (int &v : values) {
		state = state * 1664525 + 1013904223;
		v = (int)(state >> 12);
		want[v % BINS]++;
	}
	cudaMalloc(&device_values, N * sizeof(int));
	cudaMalloc(&device_bins, BINS * sizeof(int));
	cudaMemcpy(device_values, values.data(), N * sizeof(int), cudaMemcpyHostToDevice);
	cudaMemset(device_bins, 0, BINS * sizeof(int));
	histograms();
	questions();
	mistakes();
	others();
	puts(wrong ? "FAILED" : "PASSED");
	return wrong != 0;
}
