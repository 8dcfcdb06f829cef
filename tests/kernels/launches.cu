/*
 * Kernels whose threads launch kernels: each of the calls, in all that may come of it. Compiled by
 * clang; test_ptx_launches.c also gives them the names that nvcc gives since CUDA 12.
 */
#include "cuda.h"

enum {
	MODE_ONE,       /* one child of 2 blocks of 16 threads for each thread */
	MODE_NOTHING,   /* a null buffer launches nothing */
	MODE_STREAMS,   /* two children in one created stream, two in the block's own */
	MODE_TWICE,     /* from here on faults: from one buffer twice */
	MODE_NO_BUFFER,
	MODE_NO_STREAM,
	MODE_NO_KERNEL,
	MODE_EMPTY,     /* no blocks */
	MODE_OUTSIDE,   /* the child writes outside of its buffer */
	MODE_STUCK,     /* the child waits for more threads than it has */
	MODE_ENDLESS,   /* the child does not end */
	MODE_BEYOND,    /* a parameter beyond the end of the buffer */
	MODE_PENDING,   /* more than may be pending */
	MODE_TAIL,      /* streams 3 and 4 */
};

struct add_args {
	int *out;
	short step; /* at its own alignment */
	double scale;
	int mode;
};

extern "C" __global__ void add(int *out, short step, double scale, int mode)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (mode == MODE_OUTSIDE)
		out += 1 << 20;
	if (mode == MODE_STUCK && threadIdx.x < 16)
		asm volatile("bar.sync 1, 96;" ::: "memory");
	while (mode == MODE_ENDLESS && atomicAdd(out, 0) >= 0)
		;
	atomicAdd(&out[i], (int)(step * scale));
}

WL_INLINE void *buffer(void *f, unsigned blocks, unsigned threads)
{
	return cudaGetParameterBufferV2(f, make_dim3(blocks, 1, 1), make_dim3(threads, 1, 1), 0);
}

WL_INLINE void launch_add(int *out, int mode, unsigned blocks, unsigned threads, cudaStream_t s)
{
	add_args *a = (add_args *)buffer(WL_KERNEL(add), blocks, threads);

	a->out = out;
	a->step = 3;
	a->scale = 2.0;
	a->mode = mode;
	cudaLaunchDeviceV2(a, s);
}

extern "C" __global__ void parent(int *out, int mode)
{
	cudaStream_t s = (cudaStream_t)(mode == MODE_NO_STREAM ? 77ul : 0ul);

	switch (mode) {
	case MODE_NOTHING:
		out[threadIdx.x] = cudaLaunchDeviceV2((void *)0, s);
		break;
	case MODE_STREAMS:
		cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
		launch_add(out, mode, 1, 32, s);
		launch_add(out, mode, 1, 32, s);
		launch_add(out, mode, 1, 32, 0);
		launch_add(out, mode, 1, 32, 0);
		break;
	case MODE_TWICE: {
		add_args *a = (add_args *)buffer(WL_KERNEL(add), 1, 32);
		a->out = out;
		a->step = 1;
		a->scale = 1.0;
		a->mode = 0;
		cudaLaunchDeviceV2(a, 0);
		cudaLaunchDeviceV2(a, 0);
		break;
	}
	case MODE_NO_BUFFER:
		cudaLaunchDeviceV2(out, 0);
		break;
	case MODE_NO_KERNEL:
		buffer(out, 1, 32);
		break;
	case MODE_EMPTY:
		launch_add(out, mode, 0, 32, 0);
		break;
	case MODE_STUCK:
		launch_add(out, mode, 1, 64, 0);
		break;
	case MODE_BEYOND: {
		int *a = (int *)buffer(WL_KERNEL(add), 1, 32);
		a[64] = 1;
		break;
	}
	case MODE_PENDING:
		for (int i = 0; i < 1 << 20; i++)
			launch_add(out, 0, 1, 1, 0);
		break;
	case MODE_TAIL:
		launch_add(out, mode, 1, 32, (cudaStream_t)3);
		launch_add(out, mode, 1, 32, (cudaStream_t)3);
		launch_add(out, mode, 1, 32, (cudaStream_t)4);
		break;
	default:
		launch_add(out, mode, 2, 16, s);
	}
}

struct tree_args {
	int *count;
	int depth, most;
};

/* A binary tree of launches of itself, down to `most`. */
extern "C" __global__ void tree(int *count, int depth, int most)
{
	atomicAdd(&count[depth], 1);
	if (depth < most) {
		tree_args *a = (tree_args *)buffer(WL_KERNEL(tree), 1, 2);
		a->count = count;
		a->depth = depth + 1;
		a->most = most;
		cudaLaunchDeviceV2(a, 0);
	}
}

/* As deep as it goes, one thread each. */
extern "C" __global__ void deep(int *count, int depth, int most)
{
	atomicAdd(&count[depth], 1);
	if (depth < most) {
		tree_args *a = (tree_args *)buffer(WL_KERNEL(deep), 1, 1);
		a->count = count;
		a->depth = depth + 1;
		a->most = most;
		cudaLaunchDeviceV2(a, 0);
	}
}
