/*
 * The driver's copies of blocks and sets of rows, between the host, the device and back, in streams
 * and captured; memory in the order of a stream; functions by their names.
 */
#include <cuda.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define MUST(call, want)                                                                           \
	do {                                                                                       \
		const CUresult r_ = (call);                                                        \
		if (r_ != (want)) {                                                                \
			printf("line %d: %d\n", __LINE__, (int)r_);                                \
			exit(1);                                                                   \
		}                                                                                  \
	} while (0)
#define OK(call) MUST(call, CUDA_SUCCESS)
#define CHECK(x)                                                                                   \
	do {                                                                                       \
		if (!(x)) {                                                                        \
			printf("line %d: %s\n", __LINE__, #x);                                     \
			exit(1);                                                                   \
		}                                                                                  \
	} while (0)

enum { WIDTH = 40, HEIGHT = 7, DEPTH = 3, PITCH = 64 };

int main()
{
	CUdevice device;
	CUcontext context;
	CUdeviceptr p, q, base;
	CUstream stream;
	CUgraph graph;
	CUgraphExec exec;
	size_t bytes;
	unsigned char in[DEPTH][HEIGHT][WIDTH], out[DEPTH][HEIGHT][WIDTH];
	unsigned words[HEIGHT][PITCH / 4];
	unsigned short halves[HEIGHT][PITCH / 2];

	OK(cuInit(0));
	OK(cuDeviceGet(&device, 0));
	OK(cuCtxCreate(&context, 0, device));
	OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	OK(cuMemAlloc(&p, PITCH * HEIGHT * DEPTH));
	OK(cuMemAlloc(&q, WIDTH * HEIGHT * DEPTH));
	for (unsigned i = 0; i < sizeof(in); i++)
		in[0][0][i] = (unsigned char)(i * 7);

	CUDA_MEMCPY3D up = {}, over = {};
	up.srcMemoryType = CU_MEMORYTYPE_HOST;
	up.srcHost = in;
	up.srcPitch = WIDTH;
	up.srcHeight = HEIGHT;
	up.dstMemoryType = CU_MEMORYTYPE_DEVICE;
	up.dstDevice = p;
	up.dstPitch = PITCH;
	up.dstHeight = HEIGHT;
	up.WidthInBytes = WIDTH;
	up.Height = HEIGHT;
	up.Depth = DEPTH;
	OK(cuMemcpy3D(&up));
	over.srcMemoryType = over.dstMemoryType = CU_MEMORYTYPE_DEVICE;
	over.srcDevice = p;
	over.srcPitch = PITCH;
	over.srcHeight = HEIGHT;
	over.dstDevice = q;
	over.dstPitch = WIDTH;
	over.dstHeight = HEIGHT;
	over.WidthInBytes = WIDTH;
	over.Height = HEIGHT;
	over.Depth = DEPTH;
	OK(cuMemcpy3DAsync(&over, stream));
	OK(cuMemcpyDtoH(out, q, sizeof(out)));
	CHECK(!memcmp(in, out, sizeof(in)));

	/* Five by three bytes from the middle of the second plane, to another place of the host. */
	CUDA_MEMCPY2D part = {};
	memset(out, 0, sizeof(out));
	part.srcMemoryType = CU_MEMORYTYPE_DEVICE;
	part.srcDevice = p + PITCH * HEIGHT;
	part.srcPitch = PITCH;
	part.srcXInBytes = 9;
	part.srcY = 2;
	part.dstMemoryType = CU_MEMORYTYPE_HOST;
	part.dstHost = out;
	part.dstPitch = WIDTH;
	part.dstXInBytes = 1;
	part.dstY = 3;
	part.WidthInBytes = 5;
	part.Height = 3;
	OK(cuMemcpy2D(&part));
	for (int y = 0; y < HEIGHT; y++)
		for (int x = 0; x < WIDTH; x++) {
			const bool within = x >= 1 && x < 6 && y >= 3 && y < 6;
			CHECK(out[0][y][x] == (within ? in[1][y - 1][x + 8] : 0));
		}
	part.Height = 1000;
	MUST(cuMemcpy2D(&part), CUDA_ERROR_INVALID_VALUE);
	MUST(cuMemcpy2DAsync(NULL, stream), CUDA_ERROR_INVALID_VALUE);
	/* Rows beyond their pitch: none of the errors that only the runtime has. */
	part.Height = 2;
	part.srcXInBytes = PITCH - 4;
	MUST(cuMemcpy2D(&part), CUDA_ERROR_INVALID_VALUE);
	part.srcXInBytes = PITCH - 5;
	OK(cuMemcpy2D(&part));
	part.dstPitch = 4;
	MUST(cuMemcpy2D(&part), CUDA_ERROR_INVALID_VALUE);

	/* Sets, one of them captured with 32-bit elements and run twice. */
	OK(cuMemsetD8(p, 0, PITCH * HEIGHT));
	OK(cuMemsetD2D32(p, PITCH, 0x01020304, 3, HEIGHT));
	OK(cuMemcpyDtoH(words, p, sizeof(words)));
	CHECK(words[6][2] == 0x01020304 && words[6][3] == 0 && words[0][0] == 0x01020304);
	OK(cuMemsetD2D16Async(p + 2, PITCH, 0xabcd, 4, 2, stream));
	OK(cuMemcpyDtoH(halves, p, sizeof(halves)));
	CHECK(halves[1][4] == 0xabcd && halves[1][5] == 0x0102 && halves[2][1] == 0x0102);
	MUST(cuMemsetD2D32(p + 2, PITCH, 0, 1, 1), CUDA_ERROR_INVALID_VALUE);
	MUST(cuMemsetD2D32(p, 8, 0, 3, 2), CUDA_ERROR_INVALID_VALUE);
	OK(cuMemsetD2D32(p, 0, 1, 0, (size_t)1 << 40)); /* nothing, and not row by row */
	OK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
	OK(cuMemsetD2D16Async(p, 0, 1, 0, (size_t)1 << 40, stream));
	OK(cuMemsetD32Async(p, 77, PITCH / 4, stream));
	OK(cuStreamEndCapture(stream, &graph));
	OK(cuMemcpyDtoH(words, p, sizeof(words)));
	CHECK(words[0][9] != 77);
	OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
	OK(cuGraphLaunch(exec, stream));
	OK(cuMemcpyDtoH(words, p, sizeof(words)));
	CHECK(words[0][9] == 77 && words[1][9] != 77);
	OK(cuMemsetD8(p, 0, PITCH));
	OK(cuGraphLaunch(exec, stream));
	OK(cuMemcpyDtoH(words, p, sizeof(words)));
	CHECK(words[0][15] == 77);
	OK(cuGraphExecDestroy(exec));
	OK(cuGraphDestroy(graph));

	/* Addresses, and memory in a stream's order. */
	OK(cuMemGetAddressRange(&base, &bytes, p + 100));
	CHECK(base == p && bytes == PITCH * HEIGHT * DEPTH);
	unsigned kind;
	OK(cuPointerGetAttribute(&kind, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p));
	CHECK(kind == CU_MEMORYTYPE_DEVICE);
	MUST(cuPointerGetAttribute(&kind, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)&kind),
		CUDA_ERROR_INVALID_VALUE);
	OK(cuMemAllocAsync(&base, 4096, stream));
	OK(cuMemFreeAsync(base, stream));
	MUST(cuMemFreeAsync(base, stream), CUDA_ERROR_INVALID_VALUE);
	CUresult (*get_count)(int *) = NULL;
	int count = 0;
	OK(cuGetProcAddress("cuDeviceGetCount", (void **)&get_count, 11080, 0));
	OK(get_count(&count));
	CHECK(count == 1);
	MUST(cuGetProcAddress("cuNoSuchThing", (void **)&get_count, 11080, 0), CUDA_ERROR_NOT_FOUND);
	puts("PASSED");
}
