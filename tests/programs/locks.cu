/*
 * What lanes of one warp do for each other while some of them wait: locks of all kinds, queues,
 * flags, barriers by hand. From sm_70 on all of it ends. Kernels count under a lock without an
 * atomic, so that two threads in it at once would be seen.
 */
#include <cstdio>
#include <cstring>

#define COUNT(n) (*(n) = *(n) + 1, __threadfence())

__global__ void naive(int *l, volatile int *n)
{
	while (atomicCAS(l, 0, 1))
		;
	COUNT(n);
	atomicExch(l, 0);
}

__global__ void safe(int *l, volatile int *n)
{
	bool done = false;

	while (!done)
		if (atomicCAS(l, 0, 1) == 0) {
			COUNT(n);
			atomicExch(l, 0);
			done = true;
		}
}

__global__ void by_exchange(int *l, volatile int *n)
{
	while (atomicExch(l, 1))
		__nanosleep(20);
	COUNT(n);
	atomicExch(l, 0);
}

/* The time doubles up to a bound. */
__global__ void backing_off(int *l, volatile int *n)
{
	unsigned ns = 8;

	while (atomicCAS(l, 0, 1)) {
		__nanosleep(ns);
		if (ns < 256)
			ns *= 2;
	}
	COUNT(n);
	atomicExch(l, 0);
}

/* Tries are counted, and nothing depends on that. */
__global__ void counting(int *l, volatile int *n, int *tries)
{
	int t = 0;

	while (atomicCAS(l, 0, 1))
		t++;
	COUNT(n);
	atomicExch(l, 0);
	tries[blockIdx.x * blockDim.x + threadIdx.x] = t;
}

/* Who has tried often enough, or long enough, goes another way. */
__global__ void giving_up(int *l, volatile int *n, int *missed)
{
	for (int i = 0; i < 1000; i++)
		if (atomicCAS(l, 0, 1) == 0) {
			COUNT(n);
			atomicExch(l, 0);
			return;
		}
	atomicAdd(missed, 1);
}

__global__ void timed(int *l, volatile int *n, int *missed)
{
	const long long begin = clock64();

	while (atomicCAS(l, 0, 1))
		if (clock64() - begin > 1000000) {
			atomicAdd(missed, 1);
			return;
		}
	COUNT(n);
	atomicExch(l, 0);
}

__global__ void ticket(volatile int *next, int *given, volatile int *n)
{
	const int mine = atomicAdd(given, 1);

	while (*next != mine)
		;
	COUNT(n);
	*next = mine + 1;
}

/* One lane of each warp. */
__global__ void ticket_of_warps(volatile int *next, int *given, volatile int *n)
{
	if (threadIdx.x % 32 == 0) {
		const int mine = atomicAdd(given, 1);
		while (*next != mine)
			;
		COUNT(n);
		*next = mine + 1;
	}
	__syncwarp();
}

/* Mellor-Crummey and Scott's lock: each waits for a word of its own. */
__global__ void queue(int *tail, volatile int *locked, volatile int *after, volatile int *n)
{
	const int me = blockIdx.x * blockDim.x + threadIdx.x + 1;
	int before;

	after[me] = 0;
	locked[me] = 1;
	__threadfence();
	before = atomicExch(tail, me);
	if (before) {
		after[before] = me;
		while (locked[me])
			;
	}
	COUNT(n);
	if (!after[me]) {
		if (atomicCAS(tail, me, 0) == me)
			return;
		while (!after[me])
			;
	}
	locked[after[me]] = 0;
}

struct node {
	int next;
};

__global__ void list(int *l, volatile int *head, volatile node *nodes)
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x;

	while (atomicCAS(l, 0, 1))
		;
	nodes[i].next = *head;
	*head = i;
	__threadfence();
	atomicExch(l, 0);
}

__global__ void buckets(int *locks, volatile int *counts, int n)
{
	const int b = (blockIdx.x * blockDim.x + threadIdx.x) * 7 % n;

	while (atomicCAS(&locks[b], 0, 1))
		;
	COUNT(&counts[b]);
	atomicExch(&locks[b], 0);
}

__global__ void nested(int *l, volatile int *n)
{
	while (atomicCAS(&l[0], 0, 1))
		;
	while (atomicCAS(&l[1], 0, 1))
		;
	COUNT(n);
	atomicExch(&l[1], 0);
	COUNT(n);
	atomicExch(&l[0], 0);
}

__device__ __noinline__ void take(int *l)
{
	while (atomicCAS(l, 0, 1))
		;
}

__device__ __noinline__ void give(int *l)
{
	__threadfence();
	atomicExch(l, 0);
}

__global__ void in_branches(int *l, volatile int *n)
{
	if (threadIdx.x % 3) {
		take(l);
		*n = *n + 1;
		give(l);
	} else {
		take(l);
		*n = *n + 2;
		give(l);
	}
	__syncthreads();
}

__global__ void semaphore(int *free, int *n)
{
	for (;;) {
		const int v = *(volatile int *)free;
		if (v > 0 && atomicCAS(free, v, v - 1) == v)
			break;
	}
	atomicAdd(n, 1);
	__threadfence();
	atomicAdd(free, 1);
}

/* Many may read, one may write. */
__global__ void readers(int *state, volatile int *v, int *bad)
{
	if (threadIdx.x % 4 == 0) {
		while (atomicCAS(state, 0, -1))
			;
		v[0] = v[0] + 1;
		COUNT(&v[1]);
		atomicExch(state, 0);
		return;
	}
	for (;;) {
		const int s = *(volatile int *)state;
		if (s >= 0 && atomicCAS(state, s, s + 1) == s)
			break;
	}
	if (v[0] != v[1])
		atomicAdd(bad, 1);
	atomicSub(state, 1);
}

__global__ void in_shared(int *o)
{
	__shared__ int l;
	__shared__ volatile int n;

	if (threadIdx.x == 0)
		l = n = 0;
	__syncthreads();
	while (atomicCAS(&l, 0, 1))
		;
	n = n + 1;
	__threadfence_block();
	atomicExch(&l, 0);
	__syncthreads();
	o[blockIdx.x] = n;
}

/* Lanes have parted at a lock, and vote and shuffle together again. */
__global__ void together_again(int *l, volatile int *n, int *o)
{
	int sum = threadIdx.x;

	for (int i = 0; i < 3; i++) {
		while (atomicCAS(l, 0, 1))
			;
		COUNT(n);
		atomicExch(l, 0);
	}
	__syncwarp();
	for (int by = 16; by; by /= 2)
		sum += __shfl_xor_sync(~0u, sum, by);
	o[threadIdx.x] = sum + (__ballot_sync(~0u, threadIdx.x & 1) == 0xaaaaaaaa);
}

/* A lane waits for the one below, or the one above. */
__global__ void chain(volatile int *flag, int *o, int down)
{
	const int t = down ? blockDim.x - 1 - threadIdx.x : threadIdx.x;

	while (!flag[t])
		;
	o[t] = t;
	__threadfence();
	flag[t + 1] = 1;
}

__global__ void pairs(volatile int *flag, volatile int *data, int *o, int waits)
{
	const int t = threadIdx.x;

	if ((t & 1) == waits) {
		while (!flag[t ^ 1])
			;
		o[t] = data[t ^ 1];
	} else {
		data[t] = 100 + t;
		__threadfence();
		flag[t] = 1;
	}
}

/* The flag is looked at under the lock that its writer wants, too. */
__global__ void under_lock(int *l, volatile int *flag, int *o)
{
	if (threadIdx.x == 0) {
		bool set = false;
		while (!set) {
			take(l);
			set = *flag != 0;
			give(l);
		}
		*o = 5;
	} else if (threadIdx.x == 1) {
		take(l);
		*flag = 1;
		give(l);
	}
}

/* Lanes meet at two __syncwarp. */
__global__ void meet(volatile int *data, int *o)
{
	const int t = threadIdx.x;

	if (t < 16) {
		data[t] = 100 + t;
		__syncwarp();
		o[t] = data[t + 16];
	} else {
		data[t] = 200 + t;
		__syncwarp();
		o[t] = data[t - 16];
	}
}

/* A barrier of the whole grid, by hand. */
__global__ void grid_wide(int *count, volatile int *o)
{
	int sum = 0;

	o[blockIdx.x] = 1;
	__threadfence();
	__syncthreads();
	if (threadIdx.x == 0) {
		atomicAdd(count, 1);
		while (*(volatile int *)count < gridDim.x)
			;
	}
	__syncthreads();
	for (int i = 0; i < gridDim.x; i++)
		sum += o[i];
	o[gridDim.x + blockIdx.x] = sum;
}

static int *m;
static int failed;

static int *fresh()
{
	memset(m, 0, 1 << 16);
	return m;
}

static void expect(const char *name, int threads, int want, const int *got)
{
	const cudaError_t e = cudaDeviceSynchronize();

	if (e == cudaSuccess && *got == want)
		return;
	printf("%s, %d threads: %s, %d instead of %d\n", name, threads, cudaGetErrorString(e), *got,
		want);
	failed = 1;
}

static void run(int blocks, int threads)
{
	const int all = blocks * threads;
	int n = 0, i;

	naive<<<blocks, threads>>>(fresh(), m + 1);
	expect("naive", threads, all, m + 1);
	safe<<<blocks, threads>>>(fresh(), m + 1);
	expect("safe", threads, all, m + 1);
	by_exchange<<<blocks, threads>>>(fresh(), m + 1);
	expect("by_exchange", threads, all, m + 1);
	backing_off<<<blocks, threads>>>(fresh(), m + 1);
	expect("backing_off", threads, all, m + 1);
	counting<<<blocks, threads>>>(fresh(), m + 1, m + 100);
	expect("counting", threads, all, m + 1);
	giving_up<<<blocks, threads>>>(fresh(), m + 1, m + 1);
	expect("giving_up", threads, all, m + 1);
	timed<<<blocks, threads>>>(fresh(), m + 1, m + 1);
	expect("timed", threads, all, m + 1);
	ticket<<<blocks, threads>>>(fresh(), m + 1, m + 2);
	expect("ticket", threads, all, m + 2);
	ticket_of_warps<<<blocks, threads>>>(fresh(), m + 1, m + 2);
	expect("ticket_of_warps", threads, blocks * ((threads + 31) / 32), m + 2);
	queue<<<blocks, threads>>>(fresh(), m + 100, m + 5000, m + 1);
	expect("queue", threads, all, m + 1);
	fresh()[1] = -1;
	list<<<blocks, threads>>>(m, m + 1, (node *)(m + 100));
	cudaDeviceSynchronize();
	for (i = m[1], n = 0; i >= 0 && n <= all; i = m[100 + i])
		n++;
	expect("list", threads, all, &n);
	buckets<<<blocks, threads>>>(fresh(), m + 100, 13);
	cudaDeviceSynchronize();
	for (i = 0, n = 0; i < 13; i++)
		n += m[100 + i];
	expect("buckets", threads, all, &n);
	nested<<<blocks, threads>>>(fresh(), m + 2);
	expect("nested", threads, 2 * all, m + 2);
	in_branches<<<blocks, threads>>>(fresh(), m + 1);
	expect("in_branches", threads, blocks * (threads + (threads + 2) / 3), m + 1);
	fresh()[0] = 3;
	semaphore<<<blocks, threads>>>(m, m + 1);
	expect("semaphore", threads, all, m + 1);
	readers<<<blocks, threads>>>(fresh(), m + 1, m + 3);
	expect("readers", threads, blocks * ((threads + 3) / 4), m + 1);
	expect("readers that saw half of it", threads, 0, m + 3);
	in_shared<<<blocks, threads>>>(fresh());
	expect("in_shared", threads, threads, m + blocks - 1);
	grid_wide<<<blocks, threads>>>(fresh(), m + 1);
	expect("grid_wide", threads, blocks, m + 1 + blocks);
	for (int down = 0; down < 2; down++) {
		fresh()[0] = 1;
		chain<<<1, threads>>>(m, m + 2000, down);
		expect("chain", threads, threads - 1, m + 2000 + threads - 1);
		pairs<<<1, threads>>>(fresh(), m + 2000, m + 4000, down);
		expect("pairs", threads, 100 + threads - 1 - down, m + 4000 + threads - 2 + down);
	}
	under_lock<<<1, threads>>>(fresh(), m + 1, m + 2);
	expect("under_lock", threads, 5, m + 2);
}

int main()
{
	cudaMallocManaged(&m, 1 << 16);
	run(4, 32);
	run(4, 64);
	run(4, 50);
	run(2, 1024);
	together_again<<<1, 32>>>(fresh(), m + 1, m + 100);
	expect("together_again", 32, 31 * 32 / 2 + 1, m + 131);
	meet<<<1, 32>>>(fresh(), m + 100);
	expect("meet", 32, 216 + 115, &(m[100] += m[131]));
	puts(failed ? "FAILED" : "PASSED");
	return failed;
}
