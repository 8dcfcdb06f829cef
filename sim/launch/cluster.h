/*
 * Where clusters of CTAs go: all CTAs of one at once, to SMs of one GPC. A cluster is placed when
 * a GPC has room for all of it. GPCs take turns; in a GPC its CTAs go to one SM after the other,
 * in the order of their ranks, beginning after the one that got a CTA last, and round again as
 * long as SMs have room.
 */
#ifndef SIM_LAUNCH_CLUSTER_H
#define SIM_LAUNCH_CLUSTER_H

#include "sim/sm/sm.h"

struct sim_gpcs {
	const struct sim_config *config;
	struct sim_sm **sms;
	uint32_t turn;                /* the GPC that is asked first */
	uint32_t next[64];            /* by GPC: the SM that is asked first, at least */
	struct sim_cluster *clusters; /* as many as SMs hold CTAs */
	uint32_t n, hint;             /* hint: where a free one may be */
};

/* The config and the SMs stay the caller's. 1 or TR_E*. */
int sim_gpcs_init(struct sim_gpcs *g, const struct sim_config *config, struct sim_sm **sms,
	struct tr_err *err);
void sim_gpcs_free(struct sim_gpcs *g);

/* The SMs know the launch `l`, their grid: can its clusters be? 1, or TR_EUSAGE. */
int sim_gpcs_check(
	const struct sim_gpcs *g, const struct tr_launch *l, uint32_t grid, struct tr_err *err);
/* Has GPC number i of those in turn room for n CTAs of a grid? Then sm[rank] says where. */
int sim_gpcs_room(
	struct sim_gpcs *g, uint32_t i, uint32_t grid, uint32_t n, uint64_t now, uint16_t *sm);
/* A cluster of n CTAs of so many threads goes there. Of one CTA: wherever its SM is. */
struct sim_cluster *sim_gpcs_place(
	struct sim_gpcs *g, uint32_t n, uint32_t threads, const uint16_t *sm);

#endif
