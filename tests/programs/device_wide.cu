/*
 * What Thrust and CUB do over a whole device, from whoever has their headers, each held against the
 * same of the C++ library. Compiled in parts (PART), since templates take their time.
 */
#include <algorithm>
#include <cstdio>
#include <cub/cub.cuh>
#include <functional>
#include <map>
#include <numeric>
#include <thrust/adjacent_difference.h>
#include <thrust/binary_search.h>
#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/extrema.h>
#include <thrust/fill.h>
#include <thrust/for_each.h>
#include <thrust/functional.h>
#include <thrust/gather.h>
#include <thrust/host_vector.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/merge.h>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/remove.h>
#include <thrust/scan.h>
#include <thrust/scatter.h>
#include <thrust/sequence.h>
#include <thrust/set_operations.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>
#include <thrust/tuple.h>
#include <thrust/unique.h>
#include <vector>

constexpr int N = 3000;
static int bad;
#define CHECK(x)                                                                                   \
	do {                                                                                       \
		if (!(x)) {                                                                        \
			printf("FAILED: line %d: %s\n", __LINE__, #x);                             \
			bad++;                                                                     \
		}                                                                                  \
	} while (0)

struct odd {
	__host__ __device__ bool operator()(int x) const { return x & 1; }
};
struct square {
	__host__ __device__ long long operator()(int x) const { return (long long)x * x; }
};
struct add {
	__host__ __device__ int operator()(int a, int b) const { return a + b; }
};
struct by_tens {
	__host__ __device__ bool operator()(int a, int b) const { return a / 10 < b / 10; }
};
struct scaled {
	int *to;
	__device__ void operator()(int i) const { to[i] = 3 * i; }
};

template <class T> static std::vector<T> values(int n, unsigned seed, unsigned below)
{
	std::vector<T> v(n);

	for (int i = 0; i < n; i++) {
		seed = seed * 1664525u + 1013904223u;
		v[i] = (T)(int)((seed >> 8) % below) - (T)(below / 2);
	}
	return v;
}
template <class T> static std::vector<T> back(const thrust::device_vector<T> &d)
{
	std::vector<T> v(d.size());

	thrust::copy(d.begin(), d.end(), v.begin());
	return v;
}

template <class T> static void sorts()
{
	std::vector<T> h = values<T>(N, 7, 1000);
	thrust::device_vector<T> d(h.begin(), h.end()), e = d;

	thrust::sort(d.begin(), d.end());
	std::sort(h.begin(), h.end());
	CHECK(back(d) == h);
	thrust::sort(e.begin(), e.end(), thrust::greater<T>());
	std::reverse(h.begin(), h.end());
	CHECK(back(e) == h);
}

/* Sorts, and what is done with what is sorted. */
#if PART == 1
static void run()
{
	const std::vector<int> h = values<int>(N, 1, 400), g = values<int>(N, 2, 50);
	thrust::device_vector<int> d(h.begin(), h.end()), k(g.begin(), g.end()), to(N), other(N);
	std::vector<int> want(N);

	sorts<int>();
	sorts<double>();

	/* By another order, which keeps equals as they were; pairs by their keys. */
	thrust::device_vector<int> s = d;
	thrust::stable_sort(s.begin(), s.end(), by_tens());
	want = h;
	std::stable_sort(want.begin(), want.end(), by_tens());
	CHECK(back(s) == want);
	thrust::device_vector<int> keys = k, numbers(N);
	thrust::sequence(numbers.begin(), numbers.end());
	thrust::stable_sort_by_key(keys.begin(), keys.end(), numbers.begin());
	std::iota(want.begin(), want.end(), 0);
	std::stable_sort(want.begin(), want.end(), [&](int a, int b) { return g[a] < g[b]; });
	CHECK(back(numbers) == want);

	/* Sums of runs of equal keys. */
	std::map<int, int> runs;
	for (int i = 0; i < N; i++)
		runs[g[i]] += h[i];
	keys = k;
	s = d;
	thrust::sort_by_key(keys.begin(), keys.end(), s.begin());
	auto ends = thrust::reduce_by_key(keys.begin(), keys.end(), s.begin(), other.begin(), to.begin());
	CHECK(ends.first - other.begin() == (long)runs.size());
	int run = 0;
	for (auto &r : runs) {
		CHECK(other[run] == r.first && to[run] == r.second);
		run++;
	}

	thrust::inclusive_scan_by_key(keys.begin(), keys.end(), s.begin(), to.begin());
	const std::vector<int> hk = back(keys), hs = back(s);
	for (int i = 0; i < N; i++)
		want[i] = hs[i] + (i && hk[i] == hk[i - 1] ? want[i - 1] : 0);
	CHECK(back(to) == want);
	auto shrunk = [&](auto end, auto last) {
		want.resize(last - want.begin());
		std::vector<int> v(end - to.begin());
		thrust::copy(to.begin(), end, v.begin());
		const bool same = v == want;
		want.resize(N);
		return same;
	};
	to = k;
	want = g;
	thrust::sort(to.begin(), to.end());
	std::sort(want.begin(), want.end());
	CHECK(shrunk(thrust::unique(to.begin(), to.end()), std::unique(want.begin(), want.end())));
	/* Searches, moves by numbers, merges and sets of what is sorted. */
	thrust::device_vector<int> sorted = d, found(N);
	thrust::sort(sorted.begin(), sorted.end());
	std::vector<int> hsorted = back(sorted);
	thrust::lower_bound(sorted.begin(), sorted.end(), k.begin(), k.end(), found.begin());
	for (int i = 0; i < N; i++)
		want[i] = std::lower_bound(hsorted.begin(), hsorted.end(), g[i]) - hsorted.begin();
	CHECK(back(found) == want);
	thrust::gather(found.begin(), found.end(), d.begin(), to.begin());
	const std::vector<int> where = want;
	for (int i = 0; i < N; i++)
		want[i] = h[where[i]];
	CHECK(back(to) == want);
	thrust::scatter(d.begin(), d.end(), numbers.begin(), to.begin());
	const std::vector<int> order = back(numbers);
	for (int i = 0; i < N; i++)
		want[order[i]] = h[i];
	CHECK(back(to) == want);
	thrust::device_vector<int> both(2 * N);
	std::vector<int> hboth(2 * N), hkeys = back(keys);
	thrust::merge(sorted.begin(), sorted.end(), keys.begin(), keys.end(), both.begin());
	std::merge(hsorted.begin(), hsorted.end(), hkeys.begin(), hkeys.end(), hboth.begin());
	CHECK(back(both) == hboth);
	auto common = thrust::set_intersection(
		sorted.begin(), sorted.end(), keys.begin(), keys.end(), to.begin());
	auto hcommon = std::set_intersection(
		hsorted.begin(), hsorted.end(), hkeys.begin(), hkeys.end(), want.begin());
	CHECK(shrunk(common, hcommon));

	auto pairs = thrust::make_zip_iterator(thrust::make_tuple(keys.begin(), numbers.begin()));
	auto most = thrust::max_element(pairs, pairs + N);
	CHECK(thrust::get<0>(*most) == hkeys.back());
}
#endif

/* What needs no order. */
#if PART == 2
static void run()
{
	const std::vector<int> h = values<int>(N, 1, 400), g = values<int>(N, 2, 50);
	thrust::device_vector<int> d(h.begin(), h.end()), k(g.begin(), g.end()), to(N), other(N);
	std::vector<int> want(N);

	CHECK(thrust::reduce(d.begin(), d.end()) == std::accumulate(h.begin(), h.end(), 0));
	CHECK(thrust::reduce(d.begin(), d.end(), -1000, thrust::maximum<int>()) ==
		*std::max_element(h.begin(), h.end()));
	long long squares = 0;
	for (int x : h)
		squares += (long long)x * x;
	CHECK(thrust::transform_reduce(
		      d.begin(), d.end(), square(), 0ll, thrust::plus<long long>()) == squares);
	CHECK(thrust::inner_product(d.begin(), d.end(), k.begin(), 0) ==
		std::inner_product(h.begin(), h.end(), g.begin(), 0));
	CHECK(thrust::count_if(d.begin(), d.end(), odd()) ==
		std::count_if(h.begin(), h.end(), odd()));
	CHECK(thrust::min_element(d.begin(), d.end()) - d.begin() ==
		std::min_element(h.begin(), h.end()) - h.begin());
	CHECK(thrust::max_element(d.begin(), d.end()) - d.begin() ==
		std::max_element(h.begin(), h.end()) - h.begin());

	thrust::inclusive_scan(d.begin(), d.end(), to.begin());
	std::partial_sum(h.begin(), h.end(), want.begin());
	CHECK(back(to) == want);
	thrust::exclusive_scan(d.begin(), d.end(), to.begin(), 5);
	for (int i = N - 1; i > 0; i--)
		want[i] = want[i - 1] + 5;
	want[0] = 5;
	CHECK(back(to) == want);
	thrust::adjacent_difference(d.begin(), d.end(), to.begin());
	std::adjacent_difference(h.begin(), h.end(), want.begin());
	CHECK(back(to) == want);

	thrust::transform(d.begin(), d.end(), k.begin(), to.begin(), add());
	std::transform(h.begin(), h.end(), g.begin(), want.begin(), add());
	CHECK(back(to) == want);
	thrust::for_each(thrust::device, thrust::counting_iterator<int>(0),
		thrust::counting_iterator<int>(N), scaled{to.data().get()});
	thrust::sequence(other.begin(), other.end(), 0, 3);
	CHECK(to == other);

	auto shrunk = [&](auto end, auto last) {
		want.resize(last - want.begin());
		std::vector<int> v(end - to.begin());
		thrust::copy(to.begin(), end, v.begin());
		const bool same = v == want;
		want.resize(N);
		return same;
	};
	CHECK(shrunk(thrust::copy_if(d.begin(), d.end(), to.begin(), odd()),
		std::copy_if(h.begin(), h.end(), want.begin(), odd())));
	to = d;
	want = h;
	CHECK(shrunk(thrust::remove_if(to.begin(), to.end(), odd()),
		std::remove_if(want.begin(), want.end(), odd())));
	to = d;
	want = h;
	CHECK(thrust::stable_partition(to.begin(), to.end(), odd()) - to.begin() ==
		std::stable_partition(want.begin(), want.end(), odd()) - want.begin());
	CHECK(back(to) == want);

	CHECK(thrust::reduce(thrust::make_transform_iterator(d.begin(), square()),
		      thrust::make_transform_iterator(d.end(), square())) == squares);
}
#endif

/* Calls f(room, bytes) twice, as CUB wants it: for the size, and to do it. */
template <class F> static bool twice(F f)
{
	size_t bytes = 0;

	if (f(nullptr, bytes))
		return false;
	thrust::device_vector<char> room(bytes + 1);
	return !f(room.data().get(), bytes) && !cudaDeviceSynchronize();
}

template <class T> static T *at(thrust::device_vector<T> &v)
{
	return v.data().get();
}

#if PART == 3
static void run()
{
	const std::vector<int> h = values<int>(N, 3, 300);
	std::vector<int> want = h, order(N);
	thrust::device_vector<int> d(h.begin(), h.end()), numbers(N), to(N), which(N);

	thrust::sequence(numbers.begin(), numbers.end());
	std::iota(order.begin(), order.end(), 0);
	CHECK(twice([&](void *p, size_t &b) {
		return cub::DeviceRadixSort::SortKeys(p, b, at(d), at(to), N);
	}));
	std::sort(want.begin(), want.end());
	CHECK(back(to) == want);
	CHECK(twice([&](void *p, size_t &b) {
		return cub::DeviceRadixSort::SortPairsDescending(
			p, b, at(d), at(to), at(numbers), at(which), N);
	}));
	std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return h[a] > h[b]; });
	CHECK(back(which) == order);
	to = d;
	CHECK(twice([&](void *p, size_t &b) {
		return cub::DeviceMergeSort::StableSortKeys(p, b, at(to), N, by_tens());
	}));
	want = h;
	std::stable_sort(want.begin(), want.end(), by_tens());
	CHECK(back(to) == want);

	thrust::device_vector<int> starts(4);
	starts[1] = 100;
	starts[2] = 100;
	starts[3] = N;
	CHECK(twice([&](void *p, size_t &b) {
		return cub::DeviceSegmentedRadixSort::SortKeys(
			p, b, at(d), at(to), N, 3, at(starts), at(starts) + 1);
	}));
	want = h;
	std::sort(want.begin(), want.begin() + 100);
	std::sort(want.begin() + 100, want.end());
	CHECK(back(to) == want);
}
#endif

#if PART == 4
static void run()
{
	const std::vector<int> h = values<int>(N, 3, 300);
	std::vector<int> want = h;
	thrust::device_vector<int> d(h.begin(), h.end()), to(N), which(N), n(1), m(N);
	thrust::device_vector<cub::KeyValuePair<int, int>> extreme(1);

	CHECK(twice([&](void *p, size_t &b) { return cub::DeviceReduce::Sum(p, b, at(d), at(n), N); }));
	CHECK(n[0] == std::accumulate(h.begin(), h.end(), 0));
	CHECK(twice([&](void *p, size_t &b) { return cub::DeviceReduce::Min(p, b, at(d), at(n), N); }));
	CHECK(n[0] == *std::min_element(h.begin(), h.end()));
	CHECK(twice([&](void *p, size_t &b) {
		return cub::DeviceReduce::ArgMax(p, b, at(d), at(extreme), N);
	}));
	const cub::KeyValuePair<int, int> found = extreme[0];
	CHECK(h[found.key] == *std::max_element(h.begin(), h.end()) && found.value == h[found.key]);
	CHECK(twice([&](void *p, size_t &b) {
		return cub::DeviceReduce::Reduce(p, b, at(d), at(n), N, add(), 10);
	}));
	CHECK(n[0] == std::accumulate(h.begin(), h.end(), 10));

	CHECK(twice([&](void *p, size_t &b) {
		return cub::DeviceScan::InclusiveSum(p, b, at(d), at(to), N);
	}));
	std::partial_sum(h.begin(), h.end(), want.begin());
	CHECK(back(to) == want);
	CHECK(twice([&](void *p, size_t &b) {
		return cub::DeviceScan::ExclusiveScan(p, b, at(d), at(to), add(), 4, N);
	}));
	for (int i = N - 1; i > 0; i--)
		want[i] = want[i - 1] + 4;
	want[0] = 4;
	CHECK(back(to) == want);

	auto selected = [&](int count) {
		std::vector<int> v = back(to);
		v.resize(n[0]);
		want.resize(count);
		const bool same = v == want;
		want.resize(N);
		return same;
	};
	CHECK(twice([&](void *p, size_t &b) {
		return cub::DeviceSelect::If(p, b, at(d), at(to), at(n), N, odd());
	}));
	CHECK(selected(std::copy_if(h.begin(), h.end(), want.begin(), odd()) - want.begin()));
	thrust::device_vector<char> flags(N);
	for (int i = 0; i < N; i += 3)
		flags[i] = 1;
	CHECK(twice([&](void *p, size_t &b) {
		return cub::DeviceSelect::Flagged(p, b, at(d), at(flags), at(to), at(n), N);
	}));
	for (int i = 0; i < N; i += 3)
		want[i / 3] = h[i];
	CHECK(selected((N + 2) / 3));
	want = h;
	std::sort(want.begin(), want.end());
	thrust::copy(want.begin(), want.end(), m.begin());
	CHECK(twice([&](void *p, size_t &b) {
		return cub::DeviceSelect::Unique(p, b, at(m), at(to), at(n), N);
	}));
	CHECK(selected(std::unique(want.begin(), want.end()) - want.begin()));
	CHECK(twice([&](void *p, size_t &b) {
		return cub::DevicePartition::If(p, b, at(d), at(to), at(n), N, odd());
	}));
	CHECK(n[0] == std::count_if(h.begin(), h.end(), odd()));

	/* Lengths of runs, counts of values, and the same by segments. */
	CHECK(twice([&](void *p, size_t &b) {
		return cub::DeviceRunLengthEncode::Encode(
			p, b, at(m), at(to), at(which), at(n), N);
	}));
	std::map<int, int> runs;
	for (int x : h)
		runs[x]++;
	CHECK(n[0] == (int)runs.size());
	const std::vector<int> value = back(to), length = back(which);
	int run = 0;
	for (auto &r : runs) {
		CHECK(value[run] == r.first && length[run] == r.second);
		run++;
	}
	CHECK(twice([&](void *p, size_t &b) {
		return cub::DeviceHistogram::HistogramEven(p, b, at(d), at(to), 31, -150, 150, N);
	}));
	std::vector<int> parts(30), got = back(to);
	for (int x : h)
		parts[(x + 150) / 10]++;
	got.resize(30);
	CHECK(got == parts);
	thrust::device_vector<int> starts(4);
	starts[1] = 100;
	starts[2] = 100;
	starts[3] = N;
	CHECK(twice([&](void *p, size_t &b) {
		return cub::DeviceSegmentedReduce::Sum(p, b, at(d), at(to), 3, at(starts), at(starts) + 1);
	}));
	CHECK(to[0] == std::accumulate(h.begin(), h.begin() + 100, 0) && to[1] == 0 &&
		to[2] == std::accumulate(h.begin() + 100, h.end(), 0));
}
#endif

int main()
{
	run();
	puts(bad ? "FAILED" : "PASSED");
	return bad != 0;
}
