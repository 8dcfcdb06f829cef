/* Clusters of CTAs on GPCs; see cluster.h. */
#include "sim/launch/cluster.h"
#include <stdlib.h>
#include <string.h>

int sim_gpcs_init(struct sim_gpcs *g, const struct sim_config *config, struct sim_sm **sms,
	struct tr_err *err)
{
	*g = (struct sim_gpcs){.config = config, .sms = sms, .n = config->sm.sms * config->sm.ctas};
	g->clusters = calloc(g->n, sizeof(*g->clusters));
	return g->clusters ? 1 : tr_fail(err, TR_EMEM, 0, "no memory for clusters of CTAs");
}

void sim_gpcs_free(struct sim_gpcs *g)
{
	free(g->clusters);
	g->clusters = NULL;
}

static uint32_t sms_of(const struct sim_config *c, uint32_t gpc)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < c->sm.sms; i++)
		n += sim_gpc_of(c, i) == gpc;
	return n;
}

int sim_gpcs_check(
	const struct sim_gpcs *g, const struct tr_launch *l, uint32_t grid, struct tr_err *err)
{
	const uint32_t n = tr_launch_cluster_ctas(l), holds = sim_sm_holds(g->sms[0], grid);
	uint32_t most = 0;

	if (n == 1)
		return 1;
	if (!g->config->sm.gpcs)
		return tr_fail(err, TR_EUSAGE, 0,
			"launch %u has clusters of %u CTAs, which the machine does not know: it "
			"has no "
			"GPCs (sm.gpcs)",
			l->number, n);
	for (uint32_t i = 0; i < g->config->sm.gpcs; i++)
		most = sms_of(g->config, i) > most ? sms_of(g->config, i) : most;
	if ((uint64_t)holds * most >= n)
		return 1;
	return tr_fail(err, TR_EUSAGE, 0,
		"a cluster of launch %u fits no GPC: %u CTAs, of which an SM holds %u; the largest "
		"GPC "
		"has %u SMs (sm.gpcs, sm.tpc, sm.sms)",
		l->number, n, holds, most);
}

int sim_gpcs_room(
	struct sim_gpcs *g, uint32_t i, uint32_t grid, uint32_t n, uint64_t now, uint16_t *sm)
{
	const struct sim_config *c = g->config;
	const uint32_t gpc = (g->turn + i) % c->sm.gpcs, nsms = c->sm.sms, first = g->next[gpc];
	uint32_t placed = 0, before = 0;

	for (uint32_t round = 1; placed < n; round++, before = placed) {
		for (uint32_t k = 0; k < nsms && placed < n; k++) {
			const uint32_t s = (first + k) % nsms;

			if (sim_gpc_of(c, s) == gpc && sim_sm_rooms(g->sms[s], grid, now) >= round)
				sm[placed++] = (uint16_t)s;
		}
		if (placed == before)
			return 0;
	}
	return 1;
}

struct sim_cluster *sim_gpcs_place(
	struct sim_gpcs *g, uint32_t n, uint32_t threads, const uint16_t *sm)
{
	struct sim_cluster *c;

	while (g->clusters[g->hint].ctas) /* there are as many as CTAs at most */
		g->hint = (g->hint + 1) % g->n;
	c = &g->clusters[g->hint];
	*c = (struct sim_cluster){.ctas = n, .left = n, .needs = n * threads};
	memcpy(c->sm, sm, n * sizeof(*sm));
	if (n > 1) {
		const uint32_t gpc = sim_gpc_of(g->config, sm[n - 1]);

		g->turn = (gpc + 1) % g->config->sm.gpcs;
		g->next[gpc] = (sm[n - 1] + 1u) % g->config->sm.sms;
	}
	return c;
}
