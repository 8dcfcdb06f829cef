/*
 * The machine that the replay models: every parameter, filled from an INI text (datasets/machines)
 * and from --set KEY=VALUE. MODEL.md says of each where it comes from. Plain data; config.c holds
 * the table of keys from which reading, help and MODEL.md's list are made.
 */
#ifndef SIM_BASE_CONFIG_H
#define SIM_BASE_CONFIG_H

#include "libtrace/program.h"
#include "sim/base/geometry.h"

/* The bounds of sm.ctas_per_sm and sm.threads_per_sm. */
#define SIM_CTAS_MAX 64u
#define SIM_THREADS_MAX 16384u

/* SIM_ABSENT is for the L2 alone: every access goes on to the DRAM, and nothing stays. */
enum sim_part { SIM_REAL, SIM_PERFECT, SIM_ABSENT };

/* Which path of a divergent branch runs first. */
enum sim_first_path { SIM_FIRST_TAKEN, SIM_FIRST_FEWER };
enum sim_async { SIM_ASYNC_APART, SIM_ASYNC_WHOLE };
/* What a global store that is written through does to its line. */
enum sim_store_hit {
	SIM_STORE_EVICTS,
	SIM_STORE_UPDATES,
	SIM_STORE_ALLOCATES,
	SIM_STORE_DIRTIES, /* it is written back: a store goes on only where its line is not there
			    */
};

/* Of two partitions of the L2, which replies from the other one take longer: all, those of lines
 * that were not there, or those of lines of which the reader's partition has no copy yet. */
enum sim_far { SIM_FAR_ALL, SIM_FAR_MISSES, SIM_FAR_FIRST };

/* Of a piece of l2.interleave_bytes: its number modulo the slices, rows of pieces that begin at a
 * hashed one, or sim_ipoly of its number. */
enum sim_slice_of { SIM_SLICE_MODULO, SIM_SLICE_HASH, SIM_SLICE_IPOLY };

#define SIM_FETCH_BUFFER 8

/* Where single precision is done. */
enum sim_fp32_lanes {
	SIM_LANES_OWN,    /* a unit of its own */
	SIM_LANES_HALVES, /* two such, of half the lanes each */
	SIM_LANES_SHARED, /* one such, and the unit of the integers */
};

/* Classes of the units: those of instructions, and some that opcodes alone tell (units.h). */
#define SIM_C_TENSOR TR_NCLASSES
#define SIM_C_MAD (TR_NCLASSES + 1) /* products of integers */
#define SIM_C_UNIFORM (TR_NCLASSES + 2)
#define SIM_NCLASSES (TR_NCLASSES + 3)

/* g.sets follows from size, line and ways at every change of one of them by sim_config_set. */
struct sim_config {
	char machine[256];  /* name of the preset or file; set by the caller that reads it */
	char scheduler[64]; /* the machine's own, as sim_sched_parse reads it */
	struct {            /* MHz; domains tick at exact ratios */
		uint32_t core, icnt, l2, dram;
	} clock;
	struct {
		uint32_t sms, ctas, threads, registers, shared_bytes; /* of one SM, but for sms */
		uint32_t shared_reserved; /* bytes that the system keeps beside each CTA's own */
		uint32_t address_bits;    /* 32 or 64: what an address takes of the registers */
		uint32_t warp_size, simd_width; /* cycles of an issue: their quotient */
		uint32_t schedulers;            /* warp w belongs to scheduler w % schedulers */
		uint32_t one_pipeline;          /* 1: the memory unit holds up all (TBC) */
		uint32_t one_in_flight;         /* 1: one instruction of a warp at a time (TBC) */
		uint32_t fetch_latency;         /* cycles from a branch to the next issue */
		uint32_t fetch_beats;           /* 1: issues in multiples of a warp's cycles */
		uint32_t fetch_ports;           /* of the L1-I; 0: fetch is perfect */
		uint32_t fetch_buffer;          /* decoded instructions of a warp */
		uint32_t l0i_bytes;             /* of each slice's or scheduler's L0-I; 0: none */
		uint32_t code;                  /* 1: it is fetched from the memory */
		uint32_t code_ahead;            /* lines that are fetched beyond the one at hand */
		uint32_t l1i_bytes;             /* of the SM's L1-I; 0: no limit */
		uint32_t l1i_latency;           /* from there to an L0-I */
		uint32_t lsu_queue;             /* memory instructions in the memory unit at once */
		uint32_t lsu_rate;              /* its transactions in a cycle */
		uint32_t unlimited_issue;       /* 1: every ready warp issues at once (mimd) */
		uint32_t split_units;           /* 1: each scheduler has units of its own */
		uint32_t lsu_interval;   /* cycles from one job of the memory unit to the next */
		uint32_t param_operands; /* 1: parameters are operands, not loads */
		uint32_t opcode_units;   /* 1: opcodes say whose unit it is (units.h) */
		uint32_t fp32_lanes;     /* enum sim_fp32_lanes, under opcode_units */
		uint32_t fp64_of_sm;     /* 1: the SM has one such unit, likewise */
		uint32_t texture_l1d;    /* 1: ld.global.nc goes to the L1D */
		uint32_t first_path;     /* enum sim_first_path */
		uint32_t register_banks; /* of a scheduler's registers; 0: reads are free */
		uint32_t bank_reads;     /* registers that each gives in a cycle */
		uint32_t reuse;          /* 1: operands of the instruction before are kept */
		uint32_t control_bits;   /* 1: issue follows a program's control bits */
		/* Under these, cycles from issue until the sources of an access have been read:
		 * of a load, and more for a store and for each further register of its data. */
		uint32_t sources_global, sources_shared, sources_store, sources_word;
		uint32_t sources_async; /* of an asynchronous copy */
		uint32_t async;         /* enum sim_async */
		uint32_t gpcs;          /* 0: it has none, and CTAs no clusters */
		uint32_t tpc;           /* SMs side by side in one GPC, then the next */
	} sm;
	uint32_t latency[SIM_NCLASSES];  /* core cycles from issue to result */
	uint32_t interval[SIM_NCLASSES]; /* cycles until its unit takes another; 0: of issue */
	uint32_t r2ur; /* as a latency: of what carries a register to the uniform datapath */
	struct {       /* multiply-adds of a scheduler's tensor cores in a cycle; 0: not known */
		uint32_t f16, tf32, f8, int8, int4, bit, f64;
		uint32_t f32_sums; /* cycles for one of f16 or f8 whose sums are f32 */
	} tensor;
	struct { /* of these opcodes, core cycles until their warp issues again */
		uint32_t yield, nanosleep, warpsync, warpsync_register, bsync;
	} hold;
	struct {
		uint32_t part;         /* enum sim_part: perfect: every access hits */
		uint32_t size_bytes;   /* 0: unbounded */
		struct sim_geometry g; /* sets 0: unbounded */
		uint32_t sector_bytes; /* 0: plain lines */
		uint32_t replacement;  /* enum sim_replacement */
		uint32_t write;        /* enum tr_write_policy, for global stores */
		uint32_t store_fetch;  /* 1: what a store misses is fetched when it is read */
		uint32_t store_hit;    /* enum sim_store_hit, where write is write-evict */
		uint32_t carved;       /* 1: shared memory of a launch is taken from it */
		uint32_t cycle_bytes;  /* of its data, and of shared memory's; 0: no limit */
		uint32_t sends;        /* requests in a cycle for which others wait; 0: no limit */
		uint32_t banks;        /* of its data; 0: none */
		uint32_t bank_bytes;   /* in one bank, then the next */
		uint32_t on_fill;      /* 1: a line that is read takes room when its data come */
		uint32_t operators;    /* 1: cache operators are followed */
		uint32_t hit_latency, mshrs, merges, miss_queue;
	} l1d;
	struct { /* read-only: param and const use the constant cache, ld.global.nc texture */
		uint32_t size_bytes;
		struct sim_geometry g;
		uint32_t hit_latency, mshrs, merges;
		uint32_t words; /* 1: each word that lanes want takes a cycle (constant) */
	} constant, texture;
	struct {
		uint32_t banks, width, latency; /* width: lanes looked at together */
		uint32_t async_latency; /* from an asynchronous copy's last write to its end */
	} shared;
	struct {
		enum sim_rule rule;
		uint32_t width; /* lanes; 0: the whole warp */
	} coalesce;
	struct {
		uint32_t flit_bytes, latency;              /* icnt cycles */
		uint32_t cluster;                          /* SMs that share a port */
		uint32_t inject_queue, eject_queue;        /* packets per port */
		uint32_t header_bytes, reply_header_bytes; /* of a packet without data */
	} icnt;
	struct {
		uint32_t part; /* perfect: every access hits the L2; absent: none does */
		uint32_t slices, interleave_bytes;      /* consecutive bytes in one slice */
		uint32_t size_bytes;                    /* of one slice */
		struct sim_geometry g;                  /* of one slice */
		uint32_t store_fetch;                   /* as the L1D's */
		uint32_t copies;                        /* 1: the host's copies lie in it */
		uint32_t rate;                          /* accesses of a slice in a cycle; 0: 1 */
		uint32_t slice_of;                      /* enum sim_slice_of */
		uint32_t partitions, far_latency;       /* the latter in L2 cycles */
		uint32_t far;                           /* enum sim_far */
		uint32_t latency, mshrs, merges, queue; /* latency in L2 cycles */
	} l2;
	struct {
		uint32_t banks, row_bytes, bytes_per_cycle; /* of a channel */
		uint32_t slices;                            /* that share it; 0: 1 */
		uint32_t queue, fcfs;                       /* fcfs 1: no reordering */
		uint32_t tCL, tRP, tRC, tRAS, tRCD, tRRD, tCCD, tWR, tWTR; /* DRAM cycles */
		uint32_t latency; /* DRAM cycles of a round trip that no other parameter models */
		uint32_t groups, group_bytes; /* of banks; 0: one; a row's bytes */
		uint32_t tCCDL, tRRDL;        /* within a group; 0: as over groups */
		uint32_t tFAW;                /* of four activates; 0: no limit */
		uint32_t tREFI, tRFC;         /* tREFI 0: no refresh */
		uint32_t refresh_banks;       /* 1: one bank after the other */
		uint32_t two_commands;        /* 1: a row's and a column's in one cycle */
	} dram;
	struct {
		uint32_t part;    /* perfect: every request of an L1 takes so many core cycles: */
		uint32_t latency; /* 0: as many as in an idle memory whose L2 has the line */
	} memory;
	struct {                      /* the network between the SMs of a GPC */
		uint32_t latency;     /* of a load of one segment, all ways together */
		uint32_t cycle_bytes; /* of an SM's port, each way */
		uint32_t requests;    /* of an SM under way */
		uint32_t barrier;     /* from the last arrival until the cluster's warps go on */
	} dsm;
	struct { /* barriers in shared memory (PTX, mbarrier); measured: H200, FlashGPU-Sim */
		uint32_t arrive; /* until an operation is seen */
		uint32_t wait;   /* of a wait whose phase is over */
	} mbar;
	struct {                              /* what a launch and a CTA cost; 0: nothing */
		uint32_t latency;             /* until the first CTA of a launch is placed */
		uint32_t cta_rate;            /* CTAs placed in 100 core cycles, on the chip, */
		uint32_t cta_again;           /* and in places that others have had */
		uint32_t cta_rest, warp_rest; /* until an ended CTA's place is free */
	} begin;
	struct { /* launches by threads: DTBL (Wang et al., ISCA 2015), table 3 and section 4.2 */
		uint32_t mode;     /* enum sim_launch_mode */
		uint32_t flush;    /* 1: of the L1s, when a launch of the host begins */
		uint32_t kde, hwq; /* kernels at once; hardware queues */
		uint32_t agt;      /* entries of the aggregated group table */
		uint32_t search;   /* cycles an entry of the kernel distributor */
		uint32_t stream, buffer, buffer_thread, device, device_thread; /* of the calls */
		uint32_t dispatch;     /* from the management unit to the distributor */
		uint32_t overflow;     /* until the first block of a group off chip */
		uint32_t record_bytes; /* of a pending launch, beside its parameters */
	} launch;
};

/* The order is that of sim/launch/launch.c. */
enum sim_launch_mode {
	SIM_LAUNCH_SERIAL,
	SIM_LAUNCH_CONCURRENT,
	SIM_LAUNCH_CDP,
	SIM_LAUNCH_CDP_IDEAL,
	SIM_LAUNCH_DTBL,
	SIM_LAUNCH_DTBL_IDEAL,
};

#endif
