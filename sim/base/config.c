/*
 * The machine's parameters: one table of keys, from which reading, setting, help and MODEL.md's
 * list are made. Files are the caller's affair; a text comes in.
 */
#include "sim/base/spec.h"
#include "sim/base/words.h"
#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <ini.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define BAD_SETS UINT32_MAX /* of a cache whose size is no whole number of sets */

enum kind {
	NUMBER,
	BYTES, /* with K, M or G after it */
	POWER, /* bytes or lanes, a power of two */
	WORD,  /* the place in a list of words */
	TEXT,
};

struct key {
	const char *name;
	enum kind kind;
	size_t at;         /* in struct sim_config */
	const char *value; /* default */
	uint32_t min, max;
	const char *zero;                /* a word for 0 beside the numbers, or NULL */
	const char *(*word)(unsigned i); /* of a WORD; NULL beyond the last */
	const char *unit, *help;
};

/* A function that gives a value's word, or NULL beyond the last: what KEYs with words take. */
#define WORDS(name, ...)                                                                           \
	static const char *name(unsigned i)                                                        \
	{                                                                                          \
		static const char *const words[] = {__VA_ARGS__};                                  \
                                                                                                   \
		return i < COUNT(words) ? words[i] : NULL;                                         \
	}

WORDS(part_word, [SIM_REAL] = "real", [SIM_PERFECT] = "perfect")

static const char *l2_part_word(unsigned i)
{
	return i == SIM_ABSENT ? "absent" : part_word(i);
}

WORDS(index_word, [TR_X_MODULO] = "modulo", [TR_X_HASH] = "hash", [TR_X_XOR] = "xor",
	[TR_X_IPOLY] = "ipoly")

WORDS(replacement_word, [SIM_LRU] = "lru", [SIM_FIFO] = "fifo", [SIM_RANDOM] = "random")

WORDS(write_word, [TR_W_EVICT] = "evict", [TR_W_ALLOCATE] = "allocate")

WORDS(code_word, "perfect", "fetched")

WORDS(allocate_word, "miss", "fill")

WORDS(fetch_word, "at-miss", "at-read")

WORDS(first_word, [SIM_FIRST_TAKEN] = "taken", [SIM_FIRST_FEWER] = "fewer")

WORDS(lanes_word, [SIM_LANES_OWN] = "own", [SIM_LANES_HALVES] = "halves",
	[SIM_LANES_SHARED] = "shared")

WORDS(async_word, [SIM_ASYNC_APART] = "apart", [SIM_ASYNC_WHOLE] = "whole")

WORDS(store_word, [SIM_STORE_EVICTS] = "evicts", [SIM_STORE_UPDATES] = "updates",
	[SIM_STORE_ALLOCATES] = "allocates", [SIM_STORE_DIRTIES] = "dirties")

WORDS(slice_word, [SIM_SLICE_MODULO] = "modulo", [SIM_SLICE_HASH] = "hash",
	[SIM_SLICE_IPOLY] = "ipoly")

WORDS(far_word, [SIM_FAR_ALL] = "all", [SIM_FAR_MISSES] = "misses", [SIM_FAR_FIRST] = "first")

WORDS(order_word, "fr-fcfs", "fcfs")

WORDS(refresh_word, "all", "bank")

WORDS(commands_word, "one", "two")

WORDS(flag_word, "no", "yes")

static const char *rule_word(unsigned i)
{
	return sim_rule_name((enum sim_rule)i);
}

WORDS(launch_word, [SIM_LAUNCH_SERIAL] = "serial", [SIM_LAUNCH_CONCURRENT] = "concurrent",
	[SIM_LAUNCH_CDP] = "cdp", [SIM_LAUNCH_CDP_IDEAL] = "cdp-ideal", [SIM_LAUNCH_DTBL] = "dtbl",
	[SIM_LAUNCH_DTBL_IDEAL] = "dtbl-ideal")

#define AT(member) offsetof(struct sim_config, member)
#define NUMBER_KEY(name, member, value, min, max, unit, help)                                      \
	{                                                                                          \
		name, NUMBER, AT(member), value, min, max, NULL, NULL, unit, help                  \
	}
#define BYTES_KEY(name, member, value, min, max, help)                                             \
	{                                                                                          \
		name, BYTES, AT(member), value, min, max, NULL, NULL, "bytes", help                \
	}
#define POWER_KEY(name, member, value, min, max, unit, help)                                       \
	{                                                                                          \
		name, POWER, AT(member), value, min, max, NULL, NULL, unit, help                   \
	}
#define WORD_KEY(name, member, value, word, help)                                                  \
	{                                                                                          \
		name, WORD, AT(member), value, 0, 0, NULL, word, "", help                          \
	}

#define CLASS_KEYS(name, cls, value, taken, help)                                                  \
	NUMBER_KEY("latency." name, latency[cls], value, 0, 100000, "core cycles", help),          \
		NUMBER_KEY("interval." name, interval[cls], taken, 0, 100000, "core cycles",       \
			"until the unit takes another")

#define CACHE_KEYS(name, member, size, line, assoc, whose)                                         \
	BYTES_KEY(name ".size", member.size_bytes, size, 32, 1u << 30, "size of " whose),          \
		POWER_KEY(name ".line", member.g.line_bytes, line, 32, 1024, "bytes",              \
			"a line of it"),                                                           \
		NUMBER_KEY(name ".ways", member.g.ways, assoc, 1, 65535, "lines", "a set of it"),  \
		WORD_KEY(name ".index", member.g.index, "hash", index_word, "set of a line")

static const struct key keys[] = {
	NUMBER_KEY("clock.core", clock.core, "325", 1, 100000, "MHz", "SMs"),
	NUMBER_KEY("clock.icnt", clock.icnt, "650", 1, 100000, "MHz", "interconnect"),
	NUMBER_KEY("clock.l2", clock.l2, "650", 1, 100000, "MHz", "L2"),
	NUMBER_KEY("clock.dram", clock.dram, "800", 1, 100000, "MHz", "DRAM"),

	NUMBER_KEY("sm.sms", sm.sms, "30", 1, 1024, "", "SMs"),
	NUMBER_KEY("sm.ctas_per_sm", sm.ctas, "8", 1, SIM_CTAS_MAX, "", "CTAs at once on an SM"),
	NUMBER_KEY("sm.threads_per_sm", sm.threads, "1024", 1, SIM_THREADS_MAX, "",
		"threads, likewise"),
	NUMBER_KEY("sm.registers_per_sm", sm.registers, "16384", 1, 1u << 24, "32 bits",
		"their registers"),
	POWER_KEY("sm.address_bits", sm.address_bits, "32", 32, 64, "bits",
		"of an address, in a register"),
	BYTES_KEY("sm.shared_per_sm", sm.shared_bytes, "16K", 1, 1u << 24, "their shared memory"),
	POWER_KEY("sm.warp_size", sm.warp_size, "32", 1, 256, "lanes",
		"a warp, where --warp says nothing"),
	POWER_KEY("sm.simd_width", sm.simd_width, "32", 1, 256, "lanes", "issued in one cycle"),
	NUMBER_KEY("sm.schedulers", sm.schedulers, "1", 1, 16, "", "each with its share of warps"),
	{"sm.scheduler", TEXT, AT(scheduler), "gto", 0, sizeof(((struct sim_config *)0)->scheduler),
		NULL, NULL, "", "the scheduler, where --scheduler says nothing"},
	WORD_KEY("sm.one_pipeline", sm.one_pipeline, "no", flag_word,
		"a memory unit without room holds all instructions up"),
	WORD_KEY("sm.one_in_flight", sm.one_in_flight, "no", flag_word,
		"one instruction of a warp at a time, and no scoreboard"),
	NUMBER_KEY("sm.fetch_latency", sm.fetch_latency, "2", 0, 1000, "core cycles",
		"from a branch to the next issue of its warp, at least"),
	WORD_KEY("sm.fetch_beats", sm.fetch_beats, "no", flag_word,
		"warps issue only in cycles that are a multiple of those that one takes"),
	NUMBER_KEY("sm.fetch_ports", sm.fetch_ports, "0", 0, 64, "",
		"fetches of the L1-I in a cycle; 0: fetch is perfect"),
	NUMBER_KEY("sm.fetch_buffer", sm.fetch_buffer, "2", 1, SIM_FETCH_BUFFER, "instructions",
		"decoded ones of a warp, at most, where fetch is not perfect"),
	NUMBER_KEY("sm.l0i_bytes", sm.l0i_bytes, "0", 0, 65536, "bytes",
		"of each slice's or scheduler's L0-I; 0: there is none"),
	NUMBER_KEY("sm.lsu_queue", sm.lsu_queue, "5", 1, 64, "instructions",
		"in the memory unit at once"),
	NUMBER_KEY("sm.lsu_rate", sm.lsu_rate, "2", 1, 64, "transactions",
		"that it makes in a core cycle, and requests that it sends on, of the L1D's "
		"l1d.sends at most"),
	WORD_KEY("sm.unlimited_issue", sm.unlimited_issue, "no", flag_word,
		"every ready warp issues in every cycle"),

	CLASS_KEYS("int", TR_C_INT, "6", "0", "integer and logic, to the result"),
	CLASS_KEYS("fp16", TR_C_FP16, "6", "0", "half precision"),
	CLASS_KEYS("fp32", TR_C_FP32, "6", "0", "single precision"),
	CLASS_KEYS("fp64", TR_C_FP64, "13", "8", "double precision"),
	CLASS_KEYS("sfu", TR_C_SFU, "35", "5", "division, roots, transcendental functions"),
	CLASS_KEYS("move", TR_C_MOVE, "6", "0", "moves, special registers"),
	CLASS_KEYS("convert", TR_C_CONVERT, "6", "0", "conversions"),
	CLASS_KEYS("load", TR_C_LOAD, "6", "0", "a load that all lanes skip"),
	CLASS_KEYS("store", TR_C_STORE, "6", "0", "a store that all lanes skip"),
	CLASS_KEYS("atomic", TR_C_ATOMIC, "6", "0", "an atomic that all lanes skip"),
	CLASS_KEYS("branch", TR_C_BRANCH, "6", "0", "branches, where one is in flight"),
	CLASS_KEYS("barrier", TR_C_BARRIER, "6", "0", "barriers, likewise"),
	CLASS_KEYS("fence", TR_C_FENCE, "6", "0", "fences, likewise"),
	CLASS_KEYS("collective", TR_C_COLLECTIVE, "6", "0", "votes and shuffles"),
	CLASS_KEYS("exit", TR_C_EXIT, "6", "0", "exits, where one is in flight"),
	CLASS_KEYS("other", TR_C_OTHER, "6", "0", "prefetches and the like, likewise"),

	WORD_KEY("l1d.part", l1d.part, "real", part_word, "perfect: every access hits"),
	{"l1d.size", BYTES, AT(l1d.size_bytes), "32K", 32, 1u << 30, "unbounded", NULL, "bytes",
		"size of an L1D"},
	POWER_KEY("l1d.line", l1d.g.line_bytes, "128", 32, 1024, "bytes", "a line of it"),
	NUMBER_KEY("l1d.ways", l1d.g.ways, "8", 1, 65535, "lines", "a set of it"),
	WORD_KEY("l1d.index", l1d.g.index, "hash", index_word, "set of a line"),
	{"l1d.sector_bytes", POWER, AT(l1d.sector_bytes), "none", 32, 32, "none", NULL, "bytes",
		"fetched alone"},
	WORD_KEY("l1d.replacement", l1d.replacement, "lru", replacement_word, "victim in a set"),
	WORD_KEY("l1d.write", l1d.write, "evict", write_word,
		"a global store: its line leaves, or is allocated"),
	WORD_KEY("l1d.store_hit", l1d.store_hit, "evicts", store_word,
		"its line, where it is not allocated; dirties: it goes no further if that is "
		"there"),
	NUMBER_KEY("l1d.hit_latency", l1d.hit_latency, "10", 1, 100000, "core cycles",
		"from the access to the data"),
	NUMBER_KEY("l1d.mshrs", l1d.mshrs, "16", 1, 65535, "lines", "in flight at once"),
	NUMBER_KEY("l1d.merges", l1d.merges, "4", 0, 65535, "accesses",
		"that wait for one line; 0: each load of it asks the memory itself"),
	NUMBER_KEY("l1d.miss_queue", l1d.miss_queue, "4", 1, 65535, "requests",
		"on their way to the interconnect"),
	{"l1d.sends", NUMBER, AT(l1d.sends), "any", 1, 16, "any", NULL, "requests",
		"that an SM's accesses send in a core cycle: one more waits for the next"},

	CACHE_KEYS("constant", constant, "8K", "64", "2", "a constant cache"),
	NUMBER_KEY("constant.hit_latency", constant.hit_latency, "6", 1, 100000, "core cycles",
		"from the access to the data"),
	NUMBER_KEY("constant.mshrs", constant.mshrs, "2", 1, 65535, "lines", "in flight at once"),
	NUMBER_KEY("constant.merges", constant.merges, "32", 1, 65535, "accesses",
		"that wait for one line"),
	CACHE_KEYS("texture", texture, "32K", "64", "16", "a texture cache"),
	NUMBER_KEY("texture.hit_latency", texture.hit_latency, "10", 1, 100000, "core cycles",
		"from the access to the data"),
	NUMBER_KEY("texture.mshrs", texture.mshrs, "128", 1, 65535, "lines", "in flight at once"),
	NUMBER_KEY("texture.merges", texture.merges, "128", 1, 65535, "accesses",
		"that wait for one line"),

	POWER_KEY("shared.banks", shared.banks, "16", 1, 64, "words", "banks of shared memory"),
	POWER_KEY("shared.width", shared.width, "16", 1, 256, "lanes", "that conflict"),
	NUMBER_KEY("shared.latency", shared.latency, "6", 1, 100000, "core cycles",
		"from the last access to the data"),

	WORD_KEY("coalesce.rule", coalesce.rule, "cc2", rule_word, "transactions of a warp"),
	{"coalesce.width", POWER, AT(coalesce.width), "warp", 1, 256, "warp", NULL, "lanes",
		"looked at together"},

	NUMBER_KEY("icnt.flit_bytes", icnt.flit_bytes, "32", 1, 1024, "bytes",
		"a port moves in one of its cycles"),
	NUMBER_KEY("icnt.latency", icnt.latency, "4", 1, 100000, "icnt cycles", "through it"),
	NUMBER_KEY("icnt.cluster", icnt.cluster, "3", 1, 1024, "", "SMs that share a port"),
	NUMBER_KEY(
		"icnt.inject_queue", icnt.inject_queue, "8", 1, 65535, "packets", "before a port"),
	NUMBER_KEY("icnt.eject_queue", icnt.eject_queue, "8", 1, 65535, "packets", "after a port"),
	NUMBER_KEY("icnt.header_bytes", icnt.header_bytes, "8", 1, 1024, "bytes",
		"of a request, beside its data"),
	NUMBER_KEY("icnt.reply_header_bytes", icnt.reply_header_bytes, "8", 0, 1024, "bytes",
		"of a reply, likewise"),

	WORD_KEY("l2.part", l2.part, "real", l2_part_word,
		"perfect: every access hits; absent: none does"),
	NUMBER_KEY("l2.slices", l2.slices, "8", 1, 256, "",
		"slices, each with a DRAM channel, or a part of one"),
	POWER_KEY("l2.interleave_bytes", l2.interleave_bytes, "256", 32, 1u << 20, "bytes",
		"in one slice, then the next"),
	CACHE_KEYS("l2", l2, "128K", "128", "8", "a slice"),
	NUMBER_KEY("l2.latency", l2.latency, "230", 1, 100000, "L2 cycles",
		"from a hit or a fill to the reply"),
	NUMBER_KEY("l2.mshrs", l2.mshrs, "16", 1, 65535, "lines", "in flight at once, a slice"),
	NUMBER_KEY("l2.merges", l2.merges, "4", 1, 65535, "requests", "that wait for one line"),
	NUMBER_KEY("l2.queue", l2.queue, "8", 1, 65535, "requests", "before a slice"),

	NUMBER_KEY("dram.banks", dram.banks, "8", 1, 64, "", "banks of a channel"),
	POWER_KEY("dram.row_bytes", dram.row_bytes, "2K", 64, 1u << 20, "bytes", "a row of a bank"),
	POWER_KEY("dram.bytes_per_cycle", dram.bytes_per_cycle, "16", 1, 1024, "bytes",
		"a channel moves in a DRAM cycle"),
	NUMBER_KEY("dram.queue", dram.queue, "32", 1, 65535, "requests", "before a channel"),
	WORD_KEY("dram.order", dram.fcfs, "fr-fcfs", order_word,
		"open rows first, or first come, first served"),
	NUMBER_KEY("dram.tCL", dram.tCL, "10", 0, 10000, "DRAM cycles", "read to data"),
	NUMBER_KEY("dram.tRP", dram.tRP, "10", 0, 10000, "DRAM cycles", "precharge to activate"),
	NUMBER_KEY("dram.tRC", dram.tRC, "35", 0, 10000, "DRAM cycles",
		"activate to activate, of one bank"),
	NUMBER_KEY("dram.tRAS", dram.tRAS, "25", 0, 10000, "DRAM cycles", "activate to precharge"),
	NUMBER_KEY(
		"dram.tRCD", dram.tRCD, "12", 0, 10000, "DRAM cycles", "activate to read or write"),
	NUMBER_KEY("dram.tRRD", dram.tRRD, "8", 0, 10000, "DRAM cycles",
		"activate to activate, of different banks"),
	NUMBER_KEY("dram.tCCD", dram.tCCD, "2", 0, 10000, "DRAM cycles", "read to read"),
	NUMBER_KEY(
		"dram.tWR", dram.tWR, "13", 0, 10000, "DRAM cycles", "data written to precharge"),
	NUMBER_KEY("dram.tWTR", dram.tWTR, "6", 0, 10000, "DRAM cycles", "data written to read"),
	NUMBER_KEY("dram.latency", dram.latency, "74", 0, 100000, "DRAM cycles",
		"of a round trip, beyond all these"),

	WORD_KEY("memory.part", memory.part, "real", part_word,
		"perfect: whatever leaves an L1 is answered after memory.latency"),
	{"memory.latency", NUMBER, AT(memory.latency), "unloaded", 1, 100000, "unloaded", NULL,
		"core cycles", "of perfect memory; unloaded: what an idle one takes for a hit"},

	WORD_KEY("launch.mode", launch.mode, "serial", launch_word,
		"how launches become CTAs, where --launch says nothing"),
	WORD_KEY("launch.flush", launch.flush, "yes", flag_word,
		"the L1s are flushed at the beginning of a launch of the host"),
	NUMBER_KEY("launch.kde", launch.kde, "32", 1, 65535, "kernels",
		"at once: entries of the kernel distributor"),
	NUMBER_KEY("launch.hwq", launch.hwq, "32", 1, 65535, "",
		"hardware queues, for the host's streams and for those of threads"),
	POWER_KEY("launch.agt", launch.agt, "1024", 1, 1u << 24, "entries",
		"of the aggregated group table"),
	NUMBER_KEY("launch.search", launch.search, "1", 0, 1000, "core cycles",
		"to look at an entry of the kernel distributor"),
	NUMBER_KEY("launch.stream", launch.stream, "7165", 0, 1u << 24, "core cycles",
		"a warp waits that makes streams (not dtbl)"),
	NUMBER_KEY("launch.buffer", launch.buffer, "8023", 0, 1u << 24, "core cycles",
		"a warp waits that asks for parameter buffers"),
	NUMBER_KEY("launch.buffer_thread", launch.buffer_thread, "129", 0, 1u << 24, "core cycles",
		"and for each thread that does"),
	NUMBER_KEY("launch.device", launch.device, "12187", 0, 1u << 24, "core cycles",
		"a warp waits that launches kernels"),
	NUMBER_KEY("launch.device_thread", launch.device_thread, "1592", 0, 1u << 24, "core cycles",
		"and for each thread that does"),
	NUMBER_KEY("launch.dispatch", launch.dispatch, "283", 0, 1u << 24, "core cycles",
		"of such a kernel to the kernel distributor"),
	NUMBER_KEY("launch.overflow", launch.overflow, "140", 0, 1u << 24, "core cycles",
		"to fetch a group that found its table's entry taken"),
	NUMBER_KEY("launch.record_bytes", launch.record_bytes, "0", 0, 65535, "bytes",
		"of a pending launch, beside its parameters"),

	/* What today's machines have: off where nothing is said, so papers' files leave it out. */
	WORD_KEY("l1d.store_fetch", l1d.store_fetch, "at-miss", fetch_word,
		"of what an allocating store misses"),
	{"l1d.cycle_bytes", NUMBER, AT(l1d.cycle_bytes), "any", 1, 4096, "any", NULL, "bytes",
		"of an L1D's sectors and of shared memory in a core cycle"},
	{"l1d.banks", POWER, AT(l1d.banks), "none", 1, 64, "none", NULL, "",
		"of its data: a load takes a cycle for each word of the bank that gives most"},
	POWER_KEY("l1d.bank_bytes", l1d.bank_bytes, "8", 4, 32, "bytes",
		"a word of such a bank: in one, then the next"),
	WORD_KEY("l1d.allocate", l1d.on_fill, "miss", allocate_word,
		"when a line that is read takes its room: at the miss, or when its data come"),
	WORD_KEY("constant.words", constant.words, "no", flag_word,
		"each of the words that an instruction's lanes want takes a cycle, not each line"),
	WORD_KEY("l1d.operators", l1d.operators, "no", flag_word,
		"cache operators, volatile and scopes beyond a CTA: what goes past it, what leaves "
		"first"),
	WORD_KEY("l1d.carved", l1d.carved, "no", flag_word,
		"the shared memory that a launch needs is taken from l1d.size"),
	BYTES_KEY("sm.shared_reserved", sm.shared_reserved, "0", 0, 65536,
		"shared memory of each CTA that the system keeps for itself"),
	WORD_KEY("sm.split_units", sm.split_units, "no", flag_word,
		"each scheduler has units of its own, which its intervals are of"),
	NUMBER_KEY("sm.lsu_interval", sm.lsu_interval, "0", 0, 1000, "core cycles",
		"from one instruction of the memory unit to the next"),
	WORD_KEY("sm.param_operands", sm.param_operands, "no", flag_word,
		"a parameter is read as an operand: a move"),
	WORD_KEY("sm.texture_l1d", sm.texture_l1d, "no", flag_word,
		"ld.global.nc goes to the L1D, as other loads"),
	WORD_KEY("sm.opcode_units", sm.opcode_units, "no", flag_word,
		"an instruction's unit is that of its opcode, as on Volta and later"),
	CLASS_KEYS("tensor", SIM_C_TENSOR, "6", "0", "matrices, under sm.opcode_units"),
	NUMBER_KEY("tensor.f16", tensor.f16, "0", 0, 65536, "products",
		"that a scheduler's tensor cores add up in a cycle; 0: interval.tensor"),
	NUMBER_KEY("tensor.f32_sums", tensor.f32_sums, "1", 1, 16, "",
		"times as long as that, and as tensor.f8, where sums are f32"),
	NUMBER_KEY("tensor.tf32", tensor.tf32, "0", 0, 65536, "products", "as tensor.f16"),
	NUMBER_KEY("tensor.f8", tensor.f8, "0", 0, 65536, "products", "as tensor.f16"),
	NUMBER_KEY("tensor.int8", tensor.int8, "0", 0, 65536, "products", "as tensor.f16"),
	NUMBER_KEY("tensor.int4", tensor.int4, "0", 0, 65536, "products", "as tensor.f16"),
	NUMBER_KEY("tensor.bit", tensor.bit, "0", 0, 65536, "products", "as tensor.f16"),
	NUMBER_KEY("tensor.f64", tensor.f64, "0", 0, 65536, "products", "as tensor.f16"),
	CLASS_KEYS("mad", SIM_C_MAD, "6", "0", "products of integers, under sm.opcode_units"),
	CLASS_KEYS("uniform", SIM_C_UNIFORM, "6", "0", "the uniform datapath, likewise"),
	NUMBER_KEY("latency.r2ur", r2ur, "6", 0, 100000, "core cycles",
		"of what carries lanes' registers to the uniform datapath, likewise"),
	WORD_KEY("sm.fp32_lanes", sm.fp32_lanes, "own", lanes_word,
		"halves: two units take turns, each with interval.fp32; shared: one is the "
		"integers'"),
	WORD_KEY("sm.fp64_of_sm", sm.fp64_of_sm, "no", flag_word,
		"schedulers take turns at one unit of double precision, under sm.opcode_units"),
	WORD_KEY("sm.code", sm.code, "perfect", code_word,
		"perfect: it is always there; fetched: lines of 128 bytes from the L2 and beyond"),
	NUMBER_KEY("sm.code_ahead", sm.code_ahead, "0", 0, 65535, "lines",
		"that are fetched with the one that a warp comes to, under sm.code = fetched"),
	{"sm.l1i_bytes", BYTES, AT(sm.l1i_bytes), "unbounded", 128, 1u << 24, "unbounded", NULL,
		"bytes", "of an SM's L1-I, likewise"},
	NUMBER_KEY("sm.l1i_latency", sm.l1i_latency, "0", 0, 1000, "core cycles",
		"from there to an L0-I, likewise"),
	WORD_KEY("sm.first_path", sm.first_path, "taken", first_word,
		"of a branch runs first; of equals the fall-through does under fewer"),
	NUMBER_KEY("sm.register_banks", sm.register_banks, "0", 0, 16, "",
		"of a scheduler's registers, of SASS; 0: reads conflict nowhere"),
	NUMBER_KEY("sm.bank_reads", sm.bank_reads, "1", 1, 8, "registers",
		"that a bank gives in a cycle"),
	WORD_KEY("sm.reuse", sm.reuse, "no", flag_word,
		"operands that a warp's instruction before had in their place are not read"),
	WORD_KEY("sm.control_bits", sm.control_bits, "no", flag_word,
		"SASS whose control bits are known issues by them, and not by a scoreboard"),
	NUMBER_KEY("sm.sources_global", sm.sources_global, "11", 1, 1000, "core cycles",
		"from the issue of a load until its sources are read, under sm.control_bits"),
	NUMBER_KEY("sm.sources_shared", sm.sources_shared, "9", 1, 1000, "core cycles",
		"likewise, in shared memory, and of all else that raises a counter for them"),
	NUMBER_KEY("sm.sources_store", sm.sources_store, "3", 0, 1000, "core cycles",
		"of a store, beside these"),
	NUMBER_KEY("sm.sources_word", sm.sources_word, "2", 0, 1000, "core cycles",
		"and for each further register that it stores"),
	NUMBER_KEY("sm.sources_async", sm.sources_async, "11", 1, 1000, "core cycles",
		"as sm.sources_global, of an asynchronous copy"),
	WORD_KEY("sm.async", sm.async, "apart", async_word,
		"copies: a load and a store of its own; whole: the data write shared memory when "
		"all are there"),
	NUMBER_KEY("shared.async_latency", shared.async_latency, "1", 1, 100000, "core cycles",
		"from the last write of such data to the end of the copy"),
	NUMBER_KEY("hold.yield", hold.yield, "0", 0, 100000, "core cycles",
		"from YIELD to the next issue of its warp, at least"),
	NUMBER_KEY("hold.nanosleep", hold.nanosleep, "0", 0, 100000, "core cycles",
		"likewise, of NANOSLEEP and nanosleep"),
	NUMBER_KEY("hold.warpsync", hold.warpsync, "0", 0, 100000, "core cycles",
		"likewise, of WARPSYNC of all lanes, and bar.warp.sync"),
	NUMBER_KEY("hold.warpsync_register", hold.warpsync_register, "0", 0, 100000, "core cycles",
		"likewise, of WARPSYNC of the lanes in a register"),
	NUMBER_KEY("hold.bsync", hold.bsync, "0", 0, 100000, "core cycles", "likewise, of BSYNC"),
	NUMBER_KEY("l2.rate", l2.rate, "1", 1, 64, "lines", "that a slice looks up in an L2 cycle"),
	WORD_KEY("l2.slice_of", l2.slice_of, "modulo", slice_word,
		"a piece of interleave_bytes; ipoly: of a power of two of slices"),
	NUMBER_KEY("l2.partitions", l2.partitions, "1", 1, 2, "",
		"halves of the slices, each near to a half of the SMs"),
	NUMBER_KEY("l2.far_latency", l2.far_latency, "0", 0, 100000, "L2 cycles",
		"of a reply from the other partition, beside l2.latency"),
	WORD_KEY("l2.far", l2.far, "all", far_word,
		"replies that take it; misses: hits never; first: until a half has read the line"),
	WORD_KEY("l2.store_fetch", l2.store_fetch, "at-miss", fetch_word,
		"of a line whose part a write misses"),
	WORD_KEY("l2.copies", l2.copies, "no", flag_word,
		"what the host copied before a launch is there when it begins, as far as it fits"),
	NUMBER_KEY("dram.slices", dram.slices, "1", 1, 256, "slices",
		"of the L2, side by side, that share a channel"),
	NUMBER_KEY("dram.groups", dram.groups, "1", 1, 64, "", "of banks, each as many"),
	{"dram.group_bytes", POWER, AT(dram.group_bytes), "row", 32, 1u << 20, "row", NULL, "bytes",
		"in one group, then the next"},
	NUMBER_KEY("dram.tCCDL", dram.tCCDL, "0", 0, 10000, "DRAM cycles",
		"read to read, of one group, where that is more"),
	NUMBER_KEY("dram.tRRDL", dram.tRRDL, "0", 0, 10000, "DRAM cycles",
		"activate to activate, of one group, where that is more"),
	NUMBER_KEY("dram.tFAW", dram.tFAW, "0", 0, 10000, "DRAM cycles",
		"activate to the fourth after it"),
	NUMBER_KEY("dram.tREFI", dram.tREFI, "0", 0, 1000000, "DRAM cycles",
		"refresh to refresh, of one bank; 0: there is none"),
	NUMBER_KEY("dram.tRFC", dram.tRFC, "0", 0, 10000, "DRAM cycles", "refresh to activate"),
	WORD_KEY("dram.refresh", dram.refresh_banks, "all", refresh_word,
		"banks at once, or one bank after the other"),
	WORD_KEY("dram.commands", dram.two_commands, "one", commands_word,
		"a cycle; two: a column's and a row's"),
	NUMBER_KEY("launch.latency", begin.latency, "0", 0, 1u << 24, "core cycles",
		"from a launch of the host to its first CTA"),
	{"launch.cta_rate", NUMBER, AT(begin.cta_rate), "any", 1, 100000, "any", NULL, "CTAs",
		"that begin in 100 core cycles, on all SMs together"},
	{"launch.cta_again", NUMBER, AT(begin.cta_again), "same", 1, 100000, "same", NULL, "CTAs",
		"of them, in places of CTAs that have ended"},
	NUMBER_KEY("launch.cta_rest", begin.cta_rest, "0", 0, 1u << 20, "core cycles",
		"from a CTA's end until its place on the SM is free"),
	NUMBER_KEY("launch.warp_rest", begin.warp_rest, "0", 0, 1u << 16, "core cycles",
		"the same, and so much more for each warp of the CTA"),
	NUMBER_KEY("sm.gpcs", sm.gpcs, "0", 0, 64, "",
		"GPCs, in one of which a cluster of CTAs runs; 0: clusters are refused"),
	NUMBER_KEY("sm.tpc", sm.tpc, "1", 1, 1024, "SMs", "side by side in a GPC, then the next"),
	NUMBER_KEY("dsm.latency", dsm.latency, "180", 2, 100000, "core cycles",
		"of a load of another SM's shared memory, in the same GPC; at least 2 and the "
		"further cycles of its data"),
	NUMBER_KEY("dsm.cycle_bytes", dsm.cycle_bytes, "16", 1, 4096, "bytes",
		"in a core cycle, out of an SM to others of its GPC, and as many in"),
	NUMBER_KEY(
		"dsm.requests", dsm.requests, "256", 1, 65535, "", "of an SM to others under way"),
	NUMBER_KEY("dsm.barrier", dsm.barrier, "180", 1, 100000, "core cycles",
		"from the last arrival at a cluster's barrier until its warps go on"),
	NUMBER_KEY("mbar.arrive", mbar.arrive, "6", 0, 100000, "core cycles",
		"from the issue of an operation on a barrier in shared memory until others see it"),
	NUMBER_KEY("mbar.wait", mbar.wait, "43", 1, 100000, "core cycles",
		"from the issue of a wait there, or the end of the phase it waits for, until its "
		"result is there"),
};

#define FIRST_TODAY "l1d.store_fetch"

/* "l1d" for "l1d.part" */
static int is_part(const struct key *k, const char *name)
{
	const size_t n = strlen(name);

	return !strncmp(k->name, name, n) && !strcmp(k->name + n, ".part");
}

static const struct key *find(const char *name)
{
	for (size_t i = 0; i < COUNT(keys); i++)
		if (!strcmp(keys[i].name, name) || is_part(&keys[i], name))
			return &keys[i];
	return NULL;
}

static uint32_t value_of(const struct sim_config *c, const struct key *k)
{
	uint32_t v;

	memcpy(&v, (const char *)c + k->at, sizeof(v));
	return v;
}

/* ---- values as text ---- */

static void print_bytes(uint32_t v, char *out, size_t size)
{
	const unsigned by = v && !(v % (1u << 20)) ? 20 : v && !(v % 1024) ? 10 : 0;

	snprintf(out, size, "%" PRIu32 "%s", v >> by, by == 20 ? "M" : by ? "K" : "");
}

static void print_number(const struct key *k, uint32_t v, char *out, size_t size)
{
	if (k->kind == BYTES || k->kind == POWER)
		print_bytes(v, out, size);
	else
		snprintf(out, size, "%" PRIu32, v);
}

static void print_bounds(const struct key *k, char *out, size_t size)
{
	char min[16], max[16];
	size_t n = 0;

	switch (k->kind) {
	case TEXT:
		snprintf(out, size, "a scheduler");
		break;
	case WORD:
		for (unsigned i = 0; k->word(i) && n < size; i++)
			n += (size_t)snprintf(out + n, size - n, "%s%s",
				!i               ? ""
				: k->word(i + 1) ? ", "
						 : " or ",
				k->word(i));
		break;
	default:
		print_number(k, k->min, min, sizeof(min));
		print_number(k, k->max, max, sizeof(max));
		if (k->min == k->max)
			snprintf(out, size, "%s%s%s", min, k->zero ? " or " : "",
				k->zero ? k->zero : "");
		else
			snprintf(out, size, "%s to %s%s%s%s", min, max,
				k->kind == POWER ? ", a power of two" : "", k->zero ? ", or " : "",
				k->zero ? k->zero : "");
	}
}

int sim_config_key(const struct sim_config *c, unsigned i, struct sim_key *key)
{
	const struct key *k = &keys[i];
	uint32_t v;

	if (i >= COUNT(keys))
		return 0;
	*key = (struct sim_key){.name = k->name, .help = k->help, .unit = k->unit};
	key->today = k >= find(FIRST_TODAY);
	print_bounds(k, key->bounds, sizeof(key->bounds));
	if (k->kind == TEXT) {
		snprintf(key->value, sizeof(key->value), "%s", (const char *)c + k->at);
		return 1;
	}
	v = value_of(c, k);
	if (k->kind == WORD)
		snprintf(key->value, sizeof(key->value), "%s", k->word(v));
	else if (k->zero && !v)
		snprintf(key->value, sizeof(key->value), "%s", k->zero);
	else
		print_number(k, v, key->value, sizeof(key->value));
	return 1;
}

/* ---- setting ---- */

static int refuse(const struct key *k, const char *value, const char *what, struct tr_err *err)
{
	char bounds[64];

	print_bounds(k, bounds, sizeof(bounds));
	return tr_fail(err, TR_EUSAGE, 0, "%s: '%s' is %s %s", k->name, value, what, bounds);
}

static int parse_number(const struct key *k, const char *text, uint32_t *v, struct tr_err *err)
{
	static const char suffixes[] = "KMG";
	const char *suffix;
	char *end;
	unsigned long long n;

	errno = 0;
	n = strtoull(text, &end, 10);
	suffix = k->kind != NUMBER && *end ? strchr(suffixes, toupper((unsigned char)*end)) : NULL;
	if (suffix && n <= UINT32_MAX) {
		n <<= 10 * (suffix - suffixes + 1);
		end++;
		end += sim_size_unit(end);
	}
	if (errno || !isdigit((unsigned char)*text) || *end)
		return tr_fail(err, TR_EUSAGE, 0, "%s: '%s' is no number%s", k->name, text,
			strchr(text, ',') ? "; trace-sweep --vary takes several" : "");
	if (n < k->min || n > k->max)
		return refuse(k, text, "outside", err);
	if (k->kind == POWER && n & (n - 1))
		return refuse(k, text, "not one of", err);
	*v = (uint32_t)n;
	return 1;
}

static int parse_value(const struct key *k, const char *text, uint32_t *v, struct tr_err *err)
{
	if (k->kind == WORD) {
		for (*v = 0; k->word(*v); ++*v)
			if (!strcmp(text, k->word(*v)))
				return 1;
		return refuse(k, text, "none of", err);
	}
	if (k->zero && !strcmp(text, k->zero)) {
		*v = 0;
		return 1;
	}
	return parse_number(k, text, v, err);
}

static void derive_sets(struct sim_geometry *g, uint32_t size)
{
	const uint64_t set = (uint64_t)g->ways * g->line_bytes;

	g->sets = !size ? 0 : !set || size % set ? BAD_SETS : (uint32_t)(size / set);
}

static int set_key(struct sim_config *c, const struct key *k, const char *text, struct tr_err *err)
{
	uint32_t v = 0;
	int rc;

	if (k->kind == TEXT) {
		if (!*text || strlen(text) >= k->max)
			return tr_fail(
				err, TR_EUSAGE, 0, "%s: '%s' is no scheduler", k->name, text);
		strcpy((char *)c + k->at, text);
		return 1;
	}
	rc = parse_value(k, text, &v, err);
	if (rc < 0)
		return rc;
	memcpy((char *)c + k->at, &v, sizeof(v));
	derive_sets(&c->l1d.g, c->l1d.size_bytes);
	derive_sets(&c->constant.g, c->constant.size_bytes);
	derive_sets(&c->texture.g, c->texture.size_bytes);
	derive_sets(&c->l2.g, c->l2.size_bytes);
	return 1;
}

void sim_config_default(struct sim_config *c)
{
	_Static_assert(sizeof(enum sim_rule) == sizeof(uint32_t), "a key is 32 bits");

	memset(c, 0, sizeof(*c));
	for (size_t i = 0; i < COUNT(keys); i++) {
		const int rc = set_key(c, &keys[i], keys[i].value, NULL);

		assert(rc == 1);
		(void)rc;
	}
}

static int unknown(const char *name, struct tr_err *err)
{
	const char *names[COUNT(keys) + 1] = {NULL}, *like;

	for (size_t i = 0; i < COUNT(keys); i++)
		names[i] = keys[i].name;
	like = sim_nearest(name, names);
	return tr_fail(err, TR_EUSAGE, 0, "unknown key '%s'%s%s%s", name,
		like ? ", did you mean '" : "", like ? like : "", like ? "'?" : "");
}

uint32_t sim_config_writes(const struct sim_config *c)
{
	if (c->l1d.write != TR_W_EVICT)
		return c->l1d.write;
	switch (c->l1d.store_hit) {
	case SIM_STORE_EVICTS:
		return TR_W_EVICT;
	case SIM_STORE_ALLOCATES:
		return TR_W_ALLOCATE;
	default:
		return TR_W_KEEP;
	}
}

int sim_config_set(struct sim_config *c, const char *key, const char *value, struct tr_err *err)
{
	const struct key *k = find(key);

	return k ? set_key(c, k, value, err) : unknown(key, err);
}

/* ---- reading ---- */

/*
 * What libinih gets to see of a text: its lines without comments, which may be of any length, and
 * without the blanks before them, as Debian's libinih takes an indented line to go on with the
 * value of the line above.
 */
struct lines {
	const char *at;
	int line, too_long; /* too_long: the first that is, 0: none */
};

/* How much of a line of len letters stands before a comment. */
static size_t before_comment(const char *line, size_t len)
{
	size_t n = 0;

	while (n < len && !(line[n] == '#' && (!n || isspace((unsigned char)line[n - 1]))))
		n++;
	return n;
}

/* As fgets. */
static char *next_line(char *out, int size, void *arg)
{
	struct lines *l = arg;
	size_t len, n;

	if (!*l->at)
		return NULL;
	l->at += strspn(l->at, " \t\r\v\f");
	len = strcspn(l->at, "\n");
	n = before_comment(l->at, len);
	l->line++;
	if (n + 2 > (size_t)size) {
		l->too_long = l->too_long ? l->too_long : l->line;
		n = 0;
	}
	memcpy(out, l->at, n);
	memcpy(out + n, "\n", 2);
	l->at += len + (l->at[len] == '\n');
	return out;
}

struct reading {
	struct sim_config *c;
	struct tr_err err; /* the first */
	int has_base;
	uint8_t seen[COUNT(keys)];
};

/* A value without the comment after it; 0: too long. */
static int plain(const char *value, char *out, size_t size)
{
	size_t n = before_comment(value, strlen(value));

	while (n && isspace((unsigned char)value[n - 1]))
		n--;
	if (n >= size)
		return 0;
	memcpy(out, value, n);
	out[n] = 0;
	return 1;
}

static int is_base(const char *section, const char *name)
{
	return !*section && !strcmp(name, "base");
}

/* A line, for libinih: 1, or 0 when it is wrong. */
static int read_line(void *arg, const char *section, const char *name, const char *value)
{
	struct reading *r = arg;
	char full[96], text[96];
	const struct key *k;

	if (r->err.code)
		return 1;
	if (is_base(section, name)) {
		if (!*value || r->has_base++)
			tr_fail(&r->err, TR_EDATA, 0,
				*value ? "'base' is given twice" : "'base' names no machine");
		return !r->err.code;
	}
	if (snprintf(full, sizeof(full), "%s%s%s", section, *section ? "." : "", name) >=
			(int)sizeof(full) ||
		!plain(value, text, sizeof(text))) {
		tr_fail(&r->err, TR_EDATA, 0, "the line is too long");
		return 0;
	}
	k = strchr(full, '.') ? find(full) : NULL;
	if (!k)
		return unknown(full, &r->err) > 0;
	if (r->seen[k - keys]++) {
		tr_fail(&r->err, TR_EDATA, 0, "'%s' is given twice", full);
		return 0;
	}
	return set_key(r->c, k, text, &r->err) > 0;
}

/* Only the form matters. */
static int any_line(void *arg, const char *section, const char *name, const char *value)
{
	(void)arg;
	(void)section;
	(void)name;
	(void)value;
	return 1;
}

int sim_config_read(struct sim_config *c, const char *text, const char *name, struct tr_err *err)
{
	struct reading r = {.c = c};
	struct lines lines = {.at = text}, again = lines;
	int line = ini_parse_stream(next_line, &lines, any_line, NULL);

	if (lines.too_long && (!line || lines.too_long < line))
		return tr_fail(err, TR_EDATA, 0, "cannot read '%s': line %d: the line is too long",
			name, lines.too_long);
	if (line < 0)
		return tr_fail(err, TR_EMEM, 0, "no memory to read '%s'", name);
	if (line)
		return tr_fail(err, TR_EDATA, 0,
			"cannot read '%s': line %d: it is no 'key = value'", name, line);
	line = ini_parse_stream(next_line, &again, read_line, &r);
	if (line)
		return tr_fail(
			err, TR_EDATA, 0, "cannot read '%s': line %d: %s", name, line, r.err.msg);
	return 1;
}

struct base {
	char *out;
	size_t size;
	int found;
};

static int base_line(void *arg, const char *section, const char *name, const char *value)
{
	struct base *b = arg;

	if (!is_base(section, name) || b->found)
		return 1;
	b->found = plain(value, b->out, b->size) ? 1 : TR_EDATA;
	return 0; /* to be told its line */
}

int sim_config_base(const char *text, char *base, size_t size)
{
	struct base b = {.out = base, .size = size};
	struct lines lines = {.at = text};
	const int line = ini_parse_stream(next_line, &lines, base_line, &b);

	return b.found > 0 ? line : b.found;
}

/* A line of a certain key, for libinih: 0, to be told its number. */
static int key_line(void *arg, const char *section, const char *name, const char *value)
{
	const struct key *const *wanted = arg;
	char full[96];

	(void)value;
	return snprintf(full, sizeof(full), "%s.%s", section, name) >= (int)sizeof(full) ||
	       find(full) != *wanted;
}

int sim_config_line(const char *text, const char *key)
{
	const struct key *wanted = find(key);
	struct lines lines = {.at = text};
	const int line = wanted ? ini_parse_stream(next_line, &lines, key_line, &wanted) : 0;

	return line > 0 ? line : 0;
}

/* ---- what only makes sense together ---- */

/* A sentence names each key that has a part in it: by these its place in a file is found. */

static int check_cache(
	const char *name, const struct sim_geometry *g, uint32_t size, struct tr_err *err)
{
	if (g->sets == BAD_SETS)
		return tr_fail(err, TR_EUSAGE, 0,
			"%s.size, %s.ways, %s.line: %" PRIu32
			" bytes are no whole number of sets of %" PRIu32 " ways of %" PRIu32
			" bytes",
			name, name, name, size, g->ways, g->line_bytes);
	if (g->sets & (g->sets - 1))
		return tr_fail(err, TR_EUSAGE, 0,
			"%s.size, %s.ways, %s.line: %" PRIu32 " sets are no power of two", name,
			name, name, g->sets);
	return 1;
}

static int check_lines(
	const struct sim_config *c, const char *name, uint32_t line, struct tr_err *err)
{
	if (line > c->l2.interleave_bytes)
		return tr_fail(err, TR_EUSAGE, 0,
			"%s.line: %" PRIu32 " bytes are more than l2.interleave_bytes, %" PRIu32,
			name, line, c->l2.interleave_bytes);
	return 1;
}

/*
 * DRAM cycles from a refresh that is due to the first column command after it, at most: a bank that
 * is refreshed again before it would never serve a request.
 */
static uint32_t to_a_column(const struct sim_config *c)
{
	const uint32_t burst =
		(c->l2.g.line_bytes + c->dram.bytes_per_cycle - 1) / c->dram.bytes_per_cycle;
	const uint32_t column =
		c->dram.tCL + burst + c->dram.tWR + c->dram.tWTR + c->dram.tCCD + c->dram.tCCDL;
	const uint32_t row = c->dram.tRAS + c->dram.tRP + c->dram.tRC + c->dram.tRRD +
			     c->dram.tRRDL + c->dram.tFAW + c->dram.tRCD;

	return column + row + c->dram.tRFC;
}

static int check_dram(const struct sim_config *c, struct tr_err *err)
{
	if (c->dram.row_bytes < c->l2.g.line_bytes)
		return tr_fail(err, TR_EUSAGE, 0,
			"dram.row_bytes: %" PRIu32 " bytes are less than l2.line, %" PRIu32,
			c->dram.row_bytes, c->l2.g.line_bytes);
	if (c->dram.tRC < c->dram.tRAS)
		return tr_fail(err, TR_EUSAGE, 0,
			"dram.tRC: %" PRIu32 " is less than dram.tRAS, %" PRIu32, c->dram.tRC,
			c->dram.tRAS);
	if (c->dram.slices && c->l2.slices % c->dram.slices)
		return tr_fail(err, TR_EUSAGE, 0,
			"dram.slices: %" PRIu32 " do not divide l2.slices, %" PRIu32,
			c->dram.slices, c->l2.slices);
	if (c->dram.groups && c->dram.banks % c->dram.groups)
		return tr_fail(err, TR_EUSAGE, 0,
			"dram.groups: %" PRIu32 " do not divide dram.banks, %" PRIu32,
			c->dram.groups, c->dram.banks);
	if (c->dram.group_bytes && (c->dram.group_bytes < c->l2.g.line_bytes ||
					   c->dram.group_bytes > c->dram.row_bytes))
		return tr_fail(err, TR_EUSAGE, 0,
			"dram.group_bytes: %" PRIu32 " is not between l2.line, %" PRIu32
			", and dram.row_bytes, %" PRIu32,
			c->dram.group_bytes, c->l2.g.line_bytes, c->dram.row_bytes);
	if (c->dram.tREFI && c->dram.tREFI < c->dram.banks)
		return tr_fail(err, TR_EUSAGE, 0,
			"dram.tREFI: %" PRIu32 " is less than dram.banks, %" PRIu32, c->dram.tREFI,
			c->dram.banks);
	if (c->dram.tREFI && c->dram.tREFI <= to_a_column(c))
		return tr_fail(err, TR_EUSAGE, 0,
			"dram.tREFI: %" PRIu32 " leaves no time for a request: it is to be more "
			"than dram.tRFC, dram.tRAS, dram.tRP, dram.tRC, dram.tRRD, dram.tRRDL, "
			"dram.tFAW, dram.tRCD, dram.tCL, dram.tWR, dram.tWTR, dram.tCCD, "
			"dram.tCCDL and a burst together, %" PRIu32,
			c->dram.tREFI, to_a_column(c));
	return 1;
}

static int check_slices(const struct sim_config *c, struct tr_err *err)
{
	if (c->l2.slice_of == SIM_SLICE_IPOLY && c->l2.slices & (c->l2.slices - 1))
		return tr_fail(err, TR_EUSAGE, 0,
			"l2.slice_of: ipoly wants a power of two of slices, and l2.slices is "
			"%" PRIu32,
			c->l2.slices);
	return 1;
}

int sim_config_check(const struct sim_config *c, struct tr_err *err)
{
	const uint32_t warps = c->sm.threads / c->sm.warp_size;

	if (check_cache("l1d", &c->l1d.g, c->l1d.size_bytes, err) < 0 ||
		check_cache("constant", &c->constant.g, c->constant.size_bytes, err) < 0 ||
		check_cache("texture", &c->texture.g, c->texture.size_bytes, err) < 0 ||
		check_cache("l2", &c->l2.g, c->l2.size_bytes, err) < 0 ||
		check_lines(c, "l1d", c->l1d.g.line_bytes, err) < 0 ||
		check_lines(c, "constant", c->constant.g.line_bytes, err) < 0 ||
		check_lines(c, "texture", c->texture.g.line_bytes, err) < 0 ||
		check_lines(c, "l2", c->l2.g.line_bytes, err) < 0 || check_slices(c, err) < 0 ||
		check_dram(c, err) < 0)
		return TR_EUSAGE;
	if (c->sm.warp_size & (c->sm.warp_size - 1))
		return tr_fail(err, TR_EUSAGE, 0,
			"warps of %" PRIu32 " threads: no power of two (sm.warp_size, or --warp)",
			c->sm.warp_size);
	if ((uint64_t)c->sm.gpcs * c->sm.tpc > c->sm.sms)
		return tr_fail(err, TR_EUSAGE, 0,
			"sm.gpcs: %" PRIu32 " GPCs of at least sm.tpc, %" PRIu32
			" SMs, where there are %" PRIu32 " (sm.sms)",
			c->sm.gpcs, c->sm.tpc, c->sm.sms);
	if (c->sm.shared_reserved >= c->sm.shared_bytes)
		return tr_fail(err, TR_EUSAGE, 0,
			"sm.shared_reserved: %" PRIu32
			" bytes of each CTA leave it nothing of sm.shared_per_sm, %" PRIu32,
			c->sm.shared_reserved, c->sm.shared_bytes);
	if (!warps)
		return tr_fail(err, TR_EUSAGE, 0,
			"sm.threads_per_sm: %" PRIu32 " are less than sm.warp_size, %" PRIu32,
			c->sm.threads, c->sm.warp_size);
	return 1;
}
