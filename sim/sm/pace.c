/* Lanes that share a cursor into their records; see pace.h. */
#include "sim/sm/pace.h"

#define SHORT 8 /* reads in common that a try has to be worth */
#define PATIENCE 32

/* It was not worth the try: the next ones are left out, ever more of them. */
static void lose_patience(struct sim_pace *p)
{
	p->patience = p->patience ? (uint8_t)(2 * p->patience) : 1;
	if (p->patience > PATIENCE)
		p->patience = PATIENCE;
	p->skip = p->patience;
}

void sim_pace_try(struct sim_pace *p, const struct sim_warp *w, const struct sim_thread *threads)
{
	const uint32_t lanes = (uint32_t)w->lanes.w[0];
	const uint32_t low = (uint32_t)__builtin_ctz(lanes), first = w->thread[low] - low;
	const struct sim_thread *lead = &threads[w->thread[low]];
	uint32_t outcomes = lead->outcomes, values = lead->values;

	if (p->skip) {
		p->skip--;
		return;
	}
	if (lead->stride == 1) {
		lose_patience(p);
		return;
	}
	for (uint32_t m = lanes & (lanes - 1); m; m &= m - 1) {
		const uint32_t lane = (uint32_t)__builtin_ctz(m);
		const struct sim_thread *t = &threads[w->thread[lane]];

		if (w->thread[lane] != first + lane || t->outcome != lead->outcome + (lane - low) ||
			t->value != lead->value + (lane - low)) {
			lose_patience(p);
			return;
		}
		outcomes = t->outcomes < outcomes ? t->outcomes : outcomes;
		values = t->values < values ? t->values : values;
	}
	*p = (struct sim_pace){.lanes = lanes,
		.n = (uint8_t)(32 - __builtin_clz(lanes)),
		.first = first,
		.stride = lead->stride,
		.outcome = lead->outcome - low,
		.value = lead->value - low,
		.outcomes = outcomes,
		.values = values,
		.mul = 1,
		.patience = p->patience};
}

void sim_pace_end(struct sim_pace *p, struct sim_thread *threads)
{
	for (uint32_t m = p->lanes; m; m &= m - 1) {
		struct sim_thread *t = &threads[p->first + (uint32_t)__builtin_ctz(m)];

		t->outcome += (size_t)p->outcomes_read * p->stride;
		t->value += (size_t)p->values_read * p->stride;
		t->outcomes -= p->outcomes_read;
		t->values -= p->values_read;
		t->path = t->path * p->mul + p->add;
	}
	p->lanes = 0;
	if (p->outcomes_read + p->values_read < SHORT)
		lose_patience(p);
	else
		p->patience = 0;
}
