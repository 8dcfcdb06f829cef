/*
 * Cooperative groups of part of a warp: labels, predicates, lanes that run together; what they
 * shuffle, count, add up and scan; and the instructions that add up a mask's lanes. Each thread's
 * answer is held against a loop over the warp's 32 inputs.
 */
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cstdio>
#include <cuda_fp16.h>

namespace cg = cooperative_groups;

struct answer {
	unsigned size, rank, part, parts, ballot, alike;
	int sum, all_or, before, upto, next, last;
	uint4 four;
	double halved;
	int tile, tile_size;
	int add, low, high;
	unsigned ands, ors, xors;
	int rounded;
};

static __host__ __device__ int input(int lane)
{
	return lane * 37 % 23 - 5;
}
static __host__ __device__ unsigned label(int lane)
{
	return lane * lane % 5;
}

__global__ void parts(answer *out, int by)
{
	const int lane = threadIdx.x, v = input(lane);
	const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
	answer r = {};
	if (by == 2 && label(lane) < 2)
		return;
	const cg::coalesced_group g = by == 0   ? cg::labeled_partition(warp, label(lane))
				      : by == 1 ? cg::binary_partition(warp, v > 0)
						: cg::coalesced_threads();
	r.size = g.size();
	r.rank = g.thread_rank();
	r.part = g.meta_group_rank();
	r.parts = g.meta_group_size();
	r.ballot = g.ballot(v & 1);
	r.alike = g.match_any(v & 3);
	r.sum = cg::reduce(g, v, cg::plus<int>());
	r.all_or = cg::reduce(g, v, cg::bit_or<int>());
	r.before = cg::exclusive_scan(g, v);
	r.upto = cg::inclusive_scan(g, v, cg::greater<int>());
	r.next = g.shfl_down(v, 1);
	r.last = g.shfl(v, g.size() - 1);
	r.four = g.shfl(make_uint4(v, v + 1, v + 2, v + 3), 0);
	r.halved = g.shfl_up(v / 2.0, 2);
	out[lane] = r;
}

__global__ void tiles(answer *out)
{
	const int lane = threadIdx.x, v = input(lane);
	const cg::thread_group tile = cg::tiled_partition(cg::this_thread_block(), 8);
	answer *r = &out[lane];
	__shared__ int seen[32];
	seen[lane] = v;
	tile.sync();
	r->tile = seen[lane / 8 * 8 + (lane + 1) % 8] * 100 + (int)tile.thread_rank();
	r->tile_size = (int)tile.size();
	const unsigned mask = lane % 2 ? 0xaaaaaaaau : 0x55555555u;
	if (lane % 2) {
		r->add = __reduce_add_sync(mask, v);
		r->low = __reduce_min_sync(mask, v);
		r->high = (int)__reduce_max_sync(mask, (unsigned)v);
	} else {
		r->ands = __reduce_and_sync(mask, (unsigned)v);
		r->ors = __reduce_or_sync(mask, (unsigned)v);
		r->xors = __reduce_xor_sync(mask, (unsigned)v);
	}
	__nanosleep(10);
	r->rounded =
		__half2int_rn(__half(v * 0.5f)) * 100 + (int)__half2short_rn(__half(v * 0.25f));
}

#define CHECK(x)                                                                                   \
	do {                                                                                       \
		if (!(x)) {                                                                        \
			printf("FAILED: line %d, lane %d\n", __LINE__, lane);                      \
			return 1;                                                                  \
		}                                                                                  \
	} while (0)

/* Which part a lane belongs to. */
static int part_of(int lane, int by)
{
	return by == 0 ? (int)label(lane) : by == 1 ? input(lane) > 0 : label(lane) >= 2;
}

static int check_part(const answer *r, int lane, int by)
{
	const int mine = part_of(lane, by);
	unsigned size = 0, rank = 0, ballot = 0, alike = 0, parts = 0, part = 0;
	int sum = 0, ors = 0, before = 0, upto = -1000, values[32];
	bool known[5] = {};

	for (int k = 0; k < 32; k++) {
		const int of = part_of(k, by), v = input(k);
		if (by == 2 && !of)
			continue;
		/* Parts are numbered by their first lanes. */
		if (!known[of])
			parts++;
		if (!known[of] && of != mine && !known[mine])
			part++;
		known[of] = true;
		if (of != mine)
			continue;
		ballot |= (unsigned)(v & 1) << size;
		alike |= (unsigned)((v & 3) == (input(lane) & 3)) << size;
		sum += v;
		ors |= v;
		if (k < lane) {
			rank++;
			before += v;
		}
		if (k <= lane && v > upto)
			upto = v;
		values[size++] = v;
	}
	CHECK(r->size == size && r->rank == rank);
	CHECK(r->parts == parts && r->part == part);
	CHECK(r->ballot == ballot && r->alike == alike);
	CHECK(r->sum == sum && r->all_or == ors);
	CHECK(r->before == before && r->upto == upto);
	CHECK(r->next == (rank + 1 < size ? values[rank + 1] : input(lane)));
	CHECK(r->last == values[size - 1]);
	CHECK(r->four.x == (unsigned)values[0] && r->four.w == (unsigned)values[0] + 3);
	CHECK(r->halved == (rank < 2 ? input(lane) : values[rank - 2]) / 2.0);
	return 0;
}

static int check_tile(const answer *r, int lane)
{
	int add = 0, low = 1000;
	unsigned high = 0, ands = ~0u, ors = 0, xors = 0;
	for (int k = lane % 2; k < 32; k += 2) {
		const int v = input(k);
		add += v;
		low = v < low ? v : low;
		high = (unsigned)v > high ? (unsigned)v : high;
		ands &= (unsigned)v;
		ors |= (unsigned)v;
		xors ^= (unsigned)v;
	}
	CHECK(r->tile == input(lane / 8 * 8 + (lane + 1) % 8) * 100 + lane % 8);
	CHECK(r->tile_size == 8);
	if (lane % 2)
		CHECK(r->add == add && r->low == low && r->high == (int)high);
	else
		CHECK(r->ands == ands && r->ors == ors && r->xors == xors);
	const double half = input(lane) * 0.5, quarter = input(lane) * 0.25;
	CHECK(r->rounded == __builtin_rint(half) * 100 + __builtin_rint(quarter));
	return 0;
}

int main()
{
	answer *out;
	int lane = -1;
	CHECK(!cudaMallocManaged(&out, 32 * sizeof(*out)));
	for (int by = 0; by < 3; by++) {
		parts<<<1, 32>>>(out, by);
		CHECK(!cudaDeviceSynchronize());
		for (lane = 0; lane < 32; lane++)
			if ((by < 2 || label(lane) >= 2) && check_part(&out[lane], lane, by))
				return 1;
	}
	tiles<<<1, 32>>>(out);
	CHECK(!cudaDeviceSynchronize());
	for (lane = 0; lane < 32; lane++)
		if (check_tile(&out[lane], lane))
			return 1;
	printf("PASSED\n");
}
