/* Channel formats. */
#include "rt.h"

struct cudaChannelFormatDesc cudaCreateChannelDesc(
	int x, int y, int z, int w, enum cudaChannelFormatKind f)
{
	return (struct cudaChannelFormatDesc){x, y, z, w, f};
}
