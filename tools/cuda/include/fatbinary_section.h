/* What points at a fat binary in a host's object: the struct, its numbers and its sections. */
#ifndef __fatbinary_section_h__
#define __fatbinary_section_h__

#define FATBINC_MAGIC 0x466243b1
#define FATBINC_VERSION 1
#define FATBINC_LINK_VERSION 2 /* filename_or_fatbins is a list of fat binaries */
#define FATBIN_CONTROL_SECTION_NAME ".nvFatBinSegment"
#define FATBIN_DATA_SECTION_NAME ".nv_fatbin"

typedef struct {
	int magic, version;
	const unsigned long long *data;
	void *filename_or_fatbins;
} __fatBinC_Wrapper_t;

#endif
