/* The coalescer's twin, which looks at every byte: for rules that take whole lines (cc2, sector32).
 */
#ifndef COALESCE_TWIN_H
#define COALESCE_TWIN_H

#include "sim/access/coalesce.h"

/* For lines and sectors: every group's bytes by line, lines in the order of first touch. */
static inline unsigned coalesce_twin(unsigned line, unsigned width, unsigned size,
	const uint64_t *lanes, const uint64_t *address, unsigned bytes, struct sim_transaction *out)
{
	unsigned n = 0;

	for (unsigned first = 0; first < size; first += width) {
		const unsigned group = n;

		for (unsigned l = first; l < size && l < first + width; l++)
			for (unsigned b = 0; b < bytes && lanes[l / 64] >> l % 64 & 1; b++) {
				const uint64_t base = (address[l] + b) / line * line;
				unsigned i = group;

				while (i < n && out[i].base != base)
					i++;
				if (i == n)
					out[n++] = (struct sim_transaction){
						.base = base, .size = line};
				out[i].lanes[l / 64] |= 1ull << l % 64;
				out[i].sectors |= 1u << (address[l] + b) % line / 32;
			}
		for (unsigned i = group; i < n; i++) /* distinct bytes: count them one by one */
			for (unsigned at = 0; at < line; at++) {
				int hit = 0;

				for (unsigned l = first; l < size && l < first + width; l++)
					hit |= lanes[l / 64] >> l % 64 & 1 &&
					       out[i].base + at - address[l] < bytes;
				out[i].bytes = (uint16_t)(out[i].bytes + hit);
			}
	}
	return n;
}

#endif
