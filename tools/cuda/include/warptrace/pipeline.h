/*
 * cuda::pipeline: stages of copies that some threads make and some wait for. A thread's own one are
 * the groups of cp.async; one that threads share has two barriers a stage, for what has come and for
 * what is used up. After the documentation of libcu++, "cuda::pipeline".
 */
#ifndef WT_PIPELINE_H
#define WT_PIPELINE_H

#include "../cuda_pipeline_primitives.h"
#include "barrier.h"

#if defined(__cplusplus) && defined(__CUDA__)

namespace cuda {

enum class pipeline_role { producer, consumer };

template <thread_scope Scope, unsigned char Stages> struct pipeline_shared_state {
	barrier<Scope> full[Stages], empty[Stages];
	unsigned producers;
	pipeline_shared_state() = default;
	pipeline_shared_state(const pipeline_shared_state &) = delete;
};

template <thread_scope Scope> class pipeline {
	barrier<Scope> *full, *empty;
	unsigned stages;
	/* Stages entered and left, as many as there have been. */
	unsigned head, tail;
	bool produces, consumes;

public:
	template <unsigned char Stages>
	WT_CUDA pipeline(pipeline_shared_state<Scope, Stages> *s, bool in, bool out)
		: full(s->full), empty(s->empty), stages(Stages), head(0), tail(0), produces(in),
		  consumes(out)
	{
	}
	pipeline(const pipeline &) = delete;
	pipeline(pipeline &&) = default;
	WT_CUDA void producer_acquire()
	{
		if (produces && head >= stages)
			empty[head % stages].wait_parity((head / stages - 1) & 1);
	}
	WT_CUDA void producer_commit()
	{
		if (produces)
			full[head++ % stages].wt_copies_arrive();
	}
	WT_CUDA void consumer_wait()
	{
		if (consumes)
			full[tail % stages].wait_parity(tail / stages & 1);
	}
	WT_CUDA void consumer_release()
	{
		if (consumes)
			(void)empty[tail++ % stages].arrive();
	}
	WT_CUDA bool quit()
	{
		for (unsigned i = 0; i < stages; i++) {
			if (produces)
				full[i].arrive_and_drop();
			if (consumes)
				empty[i].arrive_and_drop();
		}
		produces = consumes = false;
		return true;
	}
	WT_CUDA void wt_copies_bound() {}
};

template <> class pipeline<thread_scope_thread> {
	unsigned head = 0, tail = 0;

public:
	WT_CUDA pipeline() {}
	pipeline(const pipeline &) = delete;
	pipeline(pipeline &&) = default;
	WT_CUDA void producer_acquire() {}
	WT_CUDA void producer_commit()
	{
		__pipeline_commit();
		head++;
	}
	WT_CUDA void consumer_wait()
	{
		__pipeline_wait_prior(head > tail ? head - tail - 1 : 0);
	}
	WT_CUDA void consumer_release() { tail++; }
	WT_CUDA bool quit() { return true; }
	WT_CUDA void wt_copies_bound() {}
};

WT_CUDA pipeline<thread_scope_thread> make_pipeline()
{
	return pipeline<thread_scope_thread>();
}

/* All of the group come here; `producers`: how many of its threads are. */
template <class Group, thread_scope Scope, unsigned char Stages>
WT_CUDA void wt_pipeline_init(const Group &group, pipeline_shared_state<Scope, Stages> *s,
	unsigned producers, unsigned consumers)
{
	if (group.thread_rank() == 0)
		for (unsigned i = 0; i < Stages; i++) {
			init(&s->full[i], producers);
			init(&s->empty[i], consumers);
		}
	group.sync();
}

/* Every thread is both. */
template <class Group, thread_scope Scope, unsigned char Stages>
WT_CUDA pipeline<Scope> make_pipeline(const Group &group, pipeline_shared_state<Scope, Stages> *s)
{
	wt_pipeline_init(group, s, group.size(), group.size());
	return pipeline<Scope>(s, true, true);
}

/* The first `producers` threads are producers, the others consumers. */
template <class Group, thread_scope Scope, unsigned char Stages>
WT_CUDA pipeline<Scope> make_pipeline(
	const Group &group, pipeline_shared_state<Scope, Stages> *s, size_t producers)
{
	const bool in = group.thread_rank() < producers;
	wt_pipeline_init(group, s, (unsigned)producers, group.size() - (unsigned)producers);
	return pipeline<Scope>(s, in, !in);
}

/* Each thread is what it says. */
template <class Group, thread_scope Scope, unsigned char Stages>
WT_CUDA pipeline<Scope> make_pipeline(
	const Group &group, pipeline_shared_state<Scope, Stages> *s, pipeline_role role)
{
	const bool in = role == pipeline_role::producer;
	if (group.thread_rank() == 0)
		s->producers = 0;
	group.sync();
	if (in)
		atomicAdd(&s->producers, 1u);
	group.sync();
	wt_pipeline_init(group, s, s->producers, group.size() - s->producers);
	return pipeline<Scope>(s, in, !in);
}

/* Until all but the last Count commits of the thread are done. */
template <unsigned char Count> WT_CUDA void pipeline_consumer_wait_prior(pipeline<thread_scope_thread> &)
{
	__pipeline_wait_prior(Count);
}

/* The barrier is arrived at when the thread's copies are there. */
template <thread_scope Scope>
WT_CUDA void pipeline_producer_commit(pipeline<thread_scope_thread> &, barrier<Scope> &b)
{
	b.wt_copies_bound();
}

#define WT_PIPELINE pipeline<Scope>
WT_COPY(T, alignof(T), size_t, WT_PIPELINE, class T, thread_scope Scope)
WT_COPY(T, Count, aligned_size_t<Count>, WT_PIPELINE, class T, size_t Count, thread_scope Scope)
WT_COPY(void, 1, size_t, WT_PIPELINE, thread_scope Scope)
WT_COPY(void, Count, aligned_size_t<Count>, WT_PIPELINE, size_t Count, thread_scope Scope)
#undef WT_PIPELINE

}

#endif

#endif
