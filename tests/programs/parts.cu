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
	unsigned any, any64, same;
	int whether, dots, halves_low, halves_high;
	unsigned bytes;
	int dpx[8];
	unsigned dpx_halves[6];
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

/* Of a lane: whole numbers of its own for the instructions on bytes and halves. */
static __host__ __device__ unsigned word(int lane, int which)
{
	return (unsigned)(lane + 1) * (which == 0          ? 0x9e3779b9u
					      : which == 1 ? 0x85ebca6bu
							   : 0xc2b2ae35u);
}

__global__ void bytes(answer *out, int *memory)
{
	const int lane = threadIdx.x, a = (int)word(lane, 0), b = (int)word(lane, 1);
	const int c = (int)word(lane, 2);
	const unsigned mask = lane % 2 ? 0xaaaaaaaau : 0x55555555u;
	answer *r = &out[lane];
	bool first, high, low;
	r->any = __match_any_sync(mask, label(lane));
	r->any64 = __match_any_sync(mask, label(lane) * 0x100000001ull);
	r->same = __match_all_sync(mask, lane % 2 ? 1.5 : lane * 1.0, &r->whether);
	r->dots = __dp4a(a, b, c);
	r->bytes = __dp4a((unsigned)a, (unsigned)b, (unsigned)c);
	r->halves_low = __dp2a_lo(a, b, c);
	r->halves_high = __dp2a_hi(a, b, c);
	r->dpx[0] = __viaddmax_s32(a, b, c);
	r->dpx[1] = __viaddmin_s32_relu(a, b, c);
	r->dpx[2] = (int)__viaddmin_u32((unsigned)a, (unsigned)b, (unsigned)c);
	r->dpx[3] = __vimax3_s32(a, b, c);
	r->dpx[4] = __vimin_s32_relu(a, b);
	r->dpx[5] = __vibmax_s32(a, b, &first) / 2 + first;
	r->dpx[6] = (int)(__vibmin_u32((unsigned)a, (unsigned)b, &first) / 2 + first);
	r->dpx[7] = (int)__vimin3_u32((unsigned)a, (unsigned)b, (unsigned)c);
	r->dpx_halves[0] = __viaddmax_s16x2((unsigned)a, (unsigned)b, (unsigned)c);
	r->dpx_halves[1] = __viaddmin_u16x2((unsigned)a, (unsigned)b, (unsigned)c);
	r->dpx_halves[2] = __vimax3_s16x2_relu((unsigned)a, (unsigned)b, (unsigned)c);
	r->dpx_halves[3] = __vimin_s16x2_relu((unsigned)a, (unsigned)b);
	r->dpx_halves[4] = __vibmax_s16x2((unsigned)a, (unsigned)b, &high, &low);
	r->dpx_halves[5] = (unsigned)high * 2 + low;
	__stcs(memory + lane, __ldcg(memory + 32 + lane) + __ldcv(memory + 64 + lane));
	__stwt((float *)memory + 96 + lane, __ldcs((const float *)memory + 96 + lane) * 2);
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

/* A half of a word, with its sign or without. */
static int half_of(unsigned v, int k, bool with_sign)
{
	const unsigned h = v >> 16 * k & 0xffffu;
	return with_sign ? (int)(short)h : (int)h;
}
static long long least(long long a, long long b)
{
	return a < b ? a : b;
}
static long long most(long long a, long long b)
{
	return a > b ? a : b;
}

static int check_bytes(const answer *r, int lane, const int *memory)
{
	const unsigned u[] = {word(lane, 0), word(lane, 1), word(lane, 2)};
	const long long a = (int)u[0], b = (int)u[1], c = (int)u[2];
	long long dots = c, all = u[2], low = c, high = c;
	unsigned any = 0, halves[5] = {}, which = 0;
	for (int k = lane % 2; k < 32; k += 2)
		any |= (unsigned)(label(k) == label(lane)) << k;
	CHECK(r->any == any && r->any64 == any);
	CHECK(r->whether == lane % 2 && r->same == (lane % 2 ? 0xaaaaaaaau : 0));
	for (int k = 0; k < 4; k++) {
		const unsigned x = u[0] >> 8 * k & 0xffu, y = u[1] >> 8 * k & 0xffu;
		dots += (signed char)x * (signed char)y;
		all += x * y;
		(k < 2 ? low : high) += half_of(u[0], k % 2, true) * (signed char)y;
	}
	CHECK(r->dots == (int)dots && r->bytes == (unsigned)all);
	CHECK(r->halves_low == (int)low && r->halves_high == (int)high);
	CHECK(r->dpx[0] == most((int)(u[0] + u[1]), c));
	CHECK(r->dpx[1] == most(least((int)(u[0] + u[1]), c), 0));
	CHECK((unsigned)r->dpx[2] == least(u[0] + u[1], u[2]));
	CHECK(r->dpx[3] == most(most(a, b), c) && r->dpx[4] == most(least(a, b), 0));
	CHECK(r->dpx[5] == (int)most(a, b) / 2 + (a >= b));
	CHECK((unsigned)r->dpx[6] == (unsigned)least(u[0], u[1]) / 2 + (u[0] <= u[1]));
	CHECK((unsigned)r->dpx[7] == least(least(u[0], u[1]), u[2]));
	for (int k = 0; k < 2; k++) {
		const int x = half_of(u[0], k, true), y = half_of(u[1], k, true);
		const int z = half_of(u[2], k, true);
		const unsigned sum = (u[0] >> 16 * k) + (u[1] >> 16 * k);
		const long long want[] = {most((short)sum, z),
			least((unsigned short)sum, half_of(u[2], k, false)),
			most(most(most(x, y), z), 0), most(least(x, y), 0), most(x, y)};
		for (int i = 0; i < 5; i++)
			halves[i] |= ((unsigned)want[i] & 0xffffu) << 16 * k;
		which |= (unsigned)(x >= y) << k;
	}
	for (int i = 0; i < 5; i++)
		CHECK(r->dpx_halves[i] == halves[i]);
	CHECK(r->dpx_halves[5] == which);
	CHECK(memory[lane] == lane * 7 + 2000 + lane * 3);
	CHECK(((const float *)memory)[96 + lane] == 2 * (lane + 0.25f));
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
	int *memory;
	CHECK(!cudaMallocManaged(&memory, 128 * sizeof(*memory)));
	for (int i = 0; i < 32; i++) {
		memory[32 + i] = 1000 + i * 7;
		memory[64 + i] = 1000 + i * 3;
		((float *)memory)[96 + i] = i + 0.25f;
	}
	bytes<<<1, 32>>>(out, memory);
	CHECK(!cudaDeviceSynchronize());
	for (lane = 0; lane < 32; lane++)
		if (check_bytes(&out[lane], lane, memory))
			return 1;
	printf("PASSED\n");
}
