/*
 * Graphs: what a stream was told while it was captured, or what a program added node by node
 * (nodes.c), with the bytes of the arguments. An executable graph is a copy in an order that keeps
 * to what waits for what, each of whose nodes knows the one that it is a copy of; it is run in that
 * order.
 *
 * Left out: semaphores of other devices, user objects.
 */
#include "graph.h"
#include <stdlib.h>
#include <string.h>

static struct rt_map graphs, nodes;

struct rt_graph *rt_graph_new(void)
{
	struct rt_graph *g = calloc(1, sizeof(*g));

	if (!g || !rt_map_put(&graphs, g, g)) {
		free(g);
		return NULL;
	}
	g->end = &g->first;
	return g;
}

struct rt_graph *rt_graph_of(cudaGraph_t handle)
{
	struct rt_graph *g = rt_map_get(&graphs, handle);

	return g && !g->executable ? g : NULL;
}

struct rt_graph *rt_graph_exec_of(cudaGraphExec_t handle)
{
	struct rt_graph *g = rt_map_get(&graphs, handle);

	while (g && g->executable && g->running && !pthread_equal(g->runner, pthread_self())) {
		rt_wait();
		g = rt_map_get(&graphs, handle);
	}
	return g && g->executable && !g->running ? g : NULL;
}

node *rt_node_of(cudaGraphNode_t handle)
{
	return rt_map_get(&nodes, handle);
}

bool rt_graph_has(const struct rt_graph *g, const node *n)
{
	const node *known = rt_map_get(&nodes, n);

	return known && known->graph == g;
}

static bool is_memory(const node *n)
{
	return n->type == cudaGraphNodeTypeMemAlloc;
}

void rt_node_clear(node *n)
{
	if (is_memory(n) && n->dst)
		rt_lent_keep(n->dst, -1);
	rt_graph_drop(n->child);
	for (unsigned i = 0; i < n->nbodies; i++)
		rt_graph_drop(n->bodies[i]);
	if (n->condition)
		rt_condition_keep(n->condition, -1);
	free(n->bodies);
	free(n->before);
	free(n->args);
}

void rt_graph_remove(node *n)
{
	struct rt_graph *g = n->graph;

	*n->link = n->next;
	if (n->next)
		n->next->link = n->link;
	else
		g->end = n->link;
	g->n--;
	rt_map_drop(&nodes, n);
	rt_node_clear(n);
	free(n);
}

void rt_graph_drop(struct rt_graph *g)
{
	if (!g)
		return;
	while (g->first)
		rt_graph_remove(g->first);
	if (g->capture)
		rt_capture_end(g);
	rt_map_drop(&graphs, g);
	rt_map_free(&g->copies);
	rt_conditions_drop(g);
	free(g);
}

bool rt_node_is_captured(const node *n)
{
	bool is = n->child && rt_graph_is_captured(n->child);

	for (unsigned i = 0; i < n->nbodies && !is; i++)
		is = rt_graph_is_captured(n->bodies[i]);
	return is;
}

bool rt_graph_is_captured(const struct rt_graph *g)
{
	bool is = g->capture != 0;

	for (const node *n = g->first; n && !is; n = n->next)
		is = rt_node_is_captured(n);
	return is;
}

node *rt_graph_append(struct rt_graph *g, const node *n)
{
	node *copy = calloc(1, sizeof(*copy));

	if (!copy || !rt_map_put(&nodes, copy, copy)) {
		node lost = *n;
		rt_node_clear(&lost);
		free(copy);
		return NULL;
	}
	*copy = *n;
	copy->graph = g;
	if (copy->child)
		copy->child->within = true;
	copy->next = NULL;
	copy->link = g->end;
	*g->end = copy;
	g->end = &copy->next;
	g->n++;
	return copy;
}

cudaError_t rt_node_wait_for(node *n, node *const *before, size_t count)
{
	node **more = realloc(n->before, (n->nbefore + count + 1) * sizeof(*more));

	if (!more)
		return cudaErrorMemoryAllocation;
	n->before = more;
	for (size_t i = 0; i < count; i++)
		n->before[n->nbefore++] = before[i];
	return cudaSuccess;
}

/* ---- what nodes hold ---- */

cudaError_t rt_node_launch(node *n, const struct rt_launch *l, void *const *args)
{
	const struct ptx_kernel *k = l->f->kernel;
	const uint32_t count = ptx_nparams(k);
	size_t bytes = count * sizeof(void *);
	void **copy;
	char *at;

	for (uint32_t i = 0; i < count; i++)
		bytes += ptx_param_bytes(k, i);
	copy = malloc(bytes + 1);
	if (!copy)
		return cudaErrorMemoryAllocation;
	at = (char *)(copy + count);
	for (uint32_t i = 0; i < count; i++) {
		copy[i] = memcpy(at, args[i], ptx_param_bytes(k, i));
		at += ptx_param_bytes(k, i);
	}
	free(n->args);
	n->type = cudaGraphNodeTypeKernel;
	n->launch = *l;
	n->args = copy;
	n->nargs = count;
	n->arg_bytes = bytes;
	return cudaSuccess;
}

cudaError_t rt_node_kernel(node *n, const struct cudaKernelNodeParams *p)
{
	struct rt_launch l = {.grid = p->gridDim,
		.block = p->blockDim,
		.shared = p->sharedMemBytes,
		.cooperative = n->launch.cooperative};
	cudaError_t e;

	memcpy(l.cluster, n->launch.cluster, sizeof(l.cluster));
	l.f = rt_function_or_handle(p->func);
	if (!l.f || (!p->kernelParams && p->extra))
		return l.f ? cudaErrorNotSupported : cudaErrorInvalidDeviceFunction;
	e = rt_kernel_of(l.f);
	if (!e && !p->kernelParams && ptx_nparams(l.f->kernel))
		e = cudaErrorInvalidValue;
	return e ? e : rt_node_launch(n, &l, p->kernelParams);
}

cudaError_t rt_node_set(node *n, const struct cudaMemsetParams *p)
{
	if (!p || (p->elementSize != 1 && p->elementSize != 2 && p->elementSize != 4))
		return cudaErrorInvalidValue;
	n->type = cudaGraphNodeTypeMemset;
	n->dst = p->dst;
	n->dpitch = p->pitch;
	n->width = p->width;
	n->height = p->height;
	n->element = p->elementSize;
	n->value = (int)p->value;
	return cudaSuccess;
}

node rt_node_copy(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
	size_t height, enum cudaMemcpyKind kind)
{
	return (node){.type = cudaGraphNodeTypeMemcpy,
		.dst = dst,
		.dpitch = dpitch,
		.src = src,
		.spitch = spitch,
		.width = width,
		.height = height,
		.value = (int)kind};
}

/* ---- capture ---- */

cudaError_t rt_tail_join(struct rt_tail *to, const struct rt_tail *from)
{
	node **more = realloc(to->v, (to->n + from->n + 1) * sizeof(*more));

	if (!more)
		return cudaErrorMemoryAllocation;
	to->v = more;
	for (size_t i = 0, k; i < from->n; i++) {
		for (k = 0; k < to->n && to->v[k] != from->v[i]; k++)
			;
		if (k == to->n)
			to->v[to->n++] = from->v[i];
	}
	return cudaSuccess;
}

void rt_tail_free(struct rt_tail *t)
{
	free(t->v);
	*t = (struct rt_tail){0};
}

/* The node waits for what the stream did last, and is that from now on. */
static cudaError_t captured(struct rt_graph *g, const node *n)
{
	node *made = rt_graph_append(g, n);
	const struct rt_tail one = {&made, 1};
	if (made)
		made->must_join = true;
	cudaError_t e =
		made ? rt_node_wait_for(made, g->tail->v, g->tail->n) : cudaErrorMemoryAllocation;

	g->tail->n = 0;
	return e ? e : rt_tail_join(g->tail, &one);
}

bool rt_graph_joined(const struct rt_graph *g, const struct rt_tail *end)
{
	size_t open = 0;

	for (node *n = g->first; n; n = n->next)
		n->open = n->must_join;
	for (node *n = g->first; n; n = n->next)
		for (size_t i = 0; i < n->nbefore; i++)
			n->before[i]->open = false;
	for (size_t i = 0; i < end->n; i++)
		end->v[i]->open = false;
	for (node *n = g->first; n; n = n->next)
		open += n->open;
	return !open;
}

cudaError_t rt_capture_launch(struct rt_graph *g, const struct rt_launch *l, void *const *args)
{
	node n = {0};
	const cudaError_t e = rt_node_launch(&n, l, args);

	return e ? e : captured(g, &n);
}

cudaError_t rt_capture_copy(struct rt_graph *g, void *dst, size_t dpitch, const void *src,
	size_t spitch, size_t width, size_t height, enum cudaMemcpyKind kind)
{
	const node n = rt_node_copy(dst, dpitch, src, spitch, width, height, kind);

	return captured(g, &n);
}

cudaError_t rt_capture_copy_3d(struct rt_graph *g, const struct cudaMemcpy3DParms *p)
{
	return captured(g, &(node){.type = cudaGraphNodeTypeMemcpy, .of_3d = true, .copy = *p});
}

cudaError_t rt_capture_set(
	struct rt_graph *g, void *p, size_t pitch, int value, size_t width, size_t height)
{
	return captured(g, &(node){.type = cudaGraphNodeTypeMemset,
				   .dst = p,
				   .dpitch = pitch,
				   .width = width,
				   .height = height,
				   .element = 1,
				   .value = value});
}

cudaError_t rt_capture_fill(struct rt_graph *g, const struct cudaMemsetParams *p)
{
	node n = {0};
	const cudaError_t e = rt_node_set(&n, p);

	return e ? e : captured(g, &n);
}

cudaError_t rt_capture_host(struct rt_graph *g, cudaHostFn_t fn, void *user)
{
	return captured(g, &(node){.type = cudaGraphNodeTypeHost, .fn = fn, .user = user});
}

cudaError_t rt_capture_event(struct rt_graph *g, cudaEvent_t event)
{
	return captured(g, &(node){.type = cudaGraphNodeTypeEventRecord, .event = event});
}

cudaError_t rt_capture_allocation(struct rt_graph *g, void **p, size_t bytes)
{
	const cudaError_t e = rt_lent_new(p, bytes);

	return e ? e
		 : captured(g,
			   &(node){.type = cudaGraphNodeTypeMemAlloc, .dst = *p, .width = bytes});
}

cudaError_t rt_capture_free(struct rt_graph *g, void *p)
{
	return captured(g, &(node){.type = cudaGraphNodeTypeMemFree, .dst = p});
}

/* ---- copies ---- */

static struct rt_graph *within(struct rt_graph *g)
{
	struct rt_graph *copy = rt_graph_copy_of(g);

	if (copy)
		copy->within = true;
	return copy;
}

static bool own_graphs(node *copy, const node *n)
{
	if (n->child && !(copy->child = within(n->child)))
		return false;
	if (n->nbodies && !(copy->bodies = calloc(n->nbodies, sizeof(*copy->bodies))))
		return false;
	while (copy->nbodies < n->nbodies) {
		if (!(copy->bodies[copy->nbodies] = within(n->bodies[copy->nbodies])))
			return false;
		copy->nbodies++;
	}
	return true;
}

/* What n has of its own, once more for its copy. */
static bool own(node *copy, const node *n)
{
	copy->twin = NULL;
	copy->before = NULL;
	copy->nbefore = 0;
	copy->origin = n;
	copy->args = NULL;
	copy->child = NULL;
	copy->bodies = NULL;
	copy->nbodies = 0;
	if (n->condition)
		rt_condition_keep(n->condition, 1);
	if (is_memory(n))
		rt_lent_keep(n->dst, 1);
	if (!own_graphs(copy, n)) {
		rt_node_clear(copy);
		return false;
	}
	if (!n->args)
		return true;
	copy->args = malloc(n->arg_bytes + 1);
	if (!copy->args) {
		rt_node_clear(copy);
		return false;
	}
	memcpy(copy->args, n->args, n->arg_bytes);
	for (uint32_t i = 0; i < n->nargs; i++)
		copy->args[i] =
			(char *)copy->args + ((const char *)n->args[i] - (const char *)n->args);
	return true;
}

/* Copies n, of which all that it waits for has a copy. */
static bool copy_one(struct rt_graph *to, node *n)
{
	node copy = *n;

	copy.open = false;
	if (!own(&copy, n) || !(n->twin = rt_graph_append(to, &copy)))
		return false;
	if (n->nbefore && !(n->twin->before = calloc(n->nbefore, sizeof(node *))))
		return false;
	for (size_t i = 0; i < n->nbefore; i++)
		n->twin->before[i] = n->before[i]->twin;
	n->twin->nbefore = n->nbefore;
	return true;
}

/* Copies n behind all that it waits for. false: no memory, or it waits for itself. */
static bool visit(struct rt_graph *to, node *n)
{
	n->back = NULL;
	n->open = true;
	while (n) {
		if (n->at < n->nbefore) {
			node *before = n->before[n->at++];
			if (before->twin)
				continue;
			if (before->open)
				return false;
			before->open = true;
			before->back = n;
			n = before;
			continue;
		}
		if (!copy_one(to, n))
			return false;
		n->open = false;
		n = n->back;
	}
	return true;
}

struct rt_graph *rt_graph_copy_of(struct rt_graph *g)
{
	struct rt_graph *copy = rt_graph_new();
	bool good = copy && rt_conditions_copy(copy, g);

	for (node *n = g->first; n; n = n->next) {
		n->twin = NULL;
		n->open = false;
		n->at = 0;
	}
	for (node *n = g->first; n && good; n = n->next)
		good = n->twin || visit(copy, n);
	if (good)
		return copy;
	rt_graph_drop(copy);
	return NULL;
}

/* ---- executable graphs ---- */

static bool note_copies(struct rt_map *copies, const struct rt_graph *g);

static bool note_bodies(struct rt_map *copies, const node *n)
{
	bool good = true;

	for (unsigned i = 0; i < n->nbodies && good; i++)
		good = note_copies(copies, n->bodies[i]);
	return good;
}

/* Notes whose copies g's nodes are, those of graphs within them too. */
static bool note_copies(struct rt_map *copies, const struct rt_graph *g)
{
	bool good = true;

	for (node *n = g->first; n && good; n = n->next)
		good = rt_map_put(copies, n->origin, n) &&
		       (!n->child || note_copies(copies, n->child)) && note_bodies(copies, n);
	return good;
}

static cudaError_t instantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags)
{
	RT_ENTER();
	struct rt_graph *g = rt_graph_of(graph);
	struct rt_graph *copy = exec && g ? rt_graph_copy_of(g) : NULL;
	if (!copy || !note_copies(&copy->copies, copy)) {
		rt_graph_drop(copy);
		return rt_leave(cudaErrorInvalidValue);
	}
	copy->executable = true;
	copy->frees = (flags & cudaGraphInstantiateFlagAutoFreeOnLaunch) != 0;
	*exec = (cudaGraphExec_t)copy;
	return rt_leave(cudaSuccess);
}

/* Of CUDA 12 on the third argument is the flags and there is no log, which is not written. */
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph,
	cudaGraphNode_t *error_node, char *log, size_t log_bytes)
{
	const uintptr_t flags = (uintptr_t)error_node;

	(void)log, (void)log_bytes;
	return instantiate(exec, graph, flags < 4096 ? flags : 0);
}

cudaError_t cudaGraphInstantiateWithFlags(
	cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags)
{
	return instantiate(exec, graph, flags);
}

cudaError_t cudaGraphInstantiateWithParams(
	cudaGraphExec_t *exec, cudaGraph_t graph, cudaGraphInstantiateParams *p)
{
	if (!p) {
		RT_ENTER();
		return rt_leave(cudaErrorInvalidValue);
	}
	const cudaError_t e = instantiate(exec, graph, p->flags);
	p->errNode_out = NULL;
	p->result_out = e ? cudaGraphInstantiateError : cudaGraphInstantiateSuccess;
	return e;
}

cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream)
{
	RT_ENTER();
	return rt_leave(rt_graph_exec_of(exec) && rt_stream_known(stream) ? cudaSuccess
									  : cudaErrorInvalidValue);
}

node *rt_graph_copy(cudaGraphExec_t exec, cudaGraphNode_t origin)
{
	const struct rt_graph *g = rt_graph_exec_of(exec);

	return g ? rt_map_get(&g->copies, origin) : NULL;
}

/* Has b the nodes of a, in graphs within them too? Then they become the copies of what a's are. */
static bool take_over(const struct rt_graph *a, const struct rt_graph *b)
{
	bool same = a->n == b->n;
	node *n = a->first, *m = b->first;

	for (; n && same; n = n->next, m = m->next) {
		same = n->type == m->type && n->nbefore == m->nbefore &&
		       n->condition == m->condition && n->nbodies == m->nbodies &&
		       (!n->child || take_over(n->child, m->child));
		for (unsigned i = 0; i < n->nbodies && same; i++)
			same = take_over(n->bodies[i], m->bodies[i]);
		m->origin = n->origin;
		m->off = n->off;
	}
	return same;
}

/* The graph within an executable one takes over what another of the same nodes has. */
cudaError_t cudaGraphExecChildGraphNodeSetParams(
	cudaGraphExec_t exec, cudaGraphNode_t handle, cudaGraph_t child)
{
	RT_ENTER();
	node *n = rt_graph_copy(exec, handle);
	struct rt_graph *given = rt_graph_of(child);
	struct rt_graph *from = n && n->child && given ? within(given) : NULL;
	if (!from || !take_over(n->child, from)) {
		rt_graph_drop(from);
		return rt_leave(cudaErrorInvalidValue);
	}
	rt_graph_drop(n->child);
	n->child = from;
	from->within = true;
	note_copies(&rt_graph_exec_of(exec)->copies, from); /* as below */
	return rt_leave(cudaSuccess);
}

/* Takes over what another graph of the same nodes has. */
static cudaError_t update(cudaGraphExec_t exec, cudaGraph_t graph)
{
	RT_ENTER();
	struct rt_graph *g = rt_graph_exec_of(exec), *given = rt_graph_of(graph);
	struct rt_graph *from = g && given ? rt_graph_copy_of(given) : NULL;
	if (!from)
		return rt_leave(cudaErrorInvalidValue);
	const bool same = take_over(g, from);
	if (same && g->n) {
		node *old = g->first, **end = g->end;
		g->first = from->first;
		g->end = from->end;
		from->first = old;
		from->end = end;
		g->first->link = &g->first;
		old->link = &from->first;
		for (node *n = g->first; n; n = n->next)
			n->graph = g;
		for (node *n = from->first; n; n = n->next)
			n->graph = from;
		note_copies(&g->copies, g); /* the keys are there: it needs no memory */
	}
	rt_graph_drop(from);
	return rt_leave(same ? cudaSuccess : cudaErrorGraphExecUpdateFailure);
}

/*
 * As programs of nvcc have it. The third argument is a node's place before CUDA 12, and then a
 * struct that begins with the result: both get the result's number.
 */
cudaError_t graph_exec_update(cudaGraphExec_t exec, cudaGraph_t graph, uint64_t *told) __asm__(
	"cudaGraphExecUpdate");
cudaError_t graph_exec_update(cudaGraphExec_t exec, cudaGraph_t graph, uint64_t *told)
{
	const cudaError_t e = update(exec, graph);

	if (told)
		*told = e ? cudaGraphExecUpdateErrorTopologyChanged : cudaGraphExecUpdateSuccess;
	return e;
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
	cudaGraphNode_t *error_node, enum cudaGraphExecUpdateResult *result)
{
	const cudaError_t e = update(exec, graph);

	if (error_node)
		*error_node = NULL;
	if (result)
		*result = e ? cudaGraphExecUpdateErrorTopologyChanged : cudaGraphExecUpdateSuccess;
	return e;
}

static __thread cudaStream_t runs_in; /* of the graph that this thread runs */

static cudaError_t run(const struct rt_graph *g);

static cudaError_t run_node(const node *n)
{
	switch (n->type) {
	case cudaGraphNodeTypeKernel:
		return rt_launch(&n->launch, n->args);
	case cudaGraphNodeTypeMemcpy:
		return n->of_3d ? rt_copy_3d(&n->copy)
				: rt_copy(n->dst, n->dpitch, n->src, n->spitch, n->width, n->height,
					  (enum cudaMemcpyKind)n->value);
	case cudaGraphNodeTypeMemset:
		if (n->element == 1)
			return rt_set(n->dst, n->dpitch, n->value, n->width, n->height);
		return rt_fill_rows(&(struct cudaMemsetParams){n->dst, n->dpitch,
			(unsigned)n->value, (unsigned)n->element, n->width, n->height});
	case cudaGraphNodeTypeHost:
		rt_host_function(runs_in, n->fn, n->user);
		return rt.sticky;
	case cudaGraphNodeTypeGraph:
		return run(n->child);
	case cudaGraphNodeTypeConditional:
		return rt_condition_run(n, run);
	case cudaGraphNodeTypeEventRecord:
		return cudaEventRecord(n->event, NULL);
	case cudaGraphNodeTypeMemAlloc:
		return rt_lent_start(n->dst);
	case cudaGraphNodeTypeMemFree:
		return cudaFree(n->dst);
	default:
		return cudaSuccess;
	}
}

static cudaError_t run(const struct rt_graph *g)
{
	cudaError_t e = cudaSuccess;

	for (const node *n = g->first; n && g->frees; n = n->next)
		if (is_memory(n) && rt_lent_is_out(n->dst))
			cudaFree(n->dst);
	for (const node *n = g->first; n && !e; n = n->next)
		e = n->off ? cudaSuccess : run_node(n);
	return e;
}

/* Others may end the graph while this waits for its turn. */
static cudaError_t run_in(cudaGraphExec_t exec, cudaStream_t stream)
{
	const cudaStream_t before = runs_in;
	cudaError_t e;

	rt_turn(stream);
	struct rt_graph *g = rt_graph_exec_of(exec);
	if (!g || !rt_stream_known(stream))
		return cudaErrorInvalidValue;
	g->running = true;
	g->runner = pthread_self();
	runs_in = stream;
	e = rt_conditions_start(g);
	if (!e)
		e = run(g);
	runs_in = before;
	g->running = false;
	return e;
}

/* In a captured stream it becomes a graph within the one that is captured. */
cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream)
{
	RT_ENTER();
	struct rt_graph *g = rt_graph_exec_of(exec), *to = rt_capturing(stream);
	if (!g || !rt_stream_known(stream))
		return rt_leave(cudaErrorInvalidValue);
	if (!to)
		return rt_leave(run_in(exec, stream));
	const node n = {.type = cudaGraphNodeTypeGraph, .child = within(g)};
	return rt_leave(n.child ? captured(to, &n) : cudaErrorMemoryAllocation);
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec)
{
	RT_ENTER();
	struct rt_graph *g = rt_graph_exec_of(exec);
	rt_graph_drop(g);
	return rt_leave(g ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
	RT_ENTER();
	struct rt_graph *g = rt_graph_of(graph);
	/* Another's part, or a capture's: the capture and the other graph go on with it. */
	RT_WANT(g && !g->within && !rt_graph_is_captured(g));
	rt_graph_drop(g);
	return rt_leave(cudaSuccess);
}
