/*
 * Nodes of graphs that a value decides about: the steps of the Collatz sequence by a while node with an
 * if node in it, both ways of an if, a choice of several, first values, graphs that are gone before
 * their executable ones run. Checked by the same on the CPU.
 */
#include <cstdio>
#include <cstring>

static int wrong;
#define CHECK(what)                                                                                \
	do {                                                                                       \
		if (!(what)) {                                                                     \
			printf("%s:%d: %s\n", __FILE__, __LINE__, #what);                          \
			wrong++;                                                                   \
		}                                                                                  \
	} while (0)

struct state {
	unsigned n, steps, odd;
};

__global__ void begin(state *s, cudaGraphConditionalHandle again, cudaGraphConditionalHandle odd)
{
	cudaGraphSetConditional(again, s->n != 1);
	cudaGraphSetConditional(odd, s->n & 1);
}

__global__ void up(state *s)
{
	s->n = 3 * s->n + 1;
	s->odd++;
}

__global__ void down(state *s)
{
	s->n /= 2;
}

__global__ void end_step(state *s)
{
	s->steps++;
}

/* As nvcc has it: a function of NVIDIA's device runtime. */
extern "C" __device__ void nvccs(cudaGraphConditionalHandle h, unsigned v)
	__asm__("cudaGraphSetConditional");
__global__ void set(cudaGraphConditionalHandle h, unsigned v)
{
	nvccs(h, v);
}

__global__ void add(int *p, int v)
{
	*p += v;
}

static cudaGraphNode_t kernel(
	cudaGraph_t g, const cudaGraphNode_t *before, size_t n, void *f, void **args)
{
	cudaGraphNodeParams p = {};
	cudaGraphNode_t node = nullptr;
	p.type = cudaGraphNodeTypeKernel;
	p.kernel.func = f;
	p.kernel.gridDim = p.kernel.blockDim = dim3(1);
	p.kernel.kernelParams = args;
	CHECK(!cudaGraphAddNode(&node, g, before, n, &p));
	return node;
}

static cudaGraphNode_t decides(cudaGraph_t g, const cudaGraphNode_t *before, size_t n,
	cudaGraphConditionalHandle h, cudaGraphConditionalNodeType type, cudaGraph_t *bodies,
	unsigned size)
{
	cudaGraphNodeParams p = {};
	cudaGraphNode_t node = nullptr;
	p.type = cudaGraphNodeTypeConditional;
	p.conditional.handle = h;
	p.conditional.type = type;
	p.conditional.size = size;
	CHECK(!cudaGraphAddNode(&node, g, before, nullptr, n, &p));
	memcpy(bodies, p.conditional.phGraph_out, size * sizeof(*bodies));
	return node;
}

/* while (n != 1) { if (n & 1) n = 3 n + 1; else n /= 2; steps++; } */
static void collatz()
{
	cudaGraphConditionalHandle again, odd;
	cudaGraphExec_t exec;
	cudaGraph_t graph, loop, ways[2], same;
	cudaStream_t stream;
	state *s;
	CHECK(!cudaMallocManaged(&s, sizeof(*s)));
	CHECK(!cudaStreamCreate(&stream));
	CHECK(!cudaGraphCreate(&graph, 0));
	CHECK(!cudaGraphConditionalHandleCreate(&again, graph));
	CHECK(!cudaGraphConditionalHandleCreate(&odd, graph, 0, 0));
	void *args[] = {&s, &again, &odd}, *of_state[] = {&s};
	const cudaGraphNode_t first = kernel(graph, nullptr, 0, (void *)begin, args);
	decides(graph, &first, 1, again, cudaGraphCondTypeWhile, &loop, 1);
	const cudaGraphNode_t choice =
		decides(loop, nullptr, 0, odd, cudaGraphCondTypeIf, ways, 2);
	kernel(ways[0], nullptr, 0, (void *)up, of_state);
	kernel(ways[1], nullptr, 0, (void *)down, of_state);
	/* The rest of the loop is captured into it. */
	CHECK(!cudaStreamBeginCaptureToGraph(
		stream, loop, &choice, nullptr, 1, cudaStreamCaptureModeGlobal));
	end_step<<<1, 1, 0, stream>>>(s);
	begin<<<1, 1, 0, stream>>>(s, again, odd);
	CHECK(!cudaStreamEndCapture(stream, &same) && same == loop);
	CHECK(cudaGraphDestroy(loop) == cudaErrorInvalidValue);
	CHECK(!cudaGraphInstantiate(&exec, graph, 0));
	CHECK(!cudaGraphDestroy(graph));
	CHECK(cudaGetLastError() == cudaErrorInvalidValue);
	for (unsigned n = 1; n < 30; n += 4) {
		unsigned at = n, steps = 0, odd_ones = 0;
		for (; at != 1; steps++) {
			odd_ones += at & 1;
			at = at & 1 ? 3 * at + 1 : at / 2;
		}
		*s = state{n, 0, 0};
		CHECK(!cudaGraphLaunch(exec, stream));
		CHECK(s->n == 1 && s->steps == steps && s->odd == odd_ones);
	}
	CHECK(!cudaGraphExecDestroy(exec));
}

static void choices()
{
	cudaGraphConditionalHandle h, own;
	cudaGraphExec_t exec, second;
	cudaGraph_t graph, copy, bodies[3], once;
	int *sum, one = 1, ten = 10, hundred = 100, thousand = 1000;
	CHECK(!cudaMallocManaged(&sum, sizeof(*sum)));
	CHECK(!cudaGraphCreate(&graph, 0));
	CHECK(!cudaGraphConditionalHandleCreate(&h, graph, 1, cudaGraphCondAssignDefault));
	CHECK(!cudaGraphConditionalHandleCreate(&own, graph, 0, 0));
	const cudaGraphNode_t choice =
		decides(graph, nullptr, 0, h, cudaGraphCondTypeSwitch, bodies, 3);
	void *args[][2] = {{&sum, &one}, {&sum, &ten}, {&sum, &hundred}, {&sum, &thousand}};
	for (int i = 0; i < 3; i++)
		kernel(bodies[i], nullptr, 0, (void *)add, args[i]);
	unsigned value = 2;
	void *to[] = {&h, &value};
	const cudaGraphNode_t setter = kernel(graph, &choice, 1, (void *)set, to);
	decides(graph, &setter, 1, own, cudaGraphCondTypeIf, &once, 1);
	kernel(once, nullptr, 0, (void *)add, args[3]);
	cudaGraphNodeType type;
	CHECK(!cudaGraphNodeGetType(choice, &type) && type == cudaGraphNodeTypeConditional);
	CHECK(!cudaGraphClone(&copy, graph));
	CHECK(!cudaGraphInstantiate(&exec, graph, 0));
	CHECK(!cudaGraphInstantiate(&second, copy, 0));
	CHECK(!cudaGraphDestroy(copy));
	/* Of values beyond the last graph there is none. */
	for (unsigned last : {2u, 3u}) {
		cudaGraphConditionalHandle to_last;
		cudaGraphExec_t chosen;
		cudaGraph_t all, some[3];
		CHECK(!cudaGraphCreate(&all, 0));
		CHECK(!cudaGraphConditionalHandleCreate(
			&to_last, all, last, cudaGraphCondAssignDefault));
		decides(all, nullptr, 0, to_last, cudaGraphCondTypeSwitch, some, 3);
		kernel(some[2], nullptr, 0, (void *)add, args[0]);
		CHECK(!cudaGraphInstantiate(&chosen, all, 0) && !cudaGraphLaunch(chosen, 0));
		CHECK(*sum == 1 && !cudaGraphExecDestroy(chosen) && !cudaGraphDestroy(all));
	}
	*sum = 0;
	/* The first value again in each launch; the other condition is as it was left. */
	CHECK(!cudaGraphLaunch(exec, 0) && *sum == 10);
	CHECK(!cudaGraphLaunch(second, 0) && *sum == 20);
	set<<<1, 1>>>(own, 1);
	CHECK(!cudaGraphLaunch(exec, 0) && *sum == 1030);
	/* Other arguments for a kernel in a body, in the executable graph and in the graph. */
	cudaGraphNode_t inner;
	size_t n = 1;
	CHECK(!cudaGraphGetNodes(bodies[1], &inner, &n) && n == 1);
	cudaGraphNodeParams p = {};
	p.type = cudaGraphNodeTypeKernel;
	p.kernel.func = (void *)add;
	p.kernel.gridDim = p.kernel.blockDim = dim3(1);
	p.kernel.kernelParams = args[0];
	CHECK(!cudaGraphExecNodeSetParams(exec, inner, &p));
	CHECK(!cudaGraphLaunch(exec, 0) && *sum == 2031);
	p.kernel.kernelParams = args[2];
	CHECK(!cudaGraphNodeSetParams(inner, &p));
	cudaGraphNode_t bad;
	cudaGraphExecUpdateResult result;
	CHECK(!cudaGraphExecUpdate(exec, graph, &bad, &result));
	CHECK(!cudaGraphLaunch(exec, 0) && *sum == 3131);
	/* What cannot be. */
	p.type = cudaGraphNodeTypeConditional;
	p.conditional.handle = 12345;
	p.conditional.type = cudaGraphCondTypeIf;
	p.conditional.size = 1;
	CHECK(cudaGraphAddNode(&bad, graph, nullptr, 0, &p) == cudaErrorInvalidValue);
	p.conditional.handle = h;
	p.conditional.type = cudaGraphCondTypeWhile;
	p.conditional.size = 2;
	CHECK(cudaGraphAddNode(&bad, graph, nullptr, 0, &p) == cudaErrorInvalidValue);
	CHECK(!cudaGraphDestroyNode(choice));
	CHECK(!cudaGraphDestroy(graph) && !cudaGraphExecDestroy(exec));
	CHECK(!cudaGraphLaunch(second, 0) && *sum == 4141);
	CHECK(!cudaGraphExecDestroy(second));
	CHECK(cudaGetLastError() == cudaErrorInvalidValue);
}

/* With an argument: a while node whose body cannot change its condition. */
int main(int argc, char **argv)
{
	if (argc > 1) {
		cudaGraphConditionalHandle h;
		cudaGraphExec_t exec;
		cudaGraph_t graph, body;
		CHECK(!cudaGraphCreate(&graph, 0));
		CHECK(!cudaGraphConditionalHandleCreate(&h, graph, 1, cudaGraphCondAssignDefault));
		decides(graph, nullptr, 0, h, cudaGraphCondTypeWhile, &body, 1);
		CHECK(!cudaGraphInstantiate(&exec, graph, 0));
		puts(cudaGetErrorName(cudaGraphLaunch(exec, 0)));
		return 0;
	}
	collatz();
	choices();
	puts(wrong ? "FAILED" : "PASSED");
	return wrong != 0;
}
