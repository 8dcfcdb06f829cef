/*
 * Energy of the memory system; see energy.h. The thesis has its constants from GPUWattch and does
 * not print them. These are of AccelWattch (Kandiah et al., MICRO 2021), the same model's next
 * edition, for the Quadro GV100: a coefficient of each operation, as McPAT's circuits give it,
 * times the factor that the model was fitted with to measurements. The factors are those of its
 * SM7_QV100/accelwattch_sass_sim.xml. The coefficients stand beside the same factors in its port to
 * gem5 (act_energies of the MI300X script), where the parts of a hit and of a miss are summed as
 * here, and as in GPUWattch's get_coefficient functions.
 *
 * That model's caches count transactions, of one sector of 32 bytes, and its DRAM bursts of 32
 * bytes. So an access of an L1D is here as many operations as it touches sectors, and one of the
 * L2, whose requests are for lines, as many as its line has.
 */
#include "sim/sm/energy.h"

static const struct {
	double coefficient, factor; /* nJ */
} constants[SIM_E_NOPS] = {
	/* read, crossbar of the banks, coalescing (its three tables and logic) */
	[SIM_E_L1D_HIT] = {0.0124809 + 0.0336513 +
				   (0.00438159 + 0.000114781 + 0.000718764 + 0.000145326),
		9.835033124},
	/* read; search and write of the miss, fill and prefetch buffers; coalescing */
	[SIM_E_L1D_MISS] = {0.0124809 + (0.00250593 + 0.00221128) + 2 * (0.0022674 + 0.00190158) +
				    (0.00438159 + 0.000114781 + 0.000718764 + 0.000145326),
		10.95446778},
	[SIM_E_L2_HIT] = {0.0545557, 1.260867526},   /* read */
	[SIM_E_L2_MISS] = {0.00187159, 2.394535301}, /* read of the tags */
	[SIM_E_DRAM_READ] = {77.4707143, 0.025941068},
	[SIM_E_DRAM_WRITE] = {35.4664286, 0.031443719},
	[SIM_E_DRAM_PRECHARGE] = {38.475, 0.008647023},
};

double sim_energy_of(enum sim_energy_op op)
{
	return constants[op].coefficient * constants[op].factor;
}

static double of_bytes(enum sim_energy_op op, uint64_t n, uint32_t bytes)
{
	return sim_energy_of(op) * (double)n * bytes / SIM_SECTOR_BYTES;
}

/* A merge has looked at the tags in vain, as a miss does. */
struct sim_energy sim_energy(const struct sim_stats *s, const struct sim_config *c)
{
	const struct sim_mem_stats *m = &s->mem;
	const uint32_t l2 = c->l2.g.line_bytes;

	return (struct sim_energy){
		.l1d = sim_energy_of(SIM_E_L1D_HIT) * (double)s->l1d.hit_sectors +
		       sim_energy_of(SIM_E_L1D_MISS) * (double)s->l1d.miss_sectors,
		.l2 = of_bytes(SIM_E_L2_HIT, m->l2_hits, l2) +
		      of_bytes(SIM_E_L2_MISS, m->l2_misses + m->l2_merges, l2),
		.dram = of_bytes(SIM_E_DRAM_READ, m->dram_bytes - m->dram_write_bytes, 1) +
			of_bytes(SIM_E_DRAM_WRITE, m->dram_write_bytes, 1) +
			sim_energy_of(SIM_E_DRAM_PRECHARGE) * (double)m->dram_precharges};
}
