/*
 * The PTX machine: parses PTX, holds a device's memory, and executes kernels functionally, thread
 * by thread in lockstep warps of 32, writing a thread trace. No time is modelled here.
 *
 * Kernels may launch kernels (device.h); none waits for those that it launched.
 *
 * Left out: mipmaps, tcgen05, wgmma, bulk copies. A kernel that holds what is not covered is
 * refused when it is launched, with opcode, file and line.
 */
#ifndef SIM_PTX_H
#define SIM_PTX_H

#include "libtrace/trace.h"

struct ptx_module;
struct ptx_kernel;
struct ptx_inst;
struct ptx_machine;

/*
 * Parses PTX text (need not end in NUL). Errors read "file.ptx:12: ..." and name what is wrong.
 * 1 or TR_EDATA, TR_EMEM.
 */
int ptx_parse(
	struct ptx_module **m, const char *text, size_t len, const char *path, struct tr_err *err);
/*
 * The same for several texts, n > 0, that are linked: what one declares .extern another one
 * defines; names that are neither .visible, .weak nor entries' are a text's own. Of several .weak
 * definitions the first one stands, or one that is not weak.
 */
struct ptx_text {
	const char *text;
	size_t len;
	const char *path;
};
int ptx_link(struct ptx_module **m, const struct ptx_text *texts, unsigned n, struct tr_err *err);
void ptx_module_free(struct ptx_module *m);
const struct ptx_kernel *ptx_find(const struct ptx_module *m, const char *entry); /* or NULL */
uint32_t ptx_nkernels(const struct ptx_module *m);
/*
 * 8, or 4: by its .address_size, else by the registers that it accesses global and generic memory
 * with.
 */
unsigned ptx_address_bytes(const struct ptx_module *m);
const struct ptx_kernel *ptx_kernel_at(const struct ptx_module *m, uint32_t i);
const char *ptx_kernel_name(const struct ptx_kernel *k);
const struct tr_program *ptx_program(const struct ptx_kernel *k);
uint32_t ptx_nparams(const struct ptx_kernel *k);
uint32_t ptx_param_bytes(const struct ptx_kernel *k, uint32_t i);  /* size of parameter i */
uint32_t ptx_param_offset(const struct ptx_kernel *k, uint32_t i); /* in the parameters' bytes */
/*
 * Why the kernel cannot be launched, as "file.ptx:12: ...", or NULL. It is there, with its name and
 * parameters, and its neighbours run.
 */
const char *ptx_refusal(const struct ptx_kernel *k);
uint32_t ptx_live_registers(const struct ptx_kernel *k); /* per thread, by liveness */
uint32_t ptx_shared_bytes(const struct ptx_kernel *k);   /* static */
uint32_t ptx_local_bytes(const struct ptx_kernel *k);    /* of a thread */
uint32_t ptx_max_threads(const struct ptx_kernel *k);    /* its .maxntid or .reqntid, or 0 */
/* Its .reqntid, which a launch's block has to be. 1, or 0 with 0, 0, 0: it has none. */
int ptx_required_block(const struct ptx_kernel *k, uint32_t block[3]);
uint32_t ptx_target(const struct ptx_kernel *k); /* 60 of .target sm_60, or 0 */
/*
 * What it says of its clusters: ctas from .reqnctapercluster, else 0, 0, 0; *most from
 * .maxclusterrank, else 0. Whether a launch has to say how many CTAs a cluster has
 * (.explicitcluster).
 */
int ptx_kernel_clusters(const struct ptx_kernel *k, uint32_t ctas[3], uint32_t *most);
/*
 * A constant variable that the kernel names and that has no initial data. *from is 0 at first, and
 * moved on for the next one; NULL: there is no other. One may come more than once.
 */
const char *ptx_zero_constant(const struct ptx_kernel *k, uint32_t *from);

/* What is resident at once while recording: CTAs beyond it wait, those in it take turns. */
struct ptx_resident {
	uint32_t sms, ctas_per_sm, threads_per_sm, registers_per_sm, shared_per_sm;
	uint32_t quantum; /* warp instructions a CTA's warp runs before the next one's turn */
	uint32_t shared_reserved; /* of shared_per_sm, bytes beside each CTA's own */
};
/* For programs that choose their CTAs for machines of today: as many SMs, larger ones. */
#define PTX_RESIDENT_PROGRAM                                                                       \
	{                                                                                          \
		30, 16, 2048, 65536, 98304, 512, 0                                                 \
	}
/* An H100's SMs, which hold what no machine of the papers holds. */
#define PTX_RESIDENT_LARGE                                                                         \
	{                                                                                          \
		132, 32, 2048, 65536, 233472, 512, 0                                               \
	}
/* machines/ccws.ini */
#define PTX_RESIDENT_DEFAULT                                                                       \
	{                                                                                          \
		30, 8, 1024, 16384, 16384, 512, 0                                                  \
	}

/* One executed warp instruction, for tests that compare a trace with what was run. */
struct ptx_executed {
	uint32_t launch;        /* number of launches before it on this machine */
	uint32_t ctas, threads; /* of the launch; threads of a CTA */
	uint32_t cta, group;    /* group: threads 32 group ... of the CTA */
	uint32_t inst, mask;    /* mask: lanes that reached it, whatever its guard */
};

#define PTX_REGION_BYTES (1ull << 42)

struct ptx_machine_options {
	struct ptx_resident resident;
	struct ptx_resident larger; /* for launches whose CTA does not fit there; sms 0: none */
	uint64_t max_insts;         /* thread instructions of one launch; 0: no bound */
	int sync_reads;             /* record reads that received another thread's write */
	void (*progress)(void *arg, uint64_t thread_insts); /* now and then; may be NULL */
	void *progress_arg;
	/*
	 * No thread of a launch can go on unless somebody else changes what it reads; times: how
	 * often that has been asked in a row, from 0 on. 1: somebody may, ask again; 0: nobody
	 * does, and the launch ends with a fault. NULL: the latter.
	 */
	int (*stalled)(void *arg, uint32_t times);
	void *stalled_arg;
	void (*executed)(void *arg, const struct ptx_executed *x); /* may be NULL */
	void *executed_arg;
	uint64_t region; /* a host address: device addresses are host addresses, PTX_REGION_BYTES
			    from here on, so that a program can use either; 0: device memory is
			    the machine's own */
	int narrow;      /* addresses have 32 bits, for modules whose have; not with a region */
	uint64_t memory; /* bytes that may be allocated at once; 0: no bound */
	uint64_t heap;   /* bytes for malloc in kernels; 0: 8 MiB, as CUDA has it */
	uint32_t stack;  /* bytes of a thread for functions that call themselves; 0: 4096 */
	/* Accesses where no memory is go on and are counted: reads get 0, writes are lost. */
	int forgive;
	/* The same, and misaligned ones too, each noted; and memory that is read unwritten, and
	 * races of shared memory. */
	int memcheck;
	/* What kernels print; NULL: nowhere. */
	void (*print)(void *arg, const char *text, size_t len);
	void *print_arg;
};

int ptx_machine_new(
	struct ptx_machine **m, const struct ptx_machine_options *opt, struct tr_err *err);
void ptx_machine_free(struct ptx_machine *m);

/*
 * Device memory. Allocations are 256-byte aligned, zeroed, at the same addresses in every run, with
 * unmapped bytes between them, so that running over an end is found. 0 without memory.
 */
uint64_t ptx_alloc(struct ptx_machine *m, const char *name, uint64_t bytes, struct tr_err *err);
/*
 * The same of memory that is not the device's, though kernels reach it: the bound on the device's
 * does not count it, and --memcheck does not ask who wrote it.
 */
uint64_t ptx_alloc_beside(
	struct ptx_machine *m, const char *name, uint64_t bytes, struct tr_err *err);
/*
 * Counts bytes as the device's, of memory that the caller made elsewhere, or no longer. 1, or 0:
 * the bound has no room for them.
 */
int ptx_count(struct ptx_machine *m, uint64_t bytes);
void ptx_uncount(struct ptx_machine *m, uint64_t bytes);
/* Host pointer to [addr, addr + bytes), all in one allocation, or NULL. */
void *ptx_host(struct ptx_machine *m, uint64_t addr, uint64_t bytes);
/* Frees what begins at addr, adopted memory too. 1, or TR_EUSAGE with where addr lies. */
int ptx_free(struct ptx_machine *m, uint64_t addr, struct tr_err *err);
/*
 * Makes the host's memory device memory at its own address, until ptx_free; for machines whose
 * device addresses are host addresses. The bound on the device's memory does not count it. 1,
 * TR_EUSAGE where it overlaps other memory, TR_EMEM.
 */
int ptx_adopt(
	struct ptx_machine *m, const char *name, void *host, uint64_t bytes, struct tr_err *err);
/* The allocation that addr lies in, its first address and bytes. 1, or 0: none. */
int ptx_allocation(struct ptx_machine *m, uint64_t addr, uint64_t *base, uint64_t *bytes);
const char *ptx_allocation_name(struct ptx_machine *m, uint64_t addr); /* or NULL: none there */
/* Words for where an address lies: "8 bytes into 'a' of 256 bytes, which was freed". */
void ptx_where(const struct ptx_machine *m, uint64_t addr, char *out, size_t size);
/*
 * Maps empty pages, of mmap's protection, at an address of the host's where nothing is mapped yet.
 * They take memory when they are touched. 0, or -1 with errno, EEXIST where something is.
 */
int ptx_map_at(uint64_t at, uint64_t bytes, int protection);
/* Of a machine whose device addresses are host addresses: is this one of its region? */
int ptx_is_device(const struct ptx_machine *m, uint64_t addr);
uint64_t ptx_allocated(const struct ptx_machine *m);    /* bytes, all together, */
uint64_t ptx_memory_used(const struct ptx_machine *m);  /* and those that the bound counts */
uint64_t ptx_memory_limit(const struct ptx_machine *m); /* bytes that may be, or 0: no bound */
/* The host wrote these bytes by an API call; the next launch's record lists it. 1 or TR_E*. */
int ptx_written(struct ptx_machine *m, uint64_t addr, uint64_t bytes, struct tr_err *err);
/* The same of rows that begin so many bytes after each other, by one call. */
int ptx_written_rows(struct ptx_machine *m, uint64_t addr, uint64_t pitch, uint64_t bytes,
	uint64_t rows, struct tr_err *err);
/* Copies to the device; the next launch's record lists it. */
int ptx_copy_in(
	struct ptx_machine *m, uint64_t dst, const void *src, uint64_t bytes, struct tr_err *err);
/* Copies back; counts as an API call. */
int ptx_copy_out(
	struct ptx_machine *m, void *dst, uint64_t src, uint64_t bytes, struct tr_err *err);

/* Gives the module's variables their memory. Once per module and machine. */
int ptx_load(struct ptx_machine *m, const struct ptx_module *mod, struct tr_err *err);
/* Address of a loaded module's .global or .const variable, bytes in *bytes; 0: none. */
uint64_t ptx_symbol(
	struct ptx_machine *m, const struct ptx_module *mod, const char *name, uint64_t *bytes);
/* Host bytes of a .const or .global variable, or NULL. */
void *ptx_symbol_host(
	struct ptx_machine *m, const struct ptx_module *mod, const char *name, uint64_t *bytes);

/*
 * Makes the host's memory the variable's, with what the variable holds; before any launch of the
 * module, on machines whose device addresses are host addresses. 1 or TR_E*.
 */
int ptx_symbol_move(struct ptx_machine *m, const struct ptx_module *mod, const char *name,
	void *host, struct tr_err *err);

/* How fetches read what lies in device memory, row after row, as a texture. */
enum ptx_texels { PTX_TEXELS_SIGNED, PTX_TEXELS_UNSIGNED, PTX_TEXELS_FLOAT };
enum ptx_wrap { PTX_WRAP_WRAP, PTX_WRAP_CLAMP, PTX_WRAP_MIRROR, PTX_WRAP_BORDER };
enum { PTX_LEVELS_MAX = 18 }; /* of a width of 131072 */
struct ptx_texture {
	uint64_t base;         /* of the first texel */
	uint64_t size[3];      /* texels; 1 where there is no such dimension */
	uint64_t pitch, slice; /* bytes from row to row, and from layer or depth to the next */
	uint32_t layers;       /* 0: none; of cube maps six each */
	uint8_t channels, channel_bits; /* 1, 2, 4 of 8, 16, 32 bits */
	uint8_t texels, wrap[3];        /* enum ptx_texels, enum ptx_wrap */
	uint8_t normalized, linear;     /* coordinates from 0 to 1; filtered */
	uint8_t scaled;                 /* integers are read as numbers up to 1 */
	uint8_t plain;                  /* linear memory: what is beyond it reads 0 */
	uint8_t blends;                 /* between two levels of a mipmap */
	float border[4];
	/* A mipmap: levels beside the first, each half as large, and which may be fetched from. */
	uint32_t nmore;
	float bias, min_level, max_level;
	struct ptx_level {
		uint64_t base, pitch, slice;
	} more[PTX_LEVELS_MAX - 1];
};
/*
 * Binds a texture to handle: the address of a .texref variable, or 0 for a new one. The handle, or
 * 0 without memory.
 */
uint64_t ptx_texture_bind(struct ptx_machine *m, uint64_t handle, const struct ptx_texture *t);
int ptx_texture_unbind(struct ptx_machine *m, uint64_t handle); /* 1, or 0: there is none */

struct ptx_launch {
	const struct ptx_kernel *kernel;
	uint32_t grid[3], block[3];
	uint32_t cluster[3];     /* CTAs of a cluster; 0, 0, 0: as the kernel says, or none */
	uint32_t dynamic_shared; /* bytes */
	uint32_t registers;      /* per thread; 0: by liveness */
	const void *const *args; /* one pointer per parameter, each to its bytes */
	uint32_t nargs;
};

/*
 * Runs a launch to its end, and all that its threads launched; records it into w unless w is NULL.
 * On a fault (TR_ERUN) err says kernel, CTA, thread, PC, source line and what happened. 1 or TR_E*.
 */
int ptx_launch(
	struct ptx_machine *m, const struct ptx_launch *l, struct tr_writer *w, struct tr_err *err);

/* For malloc in kernels; after one has called it: TR_EUSAGE. More than there is: TR_EMEM. */
int ptx_set_heap(struct ptx_machine *m, uint64_t bytes, struct tr_err *err);

/* A thread's stack, from the next launch on; 0: the usual one. */
void ptx_set_stack(struct ptx_machine *m, uint32_t bytes);

uint64_t ptx_thread_insts(const struct ptx_machine *m); /* executed so far, all launches */

/* What the last fault was, for those who have a number for it. */
enum ptx_fault {
	PTX_FAULT_OTHER,
	PTX_FAULT_ADDRESS,
	PTX_FAULT_MISALIGNED,
	PTX_FAULT_ASSERT,
	PTX_FAULT_TOO_LONG,
	PTX_FAULT_STACK,
	PTX_FAULT_ENDLESS,
};
enum ptx_fault ptx_fault_kind(const struct ptx_machine *m);
/* The last three are races: a read of what another thread wrote, and so on. */
enum ptx_finding_kind {
	PTX_FOUND_OUTSIDE,
	PTX_FOUND_MISALIGNED,
	PTX_FOUND_UNWRITTEN,
	PTX_FOUND_WRITE_READ,
	PTX_FOUND_READ_WRITE,
	PTX_FOUND_WRITE_WRITE,
	PTX_FOUND_KINDS,
};
/* What memcheck found of one instruction: how many lanes' accesses, and all about the first. */
struct ptx_finding {
	enum ptx_finding_kind kind;
	const struct ptx_inst *inst;
	uint64_t n;
	const char *kernel, *ptx, *file; /* the module's; file: of the source, NULL: unknown */
	uint32_t ptx_line, line, pc;     /* pc: in bytes */
	uint32_t launch, cta, thread;    /* launch: of those on this machine, from 0 */
	uint64_t address;
	uint32_t bytes;
	char sentence[sizeof(((struct tr_err *)0)->msg)];
};
/* How many there are, in the order in which they were found; *findings is the machine's. */
uint32_t ptx_findings(const struct ptx_machine *m, const struct ptx_finding **findings);
const char *ptx_finding_name(enum ptx_finding_kind kind);
/* The host writes this allocation without a call: memcheck takes all of it for written. */
void ptx_host_writes(struct ptx_machine *m, uint64_t addr);
/* How many accesses of lanes were forgiven; *first is a sentence about the first, or NULL. */
uint64_t ptx_forgiven(const struct ptx_machine *m, const char **first);

#endif
