/* cudaCreateChannelDesc<T>(): how an element of a texture or array lies in memory. */
#ifndef __CHANNEL_DESCRIPTOR_H__
#define __CHANNEL_DESCRIPTOR_H__

#include "cuda_runtime_api.h"

#if defined(__cplusplus)

template <class T> static inline cudaChannelFormatDesc cudaCreateChannelDesc()
{
	return cudaChannelFormatDesc{0, 0, 0, 0, cudaChannelFormatKindNone};
}
#define WT_ONE(T, x, y, z, w, kind)                                                                \
	template <> inline cudaChannelFormatDesc cudaCreateChannelDesc<T>()                        \
	{                                                                                          \
		return cudaChannelFormatDesc{x, y, z, w, cudaChannelFormatKind##kind};             \
	}
#define WT_CHANNELS(T, name, bits, kind)                                                           \
	WT_ONE(T, bits, 0, 0, 0, kind)                                                             \
	WT_ONE(name##1, bits, 0, 0, 0, kind)                                                       \
	WT_ONE(name##2, bits, bits, 0, 0, kind)                                                    \
	WT_ONE(name##4, bits, bits, bits, bits, kind)
WT_ONE(char, 8, 0, 0, 0, Signed)
WT_CHANNELS(signed char, char, 8, Signed)
WT_CHANNELS(unsigned char, uchar, 8, Unsigned)
WT_CHANNELS(short, short, 16, Signed)
WT_CHANNELS(unsigned short, ushort, 16, Unsigned)
WT_CHANNELS(int, int, 32, Signed)
WT_CHANNELS(unsigned int, uint, 32, Unsigned)
WT_CHANNELS(float, float, 32, Float)
#undef WT_CHANNELS
#undef WT_ONE

#endif

#endif
