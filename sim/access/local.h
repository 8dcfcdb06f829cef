/*
 * Where local memory lies: interleaved by words of 4 bytes, so that word w of a thread stands
 * beside word w of the threads next to it on the SM, and lanes that read the same variable
 * coalesce. An SM's local memory begins SIM_LOCAL_SM_BYTES after that of the SM before. One
 * definition for trace-coalesce and for the replay machine.
 */
#ifndef SIM_ACCESS_LOCAL_H
#define SIM_ACCESS_LOCAL_H

#include <stdint.h>

#define SIM_LOCAL_BASE 0x600000000000ull
#define SIM_LOCAL_SM_BYTES (1ull << 36)

/*
 * Address of byte `offset` of a thread's local memory, counted from its beginning. slot: the
 * thread's slot on the SM, which has `slots` of them.
 */
static inline uint64_t sim_local_address(
	uint32_t sm, uint32_t slots, uint32_t slot, uint64_t offset)
{
	return SIM_LOCAL_BASE + sm * SIM_LOCAL_SM_BYTES + offset / 4 * 4 * slots + slot * 4ull +
	       offset % 4;
}

/* Bytes of an access that are contiguous: a thread's words are not side by side. */
static inline unsigned sim_local_step(unsigned bytes)
{
	return bytes < 4 ? bytes : 4;
}

#endif
