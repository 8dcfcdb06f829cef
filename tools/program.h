/*
 * A CUDA program of the user's own, run whole with the runtime of libwarptrace-cudart in the place
 * of NVIDIA's, so that its launches are recorded.
 */
#ifndef TOOLS_PROGRAM_H
#define TOOLS_PROGRAM_H

#include "tools/common.h"

struct program {
	char **argv; /* the program and its arguments, NULL at the end */
	const struct common *common;
	struct ptx_resident resident;
	const char *launches;       /* A[-B], or NULL */
	const char *kernel;         /* record this one only, or NULL */
	uint64_t max_insts, memory; /* memory: bytes of the device, 0 for the default */
	int level;
	bool sync_reads, memcheck, forgive; /* forgive: accesses out of bounds go on */
	const char *findings;               /* file of memcheck's, or NULL */
};

/* Runs it and writes the record to common->output. What trace-gen has to end with. */
int program_run(const struct program *p);

#endif
