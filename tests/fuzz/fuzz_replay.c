/*
 * Random valid records (record.h) through all that reads them (check.h). The input is a seed of
 * four bytes and then decisions, which are the record's and the machine's; where they end, the seed
 * decides.
 */
#include "must.h"
#include "check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct check_counts counts = {0};
	uint32_t seed = 0;

	if (size < sizeof(seed))
		return 0;
	memcpy(&seed, data, sizeof(seed));
	dice_bytes = data + sizeof(seed);
	dice_left = size - sizeof(seed);
	check_record(seed, UINT32_MAX, &counts);
	dice_left = 0;
	return 0;
}
