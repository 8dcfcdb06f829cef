/*
 * What a program does with device memory that it has freed, or never had. By its first argument:
 * read, write, past or call (the host's), as N (by the host's N-th instruction), kernel (a kernel's), copy, caught (by a handler of the
 * program's own), restored (such a handler was there and is no more), ignored (the signal, and one
 * that is sent), rounds N (of an allocation, a launch and a free; the memory that it takes), large N
 * (rounds of nearly all memory there is).
 */
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

__global__ void put(int *v)
{
	v[threadIdx.x] = threadIdx.x;
}

static sigjmp_buf back;

static void caught(int)
{
	siglongjmp(back, 1);
}

/* A figure of the process in KiB, such as what it holds (VmRSS) or its page tables (VmPTE). */
static long figure(const char *name)
{
	char line[256];
	long n = 0;
	FILE *f = fopen("/proc/self/status", "r");

	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, name, strlen(name)))
			n = atol(line + strlen(name) + 1);
	if (f)
		fclose(f);
	return n;
}

/* Instructions of several sizes, some told apart by their prefixes alone. */
static void access_as(int n, void *p)
{
#ifdef __x86_64__
#define AS(i, text)                                                                                \
	if (n == i)                                                                                \
	asm volatile(text : : "r"(p) : "memory")
	AS(0, "movw $1, (%0)");
	AS(1, "movl $1, (%0)");
	AS(2, "movq $1, (%0)");
	AS(3, "movzwl (%0), %%eax");
	AS(4, "movslq (%0), %%rax");
	AS(5, "movd (%0), %%xmm0");
	AS(6, "movd %%xmm0, (%0)");
	AS(7, "movq (%0), %%xmm0");
	AS(8, "movups %%xmm0, (%0)");
	AS(9, "addss (%0), %%xmm0");
	AS(10, "addsd (%0), %%xmm0");
#endif
}

static void round_of(size_t bytes)
{
	int *v;

	if (cudaMallocManaged(&v, bytes))
		exit(2);
	cudaMemPrefetchAsync(v, bytes, 0);
	put<<<1, 32>>>(v);
	cudaFree(v);
}

static int rounds(long n)
{
	const size_t sizes[] = {128, 5000, 1 << 20};

	for (int i = 0; i < 300; i++)
		round_of(sizes[i % 3]);
	const long before = figure("VmRSS") + figure("VmPTE");
	for (long i = 0; i < n; i++)
		round_of(sizes[i % 3]);
	const long more = figure("VmRSS") + figure("VmPTE") - before;
	printf("%ld KiB more after %ld rounds, %s\n", more, n,
		cudaGetErrorString(cudaGetLastError()));
	return 0;
}

static int large(long n)
{
	size_t room, all;
	cudaError_t e = cudaMemGetInfo(&room, &all);
	int *v, *kept;
	unsigned char h = 1, sum = 0;

	cudaMalloc(&kept, 4096);
	for (long i = 0; !e && i < n; i++) {
		e = cudaMalloc(&v, room - (1 << 20));
		cudaMemcpy(&h, v, 1, cudaMemcpyDeviceToHost);
		sum += h;
		cudaMemset(v, 1, 1);
		cudaFree(v);
	}
	printf("%d, %s\n", sum, cudaGetErrorString(e));
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	volatile int *v;
	int *p, *other, h = 0;

	if (!strcmp(what, "rounds"))
		return rounds(atol(argv[2]));
	if (!strcmp(what, "large"))
		return large(atol(argv[2]));
	signal(SIGSEGV, strcmp(what, "caught") ? strcmp(what, "ignored") ? SIG_DFL : SIG_IGN : caught);
	cudaMalloc(&p, 1024);
	v = p;
	if (!strcmp(what, "ignored")) {
		raise(SIGSEGV);
		return puts("ignored") < 0;
	}
	if (!strcmp(what, "restored")) {
		signal(SIGSEGV, signal(SIGSEGV, caught));
		cudaMalloc(&other, 1024);
	}
	put<<<1, 32>>>(p);
	v[8] = v[7] + 1;
	if (!strcmp(what, "past"))
		return ((volatile double *)p)[512] != 0;
	cudaFree(p);
	if (!strcmp(what, "kernel")) {
		put<<<1, 32>>>(p);
		puts(cudaGetErrorString(cudaDeviceSynchronize()));
	} else if (!strcmp(what, "copy")) {
		puts(cudaGetErrorString(cudaMemcpy(&h, p, sizeof(h), cudaMemcpyDefault)));
	} else if (sigsetjmp(back, 1)) {
		puts("caught");
	} else if (!strcmp(what, "as")) {
		access_as(atoi(argv[2]), p);
	} else if (!strcmp(what, "write")) {
		*((volatile char *)p + 9) = 1;
	} else if (!strcmp(what, "call")) {
		((void (*)(void))p)();
	} else {
		h = v[2];
	}
	return 0;
}
