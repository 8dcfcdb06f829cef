/*
 * What is captured: several streams that part and join, a graph that is launched into a capture,
 * events of graphs, what waits for what in the graph that comes out, changes of its nodes before
 * and after it was made executable, many nodes, and captures that end wrongly.
 */
#include <cstdio>
#include <vector>

#define CHECK(x)                                                                                   \
	do {                                                                                       \
		if (!(x)) {                                                                        \
			printf("FAILED: line %d: %s\n", __LINE__,                                  \
				cudaGetErrorString(cudaGetLastError()));                           \
			return 1;                                                                  \
		}                                                                                  \
	} while (0)
#define OK(call) CHECK((call) == cudaSuccess)

/* From CUDA 13 on each list of edges comes with a list of what they are. */
#if CUDART_VERSION >= 13000
#define KINDS NULL,
#define CAPTURE_INFO cudaStreamGetCaptureInfo
#else
#define KINDS
#define CAPTURE_INFO cudaStreamGetCaptureInfo_v2
#endif

__device__ int summand = 1;

__global__ void twice(int *v)
{
	v[threadIdx.x] *= 2;
}

__global__ void more(int *v)
{
	v[threadIdx.x] += summand;
}

static int streams()
{
	cudaStream_t a, b;
	cudaEvent_t fork, join, inside;
	cudaGraph_t graph, whole, within;
	cudaGraphExec_t exec, outer;
	cudaStreamCaptureStatus status;
	const cudaGraphNode_t *last;
	cudaGraphNode_t nodes[8], from[8], to[8], set;
	cudaGraphNodeType type;
	unsigned long long id;
	size_t n;
	int *v, host[64], called = 0;
	float ms;

	OK(cudaStreamCreate(&a));
	OK(cudaStreamCreate(&b));
	OK(cudaEventCreate(&fork));
	OK(cudaEventCreate(&join));
	OK(cudaEventCreate(&inside));
	OK(cudaMalloc(&v, sizeof(host)));
	OK(cudaMemset(v, 0, sizeof(host)));

	OK(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
	more<<<1, 64, 0, a>>>(v);
	OK(cudaEventRecord(fork, a));
	CHECK(cudaEventSynchronize(fork) == cudaErrorCapturedEvent);
	OK(cudaStreamWaitEvent(b, fork, 0));
	twice<<<1, 32, 0, a>>>(v);
	more<<<1, 32, 0, b>>>(v + 32);
	OK(cudaEventRecord(join, b));
	OK(cudaStreamWaitEvent(a, join, 0));
	OK(cudaStreamWaitEvent(a, join, 0)); /* once more is no other wait */
	OK(CAPTURE_INFO(a, &status, &id, &within, &last, KINDS &n));
	CHECK(status == cudaStreamCaptureStatusActive && n == 2);
#ifdef __clang__ /* CUDA 13's form beside the older ones */
	n = 0;
	OK(cudaStreamGetCaptureInfo(a, &status, NULL, &within, &last, NULL, &n));
	CHECK(n == 2);
	OK(cudaStreamUpdateCaptureDependencies(
		a, (cudaGraphNode_t *)last, NULL, n, cudaStreamSetCaptureDependencies));
#endif
	OK(cudaEventRecordWithFlags(inside, a, cudaEventRecordExternal));
	OK(cudaLaunchHostFunc(a, [](void *p) { ++*(int *)p; }, &called));
	OK(cudaStreamEndCapture(a, &graph));
	OK(cudaGraphGetNodes(graph, NULL, &n));
	CHECK(n == 5);
	OK(cudaGraphGetEdges(graph, NULL, NULL, KINDS &n));
	CHECK(n == 5);
	OK(cudaGraphGetEdges(graph, from, to, KINDS &n));
	n = 8;
	OK(cudaGraphGetNodes(graph, nodes, &n));
	CHECK(from[0] == nodes[0] && to[0] == nodes[1]);
	OK(cudaGraphNodeGetDependentNodes(nodes[0], NULL, KINDS &n));
	CHECK(n == 2);
	OK(cudaGraphNodeGetDependencies(nodes[3], NULL, KINDS &n));
	CHECK(n == 2);
	OK(cudaGraphNodeGetType(nodes[3], &type));
	CHECK(type == cudaGraphNodeTypeEventRecord);
	OK(cudaGraphInstantiate(&exec, graph, 0));
	CHECK(cudaEventElapsedTime(&ms, inside, inside) == cudaErrorInvalidResourceHandle);
	OK(cudaGraphLaunch(exec, b));
	OK(cudaEventElapsedTime(&ms, inside, inside));
	OK(cudaMemcpy(host, v, sizeof(host), cudaMemcpyDeviceToHost));
	CHECK(host[0] == 2 && host[32] == 2 && called == 1);

	/* A launch into a capture does nothing but become a part of it. */
	OK(cudaStreamBeginCapture(b, cudaStreamCaptureModeRelaxed));
	OK(cudaGraphLaunch(exec, b));
	twice<<<1, 64, 0, b>>>(v);
	CHECK(called == 1);
	OK(cudaStreamEndCapture(b, &whole));
	OK(cudaGraphInstantiate(&outer, whole, 0));
	OK(cudaGraphExecDestroy(exec));
	OK(cudaGraphLaunch(outer, a));
	OK(cudaMemcpy(host, v, sizeof(host), cudaMemcpyDeviceToHost));
	CHECK(host[0] == 12 && host[32] == 8 && called == 2);

	/* Other kernels in place of its own, and one that is left out. */
	cudaKernelNodeParams k;
	cudaHostNodeParams h;
	OK(cudaGraphKernelNodeGetParams(nodes[1], &k));
	CHECK(k.func == (void *)twice && k.blockDim.x == 32 && *(int **)k.kernelParams[0] == v);
	k.func = (void *)more;
	OK(cudaGraphKernelNodeSetParams(nodes[1], &k));
	OK(cudaGraphHostNodeGetParams(nodes[4], &h));
	CHECK(h.userData == &called);
	OK(cudaGraphAddMemcpyNodeToSymbol(&set, graph, NULL, 0, summand, &called, sizeof(int), 0,
		cudaMemcpyHostToDevice));
	OK(cudaGraphAddDependencies(graph, &set, nodes, KINDS 1));
	OK(cudaGraphInstantiate(&exec, graph, 0));
	OK(cudaGraphNodeSetEnabled(exec, nodes[2], 0));
	called = 10;
	OK(cudaGraphLaunch(exec, a));
	OK(cudaMemcpy(host, v, sizeof(host), cudaMemcpyDeviceToHost));
	CHECK(host[0] == 32 && host[32] == 18 && called == 11);

	/* An update looks into graphs within. */
#if CUDART_VERSION >= 12000
	cudaGraphExecUpdateResultInfo info;
	cudaGraphExecUpdateResult &result = info.result;
#define UPDATE(exec) cudaGraphExecUpdate(exec, graph, &info)
#else
	cudaGraphExecUpdateResult result;
	cudaGraphNode_t bad;
#define UPDATE(exec) cudaGraphExecUpdate(exec, graph, &bad, &result)
#endif
	CHECK(UPDATE(outer) == cudaErrorGraphExecUpdateFailure);
	CHECK(result == cudaGraphExecUpdateErrorTopologyChanged);
	OK(UPDATE(exec));
	CHECK(result == cudaGraphExecUpdateSuccess);
	OK(cudaGraphAddDependencies(graph, nodes, &nodes[3], KINDS 1)); /* it waits for one more */
	CHECK(UPDATE(exec) == cudaErrorGraphExecUpdateFailure);
	CHECK(result == cudaGraphExecUpdateErrorTopologyChanged);
	OK(cudaGraphRemoveDependencies(graph, nodes, &nodes[3], KINDS 1));
	OK(UPDATE(exec));
	OK(cudaGraphDestroyNode(nodes[2]));
	OK(cudaGraphNodeGetDependencies(nodes[3], NULL, KINDS &n));
	CHECK(n == 1);
	CHECK(cudaGraphNodeGetType(nodes[2], &type) == cudaErrorInvalidValue);

	/* Streams that are not joined, one captured twice, the end of another's capture. */
	OK(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
	CHECK(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal) == cudaErrorIllegalState);
	OK(cudaEventRecord(fork, a));
	OK(cudaStreamWaitEvent(b, fork, 0));
	more<<<1, 32, 0, b>>>(v);
	CHECK(cudaStreamEndCapture(b, &whole) == cudaErrorStreamCaptureUnmatched);
	CHECK(cudaStreamEndCapture(a, &whole) == cudaErrorStreamCaptureUnjoined);
	OK(cudaStreamIsCapturing(b, &status));
	CHECK(status == cudaStreamCaptureStatusNone);
	OK(cudaGraphDestroy(graph));
	OK(cudaStreamDestroy(a));
	CHECK(cudaStreamDestroy(a) == cudaErrorInvalidResourceHandle);
	cudaGetLastError();
	return 0;
}

/* Threads' own streams in another's capture, and what may be done with a graph while it is made. */
static int others()
{
	const cudaStream_t own = cudaStreamPerThread;
	cudaStream_t a, b;
	cudaEvent_t fork, second;
	cudaGraph_t graph, whole, within, inner;
	cudaGraphExec_t exec;
	cudaGraphNode_t child, apart, nodes[2];
	cudaStreamCaptureStatus status;
	const cudaGraphNode_t *last;
	unsigned long long ids[3];
	cudaHostNodeParams h = {[](void *p) { ++*(int *)p; }, nullptr};
	size_t n = 2;
	int *v, host = 1, called = 0;

	h.userData = &called;
	OK(cudaStreamCreate(&a));
	OK(cudaStreamCreate(&b));
	OK(cudaEventCreate(&fork));
	OK(cudaEventCreate(&second));
	OK(cudaMalloc(&v, sizeof(*v)));
	OK(cudaMemset(v, 0, sizeof(*v)));

	/* The thread's own stream is captured until the capture ends, and no longer. */
	OK(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
	OK(cudaEventRecord(fork, a));
	OK(cudaStreamWaitEvent(own, fork, 0));
	OK(cudaStreamIsCapturing(own, &status));
	CHECK(status == cudaStreamCaptureStatusActive);
	OK(cudaStreamEndCapture(a, &whole));
	OK(cudaGraphDestroy(whole));
	OK(cudaStreamIsCapturing(own, &status));
	CHECK(status == cudaStreamCaptureStatusNone);
	OK(cudaMemcpyAsync(v, &host, sizeof(host), cudaMemcpyHostToDevice, own));
	host = 0;
	OK(cudaMemcpy(&host, v, sizeof(host), cudaMemcpyDeviceToHost));
	CHECK(host == 1);

	/* Two captures at a time: who joins one has its number. */
	OK(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
	OK(cudaStreamBeginCapture(b, cudaStreamCaptureModeGlobal));
	OK(cudaEventRecord(second, a));
	OK(cudaStreamWaitEvent(own, second, 0));
	const cudaStream_t three[] = {a, b, own};
	for (int i = 0; i < 3; i++)
		OK(CAPTURE_INFO(three[i], &status, &ids[i], &within, &last, KINDS &n));
	CHECK(ids[0] != ids[1] && ids[2] == ids[0]);
	OK(cudaStreamEndCapture(b, &whole));
	OK(cudaGraphDestroy(whole));

	/* A graph that is being captured takes nodes of the program's, and loses none. */
	OK(cudaLaunchHostFunc(a, h.fn, h.userData));
	OK(CAPTURE_INFO(a, &status, ids, &within, &last, KINDS &n));
	OK(cudaGraphAddHostNode(&apart, within, NULL, 0, &h));
	CHECK(cudaGraphDestroyNode(last[0]) == cudaErrorInvalidValue);
	CHECK(cudaGraphDestroy(within) == cudaErrorInvalidValue);
	OK(cudaStreamEndCapture(a, &whole));
	OK(cudaGraphInstantiate(&exec, whole, 0));
	OK(cudaGraphLaunch(exec, 0));
	CHECK(called == 2);

	/* Nor is a graph within another one destroyed by itself. */
	OK(cudaGraphCreate(&graph, 0));
	OK(cudaGraphAddChildGraphNode(&child, graph, NULL, 0, whole));
	OK(cudaGraphChildGraphNodeGetGraph(child, &inner));
	CHECK(cudaGraphDestroy(inner) == cudaErrorInvalidValue);
	n = 2;
	OK(cudaGraphGetNodes(inner, nodes, &n));
	CHECK(n == 2);
	OK(cudaGraphDestroy(graph));
	OK(cudaGraphDestroy(whole));
	cudaGetLastError();
	return 0;
}

/* What is around a graph that is being captured, however far, stays until the capture has ended. */
static int around()
{
	cudaStream_t a, b;
	cudaGraph_t graph, outer, inner, lost;
	cudaGraphNode_t node, within;
	cudaEvent_t event;
	cudaStreamCaptureStatus status;
	int called = 0;

	OK(cudaStreamCreate(&a));
	OK(cudaStreamCreate(&b));
	OK(cudaEventCreate(&event));
	OK(cudaGraphCreate(&graph, 0));
	OK(cudaGraphCreate(&outer, 0));
	OK(cudaGraphAddChildGraphNode(&node, outer, NULL, 0, graph));
	OK(cudaGraphAddChildGraphNode(&node, graph, NULL, 0, outer));
	OK(cudaGraphChildGraphNodeGetGraph(node, &outer));
	size_t n = 1;
	OK(cudaGraphGetNodes(outer, &within, &n));
	OK(cudaGraphChildGraphNodeGetGraph(within, &inner));
	OK(cudaStreamBeginCaptureToGraph(
		a, inner, NULL, NULL, 0, cudaStreamCaptureModeRelaxed));
	OK(cudaLaunchHostFunc(a, [](void *p) { ++*(int *)p; }, &called));
	CHECK(cudaGraphDestroy(graph) == cudaErrorInvalidValue);
	CHECK(cudaGraphDestroyNode(node) == cudaErrorInvalidValue);
	CHECK(cudaGraphDestroyNode(within) == cudaErrorInvalidValue);
	OK(cudaStreamEndCapture(a, &lost));
	CHECK(lost == inner);
	OK(cudaGraphDestroyNode(node));
	OK(cudaGraphDestroy(graph));

	/* A graph that goes with its own capture ends the one within it. */
	OK(cudaGraphCreate(&graph, 0));
	OK(cudaStreamBeginCapture(a, cudaStreamCaptureModeRelaxed));
	OK(CAPTURE_INFO(a, &status, NULL, &outer, NULL, KINDS NULL));
	OK(cudaGraphAddChildGraphNode(&node, outer, NULL, 0, graph));
	OK(cudaGraphChildGraphNodeGetGraph(node, &inner));
	OK(cudaStreamBeginCaptureToGraph(
		b, inner, NULL, NULL, 0, cudaStreamCaptureModeRelaxed));
	OK(cudaEventRecord(event, b));
	OK(cudaStreamDestroy(a));
	OK(cudaEventSynchronize(event));
	CHECK(cudaStreamEndCapture(b, &lost) == cudaErrorIllegalState && !lost);
	OK(cudaStreamSynchronize(b));
	OK(cudaStreamDestroy(b));
	OK(cudaGraphDestroy(graph));
	cudaGetLastError();
	return 0;
}

/* A long chain, node by node, whose nodes are then changed one by one. */
static int many(int length)
{
	std::vector<cudaGraphNode_t> chain(length);
	cudaGraph_t graph;
	cudaGraphExec_t exec;
	int called = 0, other = 0;
	cudaHostNodeParams h = {[](void *p) { ++*(int *)p; }, &called};

	OK(cudaGraphCreate(&graph, 0));
	for (int i = 0; i < length; i++)
		OK(cudaGraphAddHostNode(&chain[i], graph, i ? &chain[i - 1] : NULL, i > 0, &h));
	OK(cudaGraphInstantiate(&exec, graph, 0));
	h.userData = &other;
	for (int i = 0; i < length; i += 2)
		OK(cudaGraphExecHostNodeSetParams(exec, chain[i], &h));
	OK(cudaGraphLaunch(exec, 0));
	CHECK(called == length / 2 && other == length - length / 2);
	OK(cudaGraphExecDestroy(exec));
	OK(cudaGraphDestroy(graph));
	return 0;
}

int main()
{
	if (streams() || others() || around() || many(100001))
		return 1;
	puts("PASSED");
}
