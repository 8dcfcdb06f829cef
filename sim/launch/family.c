/* Families of launches from a source. */
#include "sim/launch/family.h"
#include <stdlib.h>

int sim_family_start(struct sim_family *f, struct tr_err *err)
{
	f->kernels = calloc(1, sizeof(*f->kernels));
	if (!f->kernels)
		return tr_fail(err, TR_EMEM, 0, "no memory for the replay");
	return sim_family_pass(f, 0, err);
}

void sim_family_free(struct sim_family *f)
{
	free(f->kernels);
	f->kernels = NULL;
}

int sim_family_next(struct sim_family *f, struct tr_err *err)
{
	const struct sim_source *from = f->from;
	int rc = 1;

	if (f->event != TR_LAUNCH)
		return 0;
	/* The source's launch changes when it meets the next one: keep what is asked for later. */
	f->kernels[0] = (struct sim_kernel){
		.launch = *from->launch(from->arg), .program = from->program(from->arg)};
	f->kernels[0].launch.nallocs = f->kernels[0].launch.ncopies = 0;
	f->kernels[0].launch.allocs = NULL;
	f->kernels[0].launch.copies = NULL;
	f->n = 1;
	if (f->begins)
		rc = f->begins(f->arg, from->launch(from->arg), f->kernels[0].program);
	return rc < 0 ? rc : sim_family_pass(f, 0, err);
}

int sim_family_has(const struct sim_family *f, uint32_t kernel)
{
	(void)kernel;
	return f->event == TR_CTA;
}

const struct tr_cta *sim_family_cta(struct sim_family *f, uint32_t kernel, struct tr_err *err)
{
	(void)kernel;
	return f->from->cta(f->from->arg, err);
}

int sim_family_pass(struct sim_family *f, uint32_t kernel, struct tr_err *err)
{
	(void)kernel;
	f->event = f->from->next(f->from->arg, err);
	return f->event < 0 ? f->event : 1;
}
