/*
 * Dynamic energy of the memory system, estimated as in Rogers's thesis, section 4.4.4: counts of
 * operations of the L1Ds, the L2 and the DRAM, each times a constant. A calculation on the counters
 * of a run, which it does not change. Leaves out what the thesis leaves out: the rest of the SM,
 * the interconnect, leakage, tables of policies and victim tags; and stores at the L1Ds, which pass
 * them by, and the caches of constants and textures.
 */
#ifndef SIM_SM_ENERGY_H
#define SIM_SM_ENERGY_H

#include "sim/sm/stats.h"

enum sim_energy_op {
	SIM_E_L1D_HIT,
	SIM_E_L1D_MISS,
	SIM_E_L2_HIT,
	SIM_E_L2_MISS,
	SIM_E_DRAM_READ,
	SIM_E_DRAM_WRITE,
	SIM_E_DRAM_PRECHARGE,
	SIM_E_NOPS
};

/* nJ of one operation, of SIM_SECTOR_BYTES where it moves data. */
double sim_energy_of(enum sim_energy_op op);

struct sim_energy {
	double l1d, l2, dram; /* nJ */
};
struct sim_energy sim_energy(const struct sim_stats *s, const struct sim_config *c);

#endif
