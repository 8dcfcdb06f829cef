/*
 * Streams, events and graphs. Work is done when it is asked for, so a stream is a name, an event a
 * time, and waiting is nothing. Time is what the device has executed so far (rt_time), so that a
 * program that prints it prints the same each time. A graph is what a stream was told while it was
 * captured, in that order, with the bytes of the arguments.
 *
 * Left out: graphs that a program builds node by node.
 */
#include "rt.h"
#include <stdlib.h>
#include <string.h>

enum node_kind { NODE_LAUNCH, NODE_COPY, NODE_SET, NODE_HOST };

struct node {
	struct node *next;
	enum node_kind kind;
	struct rt_launch launch;
	void **args; /* with their bytes after them */
	void *dst;
	const void *src;
	size_t dpitch, spitch, width, height;
	int value; /* of a set; a copy's kind */
	cudaHostFn_t fn;
	void *user;
};

struct rt_graph {
	struct node *first, **end;
	size_t n;
	unsigned holders;
};

struct CUstream_st {
	struct CUstream_st *next;
	unsigned flags;
	int priority;
	struct rt_graph *capturing, *own; /* own: the capture began here */
};

struct CUevent_st {
	struct CUevent_st *next;
	unsigned flags;
	bool recorded;
	double time;
	struct rt_graph *capturing;
};

static struct CUstream_st *streams;
static struct CUevent_st *events;

static struct CUstream_st *stream_of(cudaStream_t s)
{
	struct CUstream_st *at = streams;

	while (at && at != s)
		at = at->next;
	return at;
}

static struct CUevent_st *event_of(cudaEvent_t e)
{
	struct CUevent_st *at = events;

	while (at && at != e)
		at = at->next;
	return at;
}

bool rt_stream_known(cudaStream_t s)
{
	return !s || s == cudaStreamLegacy || s == cudaStreamPerThread || stream_of(s);
}

struct rt_graph *rt_capturing(cudaStream_t s)
{
	const struct CUstream_st *at = s ? stream_of(s) : NULL;
	return at ? at->capturing : NULL;
}

/* ---- streams ---- */

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned int flags, int priority)
{
	RT_ENTER();
	if (!stream || flags > cudaStreamNonBlocking)
		return rt_leave(cudaErrorInvalidValue);
	struct CUstream_st *s = calloc(1, sizeof(*s));
	if (!s)
		return rt_leave(cudaErrorMemoryAllocation);
	s->flags = flags;
	s->priority = priority;
	s->next = streams;
	streams = s;
	*stream = s;
	return rt_leave(cudaSuccess);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags)
{
	return cudaStreamCreateWithPriority(stream, flags, 0);
}

cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
	return cudaStreamCreateWithPriority(stream, cudaStreamDefault, 0);
}

static void graph_drop(struct rt_graph *g);

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
	RT_ENTER();
	struct CUstream_st **at = &streams, *s = stream ? stream_of(stream) : NULL;
	if (!s)
		return rt_leave(cudaErrorInvalidResourceHandle);
	while (*at != s)
		at = &(*at)->next;
	*at = s->next;
	graph_drop(s->own);
	free(s);
	return rt_leave(cudaSuccess);
}

static cudaError_t nothing_to_wait_for(cudaStream_t stream)
{
	RT_ENTER();
	if (!rt_stream_known(stream))
		return rt_leave(cudaErrorInvalidResourceHandle);
	return rt_leave(rt_capturing(stream) ? cudaErrorStreamCaptureUnsupported : cudaSuccess);
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
	return nothing_to_wait_for(stream);
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
	return nothing_to_wait_for(stream);
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority)
{
	RT_ENTER();
	const struct CUstream_st *s = stream_of(stream);
	*priority = s ? s->priority : 0;
	return rt_leave(rt_stream_known(stream) ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned int *flags)
{
	RT_ENTER();
	const struct CUstream_st *s = stream_of(stream);
	*flags = s ? s->flags : 0;
	return rt_leave(rt_stream_known(stream) ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

/* ---- events ---- */

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags)
{
	RT_ENTER();
	if (!event || flags > 7)
		return rt_leave(cudaErrorInvalidValue);
	struct CUevent_st *e = calloc(1, sizeof(*e));
	if (!e)
		return rt_leave(cudaErrorMemoryAllocation);
	e->flags = flags;
	e->next = events;
	events = e;
	*event = e;
	return rt_leave(cudaSuccess);
}

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
	return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
	RT_ENTER();
	struct CUevent_st **at = &events, *e = event ? event_of(event) : NULL;
	if (!e)
		return rt_leave(cudaErrorInvalidResourceHandle);
	while (*at != e)
		at = &(*at)->next;
	*at = e->next;
	free(e);
	return rt_leave(cudaSuccess);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
	RT_ENTER();
	struct CUevent_st *e = event ? event_of(event) : NULL;
	if (!e || !rt_stream_known(stream))
		return rt_leave(cudaErrorInvalidResourceHandle);
	e->recorded = true;
	e->time = rt_time();
	e->capturing = rt_capturing(stream);
	return rt_leave(cudaSuccess);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
	RT_ENTER();
	return rt_leave(event && event_of(event) ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
	return cudaEventSynchronize(event);
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t from, cudaEvent_t to)
{
	RT_ENTER();
	const struct CUevent_st *a = from ? event_of(from) : NULL, *b = to ? event_of(to) : NULL;
	if (!ms)
		return rt_leave(cudaErrorInvalidValue);
	if (!a || !b || !a->recorded || !b->recorded ||
		((a->flags | b->flags) & cudaEventDisableTiming))
		return rt_leave(cudaErrorInvalidResourceHandle);
	*ms = (float)(b->time - a->time);
	return rt_leave(cudaSuccess);
}

/* What waits for an event of a captured stream is captured with it. */
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags)
{
	RT_ENTER();
	struct CUevent_st *e = event ? event_of(event) : NULL;
	struct CUstream_st *s = stream_of(stream);
	if (!e || !rt_stream_known(stream))
		return rt_leave(cudaErrorInvalidResourceHandle);
	if (flags)
		return rt_leave(cudaErrorInvalidValue);
	if (s && e->capturing && !s->capturing)
		s->capturing = e->capturing;
	return rt_leave(cudaSuccess);
}

/* ---- graphs ---- */

static void graph_drop(struct rt_graph *g)
{
	if (!g || --g->holders)
		return;
	while (g->first) {
		struct node *n = g->first;
		g->first = n->next;
		free(n->args);
		free(n);
	}
	free(g);
}

static cudaError_t append(struct rt_graph *g, const struct node *n)
{
	struct node *copy = malloc(sizeof(*copy));

	if (!copy) {
		free(n->args);
		return cudaErrorMemoryAllocation;
	}
	*copy = *n;
	copy->next = NULL;
	*g->end = copy;
	g->end = &copy->next;
	g->n++;
	return cudaSuccess;
}

cudaError_t rt_capture_launch(struct rt_graph *g, const struct rt_launch *l, void *const *args)
{
	const struct ptx_kernel *k = l->f->kernel;
	const uint32_t n = ptx_nparams(k);
	struct node node = {.kind = NODE_LAUNCH, .launch = *l};
	size_t bytes = n * sizeof(void *);
	char *at;

	for (uint32_t i = 0; i < n; i++)
		bytes += ptx_param_bytes(k, i);
	node.args = malloc(bytes + 1);
	if (!node.args)
		return cudaErrorMemoryAllocation;
	at = (char *)(node.args + n);
	for (uint32_t i = 0; i < n; i++) {
		node.args[i] = memcpy(at, args[i], ptx_param_bytes(k, i));
		at += ptx_param_bytes(k, i);
	}
	return append(g, &node);
}

cudaError_t rt_capture_copy(struct rt_graph *g, void *dst, size_t dpitch, const void *src,
	size_t spitch, size_t width, size_t height, enum cudaMemcpyKind kind)
{
	return append(g, &(struct node){.kind = NODE_COPY,
				 .dst = dst,
				 .dpitch = dpitch,
				 .src = src,
				 .spitch = spitch,
				 .width = width,
				 .height = height,
				 .value = (int)kind});
}

cudaError_t rt_capture_set(
	struct rt_graph *g, void *p, size_t pitch, int value, size_t width, size_t height)
{
	return append(g, &(struct node){.kind = NODE_SET,
				 .dst = p,
				 .dpitch = pitch,
				 .width = width,
				 .height = height,
				 .value = value});
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t fn, void *user)
{
	RT_ENTER();
	struct rt_graph *g = rt_capturing(stream);
	if (!fn || !rt_stream_known(stream))
		return rt_leave(fn ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue);
	if (g)
		return rt_leave(
			append(g, &(struct node){.kind = NODE_HOST, .fn = fn, .user = user}));
	fn(user);
	return rt_leave(cudaSuccess);
}

cudaError_t cudaStreamAddCallback(
	cudaStream_t stream, cudaStreamCallback_t callback, void *user, unsigned int flags)
{
	RT_ENTER();
	if (!callback || flags || !rt_stream_known(stream))
		return rt_leave(cudaErrorInvalidValue);
	callback(stream, cudaSuccess, user);
	return rt_leave(cudaSuccess);
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
	(void)mode;
	RT_ENTER();
	struct CUstream_st *s = stream_of(stream);
	if (!s)
		return rt_leave(rt_stream_known(stream) ? cudaErrorStreamCaptureUnsupported
							: cudaErrorInvalidResourceHandle);
	if (s->capturing)
		return rt_leave(cudaErrorIllegalState);
	s->capturing = s->own = calloc(1, sizeof(*s->own));
	if (!s->own)
		return rt_leave(cudaErrorMemoryAllocation);
	s->own->end = &s->own->first;
	s->own->holders = 1;
	return rt_leave(cudaSuccess);
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph)
{
	RT_ENTER();
	struct CUstream_st *s = stream_of(stream);
	if (!s || !s->own)
		return rt_leave(s && s->capturing ? cudaErrorStreamCaptureUnmatched
						  : cudaErrorIllegalState);
	*graph = (cudaGraph_t)s->own;
	for (struct CUstream_st *other = streams; other; other = other->next)
		if (other->capturing == s->own)
			other->capturing = NULL;
	for (struct CUevent_st *e = events; e; e = e->next)
		if (e->capturing == s->own)
			e->capturing = NULL;
	s->capturing = s->own = NULL;
	return rt_leave(cudaSuccess);
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status)
{
	RT_ENTER();
	*status =
		rt_capturing(stream) ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
	return rt_leave(rt_stream_known(stream) ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph,
	cudaGraphNode_t *error_node, char *log, size_t log_bytes)
{
	/* Of CUDA 12 on the third argument is flags and there is no log: neither is written. */
	(void)error_node, (void)log, (void)log_bytes;
	RT_ENTER();
	struct rt_graph *g = (struct rt_graph *)graph;
	if (!g || !exec)
		return rt_leave(cudaErrorInvalidValue);
	g->holders++;
	*exec = (cudaGraphExec_t)g;
	return rt_leave(cudaSuccess);
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream)
{
	cudaError_t e = cudaSuccess;
	RT_ENTER();
	const struct rt_graph *g = (struct rt_graph *)exec;
	if (!g || !rt_stream_known(stream))
		return rt_leave(cudaErrorInvalidValue);
	for (const struct node *n = g->first; n && !e; n = n->next)
		switch (n->kind) {
		case NODE_LAUNCH:
			e = rt_launch(&n->launch, n->args);
			break;
		case NODE_COPY:
			e = rt_copy(n->dst, n->dpitch, n->src, n->spitch, n->width, n->height,
				(enum cudaMemcpyKind)n->value);
			break;
		case NODE_SET:
			e = rt_set(n->dst, n->dpitch, n->value, n->width, n->height);
			break;
		case NODE_HOST:
			n->fn(n->user);
			break;
		}
	return rt_leave(e);
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *n)
{
	RT_ENTER();
	if (!graph || !n || nodes)
		return rt_leave(nodes ? cudaErrorNotSupported : cudaErrorInvalidValue);
	*n = ((struct rt_graph *)graph)->n;
	return rt_leave(cudaSuccess);
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
	RT_ENTER();
	if (!graph)
		return rt_leave(cudaErrorInvalidValue);
	graph_drop((struct rt_graph *)graph);
	return rt_leave(cudaSuccess);
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec)
{
	RT_ENTER();
	if (!exec)
		return rt_leave(cudaErrorInvalidValue);
	graph_drop((struct rt_graph *)exec);
	return rt_leave(cudaSuccess);
}
