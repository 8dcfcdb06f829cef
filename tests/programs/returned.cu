/*
 * Structs that functions return, with padding or with a member that nobody has set, and that are
 * copied whole: sorts pairs over a warp and merges records, checked by the same on the CPU.
 */
#include <cstdio>

enum { N = 64 };

template <class V> struct pair {
	int key;
	V value;
	__host__ __device__ pair() {}
	__host__ __device__ pair(int k, V v) : key(k), value(v) {}
	__host__ __device__ bool operator<(const pair &b) const
	{
		return key < b.key || (key == b.key && value < b.value);
	}
};

template <class V> __device__ pair<V> from_lane(const pair<V> &p, int mask)
{
	return pair<V>(__shfl_xor_sync(~0u, p.key, mask), __shfl_xor_sync(~0u, p.value, mask));
}

template <class T> struct less_than {
	static __device__ bool compare(const T a, const T b) { return a < b; }
};

template <class V> __device__ pair<V> lesser(const pair<V> mine, int mask, int dir)
{
	const pair<V> other = from_lane(mine, mask);
	return less_than<pair<V>>::compare(mine, other) == dir ? other : mine;
}

/* A bitonic sort: lane i has the i-th of 32. */
template <class V> __global__ void sort(int *keys, int *values)
{
	const int lane = threadIdx.x;
	pair<V> p(keys[lane], (V)values[lane]);
	for (int size = 2; size <= 32; size *= 2)
		for (int mask = size / 2; mask; mask /= 2)
			p = lesser(p, mask, (lane / size ^ lane / mask) & 1);
	keys[lane] = p.key;
	values[lane] = p.value;
}

/* Without a loop around it, as one step of a larger sort. */
__global__ void step(int *keys, int *values)
{
	pair<bool> p(keys[threadIdx.x], values[threadIdx.x] != 0);
	p = lesser(p, 1, threadIdx.x & 1);
	p = lesser(p, 2, threadIdx.x >> 1 & 1);
	keys[threadIdx.x] = p.key;
	values[threadIdx.x] = p.value;
}

/* Of a record without a place there is only that it has none. */
struct place {
	int found;
	int where;
};
__host__ __device__ place look(const int *keys, int n, int key)
{
	place p;
	p.found = 0;
	for (int i = 0; i < n; i++)
		if (keys[i] == key) {
			p.found = 1;
			p.where = i;
		}
	return p;
}
__host__ __device__ int find(const int *keys, int key)
{
	const place low = look(keys, N / 2, key), high = look(keys + N / 2, N / 2, key);
	const place best = low.found ? low : high;
	return best.found ? best.where + (low.found ? 0 : N / 2) : -1;
}
__global__ void find_all(const int *keys, int *out)
{
	out[threadIdx.x] = find(keys, 3 * threadIdx.x);
}

static int *keys, *values, *out;

static void fill(int modulus)
{
	for (int i = 0; i < 32; i++) {
		keys[i] = i * 37 % 64 / 2 % 11;
		values[i] = i * 29 % modulus;
	}
}

/* What the same network makes of them on the host. */
static void network(pair<int> *p, int size, int mask)
{
	pair<int> next[32];
	for (int i = 0; i < 32; i++) {
		const int dir = size ? (i / size ^ i / mask) & 1 : i / mask & 1;
		next[i] = (p[i] < p[i ^ mask]) == dir ? p[i ^ mask] : p[i];
	}
	for (int i = 0; i < 32; i++)
		p[i] = next[i];
}

static bool same(const pair<int> *p)
{
	bool good = !cudaDeviceSynchronize();
	for (int i = 0; i < 32; i++)
		good = good && keys[i] == p[i].key && values[i] == p[i].value;
	return good;
}

int main()
{
	pair<int> p[32];
	bool good = true;

	cudaMallocManaged(&keys, N * sizeof(int));
	cudaMallocManaged(&values, N * sizeof(int));
	cudaMallocManaged(&out, N * sizeof(int));
	for (int modulus = 2; modulus <= 100; modulus += 98) {
		fill(modulus);
		for (int i = 0; i < 32; i++)
			p[i] = pair<int>(keys[i], values[i]);
		for (int size = 2; size <= 32; size *= 2)
			for (int mask = size / 2; mask; mask /= 2)
				network(p, size, mask);
		if (modulus == 2)
			sort<bool><<<1, 32>>>(keys, values);
		else
			sort<char><<<1, 32>>>(keys, values);
		good = good && same(p);
	}
	fill(2);
	for (int i = 0; i < 32; i++)
		p[i] = pair<int>(keys[i], values[i]);
	network(p, 0, 1);
	network(p, 0, 2);
	step<<<1, 32>>>(keys, values);
	good = good && same(p);
	for (int i = 0; i < N; i++)
		keys[i] = i * 5 % N;
	find_all<<<1, 32>>>(keys, out);
	good = good && !cudaDeviceSynchronize();
	for (int i = 0; i < 32; i++)
		good = good && out[i] == find(keys, 3 * i);
	puts(good ? "PASSED" : "FAILED");
	return !good;
}
