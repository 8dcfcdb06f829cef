/*
 * The driver's functions alone: PTX from a text, two texts that are linked, a global variable,
 * arguments one by one and in a buffer, memory by elements, and the errors of wrong uses.
 */
#include <cuda.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define MUST(call, want)                                                                           \
	do {                                                                                       \
		const CUresult r_ = (call);                                                        \
		if (r_ != (want)) {                                                                \
			const char *name_ = "?";                                                   \
			cuGetErrorName(r_, &name_);                                                \
			printf("line %d: %s\n", __LINE__, name_);                                  \
			exit(1);                                                                   \
		}                                                                                  \
	} while (0)
#define OK(call) MUST(call, CUDA_SUCCESS)
#define HEAD ".version 7.0\n.target sm_60\n.address_size 64\n"

static const char add[] =
	HEAD ".visible .global .u32 bias = 5;\n"
	     ".extern .func (.param .b32 r) weigh(.param .b32 v);\n"
	     ".visible .entry add(.param .u64 to, .param .u32 n) {\n"
	     ".reg .b32 %r<6>; .reg .b64 %rd<4>; .reg .pred %p;\n"
	     "ld.param.u64 %rd0, [to]; ld.param.u32 %r0, [n];\n"
	     "mov.u32 %r1, %tid.x; setp.ge.u32 %p, %r1, %r0; @%p ret;\n"
	     "mul.wide.u32 %rd1, %r1, 4; add.u64 %rd0, %rd0, %rd1;\n"
	     "ld.global.u32 %r2, [%rd0]; ld.global.u32 %r3, [bias]; add.u32 %r2, %r2, %r3;\n"
	     "{ .param .b32 v; .param .b32 r; st.param.b32 [v], %r2; call (r), weigh, (v);\n"
	     "ld.param.b32 %r4, [r]; }\n"
	     "st.global.u32 [%rd0], %r4; ret; }\n";
static const char weigh[] =
	HEAD ".visible .func (.param .b32 r) weigh(.param .b32 v) { .reg .b32 %r<3>;\n"
	     "ld.param.b32 %r0, [v]; mul.lo.u32 %r1, %r0, 10; st.param.b32 [r], %r1; ret; }\n";

int main()
{
	CUdevice device;
	CUcontext context, now;
	CUmodule module;
	CUfunction f;
	CUdeviceptr p, bias;
	CUlinkState link;
	CUstream stream;
	size_t bytes;
	unsigned n = 32, got[64], five;
	int major;
	void *image;
	char log[256] = "", name[32];
	CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
	void *values[] = {log, (void *)sizeof(log)};

	OK(cuInit(0));
	OK(cuDeviceGet(&device, 0));
	OK(cuDeviceGetName(name, sizeof(name), device)); /* before all that starts the machine */
	if (strcmp(name, "warptrace"))
		return 1;
	OK(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device));
	OK(cuCtxCreate(&context, 0, device));
	OK(cuCtxGetCurrent(&now));
	if (now != context || major < 6)
		return 1;

	OK(cuLinkCreate(0, NULL, NULL, &link));
	OK(cuLinkAddData(link, CU_JIT_INPUT_PTX, (void *)add, sizeof(add), "add", 0, NULL, NULL));
	OK(cuLinkAddData(
		link, CU_JIT_INPUT_PTX, (void *)weigh, sizeof(weigh), "weigh", 0, NULL, NULL));
	OK(cuLinkComplete(link, &image, &bytes));
	OK(cuModuleLoadData(&module, image));
	OK(cuLinkDestroy(link));
	MUST(cuModuleGetFunction(&f, module, "other"), CUDA_ERROR_NOT_FOUND);
	OK(cuModuleGetFunction(&f, module, "add"));
	OK(cuModuleGetGlobal(&bias, &bytes, module, "bias"));
	OK(cuMemcpyDtoH(&five, bias, sizeof(five)));
	if (five != 5 || bytes != 4)
		return 1;

	OK(cuMemAlloc(&p, sizeof(got)));
	OK(cuMemsetD32(p, 7, 64));
	OK(cuMemsetD16(p + 128, 3, 2));
	OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	void *args[] = {&p, &n};
	OK(cuLaunchKernel(f, 1, 1, 1, 64, 1, 1, 0, stream, args, NULL));
	struct {
		CUdeviceptr p;
		unsigned n;
	} packed = {p, 16};
	bytes = sizeof(packed);
	void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE,
		&bytes, CU_LAUNCH_PARAM_END};
	OK(cuLaunchKernel(f, 1, 1, 1, 64, 1, 1, 0, stream, NULL, extra));
	OK(cuStreamSynchronize(stream));
	OK(cuMemcpyDtoH(got, p, sizeof(got)));
	for (unsigned i = 0; i < 64; i++)
		if (got[i] != (i < 16 ? 1250 : i < 32 ? 120 : i == 32 ? 0x30003 : 7)) {
			printf("%u: %u\n", i, got[i]);
			return 1;
		}

	const struct {
		CUfunction_attribute attribute;
		int value;
	} attributes[] = {{CU_FUNC_ATTRIBUTE_PTX_VERSION, 60},
		{CU_FUNC_ATTRIBUTE_BINARY_VERSION, 80}, {CU_FUNC_ATTRIBUTE_CACHE_MODE_CA, 0},
		{CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, -1}};
	for (const auto &a : attributes) {
		int value = 12345;
		OK(cuFuncGetAttribute(&value, a.attribute, f));
		if (value != a.value) {
			printf("attribute %d: %d\n", (int)a.attribute, value);
			return 1;
		}
	}
	const CUfunction_attribute carveout = CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT;
	OK(cuFuncSetAttribute(f, carveout, 50));
	MUST(cuFuncSetAttribute(f, carveout, 101), CUDA_ERROR_INVALID_VALUE);
	OK(cuFuncGetAttribute(&major, carveout, f));
	if (major != 50)
		return 1;

	MUST(cuModuleLoadDataEx(&module, HEAD ".visible .func f( { }", 2, options, values),
		CUDA_ERROR_INVALID_PTX);
	puts(log);
	MUST(cuModuleLoad(&module, "nowhere.ptx"), CUDA_ERROR_FILE_NOT_FOUND);
	MUST(cuLaunchKernel(f, 0, 1, 1, 64, 1, 1, 0, stream, args, NULL), CUDA_ERROR_INVALID_VALUE);
	MUST(cuLaunchKernel(f, 1, 1, 1, 64, 1, 1, 0, stream, NULL, NULL), CUDA_ERROR_INVALID_VALUE);
	/* A block has the extents that .reqntid wants. */
	CUmodule sized;
	CUfunction of_64;
	OK(cuModuleLoadData(&sized, HEAD ".visible .entry k() .reqntid 32, 2 { ret; }"));
	OK(cuModuleGetFunction(&of_64, sized, "k"));
	OK(cuLaunchKernel(of_64, 1, 1, 1, 32, 2, 1, 0, stream, NULL, NULL));
	MUST(cuLaunchKernel(of_64, 1, 1, 1, 64, 1, 1, 0, stream, NULL, NULL),
		CUDA_ERROR_INVALID_VALUE);
	MUST(cuLaunchKernel(of_64, 1, 1, 1, 32, 1, 1, 0, stream, NULL, NULL),
		CUDA_ERROR_INVALID_VALUE);
	OK(cuModuleUnload(sized));
	/* Files that break off, or promise what they have not; handles of nothing. */
	const struct {
		unsigned words[8], bytes;
	} files[] = {{{0xba55ed50}, 4}, {{0xba55ed50, 0x100001}, 12},
		{{0xba55ed50, 0x100001, 1000}, 16}, {{0x466243b1, 1, 64, 64}, 24},
		{{0x4b4c5457, 1000}, 32}, {{0x4b4c5457}, 4}, {{0}, 0}};
	for (unsigned i = 0; i < sizeof(files) / sizeof(*files); i++) {
		FILE *file = fopen("broken.bin", "wb");
		fwrite(files[i].words, 1, files[i].bytes, file);
		fclose(file);
		MUST(cuModuleLoad(&module, "broken.bin"), CUDA_ERROR_INVALID_IMAGE);
	}
	OK(cuLinkCreate(0, NULL, NULL, &link));
	MUST(cuLinkAddData(link, CU_JIT_INPUT_FATBINARY, (void *)files[2].words, 16, "cut", 0, NULL,
		     NULL),
		CUDA_ERROR_INVALID_IMAGE);
	OK(cuLinkDestroy(link));
	MUST(cuModuleGetFunction(&f, (CUmodule)log, "add"), CUDA_ERROR_INVALID_HANDLE);
	MUST(cuModuleUnload((CUmodule)log), CUDA_ERROR_INVALID_HANDLE);
	MUST(cuGetErrorName(CUDA_SUCCESS, NULL), CUDA_ERROR_INVALID_VALUE);
	MUST(cuDeviceTotalMem(NULL, device), CUDA_ERROR_INVALID_VALUE);
	MUST(cuDeviceGetAttribute(NULL, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device),
		CUDA_ERROR_INVALID_VALUE);
	MUST(cuCtxGetCurrent(NULL), CUDA_ERROR_INVALID_VALUE);
	MUST(cuCtxGetDevice(NULL), CUDA_ERROR_INVALID_VALUE);
	MUST(cuDevicePrimaryCtxRetain(NULL, device), CUDA_ERROR_INVALID_VALUE);
	MUST(cuMemHostGetDevicePointer(NULL, log, 0), CUDA_ERROR_INVALID_VALUE);
	OK(cuMemFree(p));
	OK(cuCtxDestroy(context));
	MUST(cuCtxDestroy(context), CUDA_ERROR_INVALID_CONTEXT);
	MUST(cuCtxSetCurrent(context), CUDA_ERROR_INVALID_CONTEXT);
	puts("PASSED");
	return 0;
}
