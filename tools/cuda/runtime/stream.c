/*
 * Streams, events and the capture of streams. Work is done when it is asked for, so a stream is a
 * name, an event a time, and waiting is nothing. Time is what the device has executed so far
 * (rt_time), so that a program that prints it prints the same each time. graph.c has what a stream
 * was told while it was captured.
 */
#include "graph.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct CUstream_st {
	struct CUstream_st *next, **link;
	unsigned flags;
	int priority;
	uint64_t number;
	cudaLaunchAttributeValue window, policy; /* attributes that are kept for who asks */
	struct rt_graph *capturing, *own;        /* own: the capture began here */
	bool given;                              /* it goes on with a graph of the program's */
	struct rt_tail tail;                     /* what its next captured call waits for */
	uint64_t capture;                        /* the number of the capture */
};

struct CUevent_st {
	struct CUevent_st *next, **link;
	unsigned flags;
	bool recorded;
	double time;
	struct rt_graph *capturing;
	struct rt_tail tail;
};

static struct CUstream_st *streams;
static struct CUevent_st *events;
static struct rt_map known_streams, known_events;
static uint64_t nstreams = 3, ncaptures;
static __thread struct CUstream_st of_thread = {.number = 2};

static struct CUstream_st *stream_of(cudaStream_t s)
{
	return s == cudaStreamPerThread ? &of_thread : rt_map_get(&known_streams, s);
}

static struct CUevent_st *event_of(cudaEvent_t e)
{
	return rt_map_get(&known_events, e);
}

bool rt_stream_known(cudaStream_t s)
{
	return !s || s == cudaStreamLegacy || stream_of(s);
}

struct rt_graph *rt_capturing(cudaStream_t s)
{
	struct CUstream_st *at = s ? stream_of(s) : NULL;

	if (!at || !at->capturing)
		return NULL;
	/* The end of a capture does not reach the streams that threads have of their own. */
	if (!rt_graph_of((cudaGraph_t)at->capturing) || at->capturing->capture != at->capture) {
		at->capturing = NULL;
		rt_tail_free(&at->tail);
		return NULL;
	}
	at->capturing->tail = &at->tail;
	return at->capturing;
}

/* ---- host functions ---- */

/*
 * They run when they are asked for, as all work does, but without the lock, so other threads go on
 * meanwhile. What these give a stream that comes behind such a function waits until it has
 * returned.
 */
struct running {
	struct running *next;
	const struct CUstream_st *stream; /* NULL: the legacy one */
	pthread_t thread;
};
static struct running *running;

static const struct CUstream_st *or_legacy(cudaStream_t s)
{
	return s && s != cudaStreamLegacy ? stream_of(s) : NULL;
}

/* Does what comes later in one of them wait for what is in the other? */
static bool ordered(const struct CUstream_st *a, const struct CUstream_st *b)
{
	return a == b || (!a && !(b->flags & cudaStreamNonBlocking)) ||
	       (!b && !(a->flags & cudaStreamNonBlocking));
}

void rt_host_function(cudaStream_t stream, void (*fn)(void *user), void *user)
{
	struct running own = {running, or_legacy(stream), pthread_self()}, **at = &running;

	running = &own;
	rt_call(fn, user);
	while (*at != &own)
		at = &(*at)->next;
	*at = own.next;
}

bool rt_turn_is_others(cudaStream_t stream)
{
	for (const struct running *r = running; r; r = r->next)
		if (!pthread_equal(r->thread, pthread_self()) &&
			ordered(r->stream, or_legacy(stream)))
			return true;
	return false;
}

void rt_turn(cudaStream_t stream)
{
	while (rt_turn_is_others(stream))
		rt_wait();
}

void rt_turn_of_all(void)
{
	const struct running *r = running;

	while (r) {
		for (r = running; r && pthread_equal(r->thread, pthread_self());)
			r = r->next;
		if (r)
			rt_wait();
	}
}

static void leave_capture(struct CUstream_st *s, const struct rt_graph *g)
{
	if (s->own == g)
		s->own = NULL;
	if (s->capturing != g)
		return;
	s->capturing = NULL;
	rt_tail_free(&s->tail);
}

void rt_capture_end(struct rt_graph *g)
{
	g->capture = 0;
	leave_capture(&of_thread, g);
	for (struct CUstream_st *s = streams; s; s = s->next)
		leave_capture(s, g);
	for (struct CUevent_st *e = events; e; e = e->next)
		if (e->capturing == g) {
			e->capturing = NULL;
			rt_tail_free(&e->tail);
		}
}

/* The graph of the capture that began in the stream, unless it ended with a graph around it. */
static struct rt_graph *begun_in(const struct CUstream_st *s)
{
	struct rt_graph *g = rt_graph_of((cudaGraph_t)s->own);

	return g && g->capture == s->capture ? g : NULL;
}

/* ---- streams ---- */

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned int flags, int priority)
{
	RT_ENTER();
	if (!stream || flags > cudaStreamNonBlocking)
		return rt_leave(cudaErrorInvalidValue);
	struct CUstream_st *s = calloc(1, sizeof(*s));
	if (!s || !rt_map_put(&known_streams, s, s)) {
		free(s);
		return rt_leave(cudaErrorMemoryAllocation);
	}
	s->flags = flags;
	s->priority = priority > 0 ? 0 : priority < -1 ? -1 : priority; /* the device's range */
	s->number = nstreams++;
	s->next = streams;
	s->link = &streams;
	if (s->next)
		s->next->link = &s->next;
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

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
	RT_ENTER();
	if (rt_stream_known(stream))
		rt_turn(stream);
	struct CUstream_st *s = rt_map_get(&known_streams, stream);
	if (!s)
		return rt_leave(cudaErrorInvalidResourceHandle);
	struct rt_graph *g = begun_in(s);
	if (g)
		rt_capture_end(g);
	if (!s->given)
		rt_graph_drop(g);
	*s->link = s->next;
	if (s->next)
		s->next->link = s->link;
	rt_map_drop(&known_streams, s);
	rt_tail_free(&s->tail);
	free(s);
	return rt_leave(cudaSuccess);
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
	RT_ENTER();
	if (!rt_stream_known(stream))
		return rt_leave(cudaErrorInvalidResourceHandle);
	if (rt_capturing(stream))
		return rt_leave(cudaErrorStreamCaptureUnsupported);
	rt_turn(stream);
	return rt_leave(rt.sticky);
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
	RT_ENTER();
	if (!rt_stream_known(stream))
		return rt_leave(cudaErrorInvalidResourceHandle);
	if (rt_capturing(stream))
		return rt_leave(cudaErrorStreamCaptureUnsupported);
	return rt_leave(rt_turn_is_others(stream) ? cudaErrorNotReady : cudaSuccess);
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority)
{
	RT_ENTER();
	RT_WANT(priority);
	const struct CUstream_st *s = stream_of(stream);
	*priority = s ? s->priority : 0;
	return rt_leave(rt_stream_known(stream) ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned int *flags)
{
	RT_ENTER();
	RT_WANT(flags);
	const struct CUstream_st *s = stream_of(stream);
	*flags = s ? s->flags : 0;
	return rt_leave(rt_stream_known(stream) ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long *id)
{
	RT_ENTER();
	RT_WANT(id);
	const struct CUstream_st *s = stream_of(stream);
	*id = s ? s->number : 1;
	return rt_leave(rt_stream_known(stream) ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaStreamGetDevice(cudaStream_t stream, int *device)
{
	RT_ENTER();
	RT_WANT(device);
	*device = 0;
	return rt_leave(rt_stream_known(stream) ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

/* Kept and given back: neither changes what runs. NULL: no attribute of a stream. */
static cudaLaunchAttributeValue *attribute_of(
	struct CUstream_st *s, enum cudaLaunchAttributeID attr)
{
	return attr == cudaLaunchAttributeAccessPolicyWindow      ? &s->window
	       : attr == cudaLaunchAttributeSynchronizationPolicy ? &s->policy
								  : NULL;
}

static struct CUstream_st legacy = {.number = 1};

cudaError_t cudaStreamSetAttribute(
	cudaStream_t stream, enum cudaLaunchAttributeID attr, const cudaLaunchAttributeValue *value)
{
	RT_ENTER();
	struct CUstream_st *s = stream_of(stream);
	cudaLaunchAttributeValue *at = attribute_of(s ? s : &legacy, attr);
	if (!rt_stream_known(stream) || !at || !value)
		return rt_leave(
			at && value ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue);
	*at = *value;
	return rt_leave(cudaSuccess);
}

cudaError_t cudaStreamGetAttribute(
	cudaStream_t stream, enum cudaLaunchAttributeID attr, cudaLaunchAttributeValue *value)
{
	RT_ENTER();
	struct CUstream_st *s = stream_of(stream);
	const cudaLaunchAttributeValue *at = attribute_of(s ? s : &legacy, attr);
	if (!rt_stream_known(stream) || !at || !value)
		return rt_leave(
			at && value ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue);
	*value = *at;
	return rt_leave(cudaSuccess);
}

cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from)
{
	RT_ENTER();
	struct CUstream_st *a = stream_of(to), *b = stream_of(from);
	if (!rt_stream_known(to) || !rt_stream_known(from))
		return rt_leave(cudaErrorInvalidResourceHandle);
	a = a ? a : &legacy;
	b = b ? b : &legacy;
	a->window = b->window;
	a->policy = b->policy;
	return rt_leave(cudaSuccess);
}

/* ---- events ---- */

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags)
{
	RT_ENTER();
	if (!event || flags > 7)
		return rt_leave(cudaErrorInvalidValue);
	struct CUevent_st *e = calloc(1, sizeof(*e));
	if (!e || !rt_map_put(&known_events, e, e)) {
		free(e);
		return rt_leave(cudaErrorMemoryAllocation);
	}
	e->flags = flags;
	e->next = events;
	e->link = &events;
	if (e->next)
		e->next->link = &e->next;
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
	struct CUevent_st *e = event_of(event);
	if (!e)
		return rt_leave(cudaErrorInvalidResourceHandle);
	*e->link = e->next;
	if (e->next)
		e->next->link = e->link;
	rt_map_drop(&known_events, e);
	rt_tail_free(&e->tail);
	free(e);
	return rt_leave(cudaSuccess);
}

/* In a captured stream it marks a place of the capture, unless it is to be a node of the graph. */
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int flags)
{
	RT_ENTER();
	if (rt_stream_known(stream))
		rt_turn(stream);
	struct CUevent_st *e = event_of(event);
	struct rt_graph *g = rt_capturing(stream);
	if (!e || !rt_stream_known(stream))
		return rt_leave(cudaErrorInvalidResourceHandle);
	if (flags > cudaEventRecordExternal)
		return rt_leave(cudaErrorInvalidValue);
	if (g && flags)
		return rt_leave(rt_capture_event(g, event));
	rt_tail_free(&e->tail);
	e->capturing = g;
	e->recorded = !g;
	e->time = rt_time();
	return rt_leave(g ? rt_tail_join(&e->tail, g->tail) : cudaSuccess);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
	return cudaEventRecordWithFlags(event, stream, cudaEventRecordDefault);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
	RT_ENTER();
	const struct CUevent_st *e = event_of(event);
	return rt_leave(!e             ? cudaErrorInvalidResourceHandle
			: e->capturing ? cudaErrorCapturedEvent
				       : cudaSuccess);
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
	return cudaEventSynchronize(event);
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t from, cudaEvent_t to)
{
	RT_ENTER();
	const struct CUevent_st *a = event_of(from), *b = event_of(to);
	if (!ms)
		return rt_leave(cudaErrorInvalidValue);
	if (!a || !b || !a->recorded || !b->recorded ||
		((a->flags | b->flags) & cudaEventDisableTiming))
		return rt_leave(a && b && (a->capturing || b->capturing)
					? cudaErrorCapturedEvent
					: cudaErrorInvalidResourceHandle);
	*ms = (float)(b->time - a->time);
	return rt_leave(cudaSuccess);
}

/* What waits for an event of a captured stream is captured with it. */
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags)
{
	RT_ENTER();
	struct CUevent_st *e = event_of(event);
	struct CUstream_st *s = stream_of(stream);
	if (!e || !rt_stream_known(stream))
		return rt_leave(cudaErrorInvalidResourceHandle);
	if (flags > cudaEventWaitExternal)
		return rt_leave(cudaErrorInvalidValue);
	if (!s || !e->capturing || flags)
		return rt_leave(cudaSuccess);
	if (rt_capturing(stream) && s->capturing != e->capturing)
		return rt_leave(cudaErrorStreamCaptureMerge);
	s->capturing = e->capturing;
	s->capture = e->capturing->capture;
	return rt_leave(rt_tail_join(&s->tail, &e->tail));
}

/* ---- capture ---- */

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t fn, void *user)
{
	RT_ENTER();
	struct rt_graph *g = rt_capturing(stream);
	if (!fn || !rt_stream_known(stream))
		return rt_leave(fn ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue);
	if (g)
		return rt_leave(rt_capture_host(g, fn, user));
	rt_turn(stream);
	rt_host_function(stream, fn, user);
	return rt_leave(cudaSuccess);
}

struct callback {
	cudaStreamCallback_t fn;
	cudaStream_t stream;
	void *user;
};

static void call_back(void *of)
{
	const struct callback *c = of;

	c->fn(c->stream, cudaSuccess, c->user);
}

cudaError_t cudaStreamAddCallback(
	cudaStream_t stream, cudaStreamCallback_t callback, void *user, unsigned int flags)
{
	RT_ENTER();
	if (!callback || flags || !rt_stream_known(stream))
		return rt_leave(cudaErrorInvalidValue);
	if (rt_capturing(stream))
		return rt_leave(cudaErrorStreamCaptureUnsupported);
	struct callback c = {callback, stream, user};
	rt_turn(stream);
	rt_host_function(stream, call_back, &c);
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
	if (rt_capturing(stream))
		return rt_leave(cudaErrorIllegalState);
	s->capturing = s->own = rt_graph_new();
	s->given = false;
	if (!s->own)
		return rt_leave(cudaErrorMemoryAllocation);
	s->capture = s->own->capture = ++ncaptures;
	return rt_leave(cudaSuccess);
}

/* The calls become nodes of a graph that is there, behind some of its nodes. */
cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
	const cudaGraphNode_t *before, const cudaGraphEdgeData *edges, size_t n,
	enum cudaStreamCaptureMode mode)
{
	(void)edges, (void)mode;
	RT_ENTER();
	struct CUstream_st *s = stream_of(stream);
	struct rt_graph *g = rt_graph_of(graph);
	const struct rt_tail behind = {(cudaGraphNode_t *)(uintptr_t)before, n};
	if (!s)
		return rt_leave(rt_stream_known(stream) ? cudaErrorStreamCaptureUnsupported
							: cudaErrorInvalidResourceHandle);
	if (!g || g->capture || (n && !before))
		return rt_leave(cudaErrorInvalidValue);
	for (size_t i = 0; i < n; i++)
		if (!rt_graph_has(g, before[i]))
			return rt_leave(cudaErrorInvalidValue);
	if (rt_capturing(stream))
		return rt_leave(cudaErrorIllegalState);
	s->capturing = s->own = g;
	s->given = true;
	s->capture = g->capture = ++ncaptures;
	return rt_leave(rt_tail_join(&s->tail, &behind));
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph)
{
	RT_ENTER();
	struct CUstream_st *s = stream_of(stream);
	if (!graph)
		return rt_leave(cudaErrorInvalidValue);
	*graph = NULL;
	struct rt_graph *g = s ? begun_in(s) : NULL;
	if (!g)
		return rt_leave(rt_capturing(stream) ? cudaErrorStreamCaptureUnmatched
						     : cudaErrorIllegalState);
	const bool joined = s->given || rt_graph_joined(g, &s->tail);
	rt_capture_end(g);
	if (joined)
		*graph = (cudaGraph_t)g;
	else if (!s->given)
		rt_graph_drop(g);
	return rt_leave(joined ? cudaSuccess : cudaErrorStreamCaptureUnjoined);
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status)
{
	RT_ENTER();
	if (!status)
		return rt_leave(cudaErrorInvalidValue);
	*status =
		rt_capturing(stream) ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
	return rt_leave(rt_stream_known(stream) ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

cudaError_t rt_capture_info(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
	unsigned long long *id, cudaGraph_t *graph, const cudaGraphNode_t **last, size_t *n)
{
	RT_ENTER();
	const struct rt_graph *g = rt_capturing(stream);
	const struct CUstream_st *s = stream_of(stream);
	if (!status || !rt_stream_known(stream))
		return rt_leave(status ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue);
	*status = g ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
	if (id)
		*id = g ? s->capture : 0;
	if (graph)
		*graph = (cudaGraph_t)(uintptr_t)g;
	if (last)
		*last = g ? s->tail.v : NULL;
	if (n)
		*n = g ? s->tail.n : 0;
	return rt_leave(cudaSuccess);
}

cudaError_t rt_capture_dependencies(
	cudaStream_t stream, cudaGraphNode_t *nodes, size_t n, unsigned int flags)
{
	RT_ENTER();
	const struct rt_graph *g = rt_capturing(stream);
	const struct rt_tail given = {nodes, n};
	if (!g || flags > cudaStreamSetCaptureDependencies)
		return rt_leave(g ? cudaErrorInvalidValue : cudaErrorIllegalState);
	for (size_t i = 0; i < n; i++)
		if (!rt_graph_has(g, nodes[i]))
			return rt_leave(cudaErrorInvalidValue);
	for (size_t i = 0; i < g->tail->n && flags == cudaStreamSetCaptureDependencies; i++)
		g->tail->v[i]->must_join = false;
	if (flags == cudaStreamSetCaptureDependencies)
		g->tail->n = 0;
	return rt_leave(rt_tail_join(g->tail, &given));
}

/* What a capture forbids other threads: nothing here, where all is done in order. */
cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode)
{
	static __thread enum cudaStreamCaptureMode now;
	RT_ASK();
	if (!mode || (unsigned)*mode > cudaStreamCaptureModeRelaxed)
		return rt_leave(cudaErrorInvalidValue);
	const enum cudaStreamCaptureMode before = now;
	now = *mode;
	*mode = before;
	return rt_leave(cudaSuccess);
}
