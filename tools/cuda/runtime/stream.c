/*
 * Streams, events and the capture of streams. Work is done when it is asked for, so a stream is a
 * name, an event a time, and waiting is nothing. Time is what the device has executed so far
 * (rt_time), so that a program that prints it prints the same each time. graph.c has what a stream
 * was told while it was captured.
 */
#include "rt.h"
#include <stdlib.h>
#include <string.h>

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

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
	RT_ENTER();
	struct CUstream_st **at = &streams, *s = stream ? stream_of(stream) : NULL;
	if (!s)
		return rt_leave(cudaErrorInvalidResourceHandle);
	while (*at != s)
		at = &(*at)->next;
	*at = s->next;
	rt_graph_drop(s->own);
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

/* ---- capture ---- */

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t fn, void *user)
{
	RT_ENTER();
	struct rt_graph *g = rt_capturing(stream);
	if (!fn || !rt_stream_known(stream))
		return rt_leave(fn ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue);
	if (g)
		return rt_leave(rt_capture_host(g, fn, user));
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
	s->capturing = s->own = rt_graph_new();
	return rt_leave(s->own ? cudaSuccess : cudaErrorMemoryAllocation);
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
