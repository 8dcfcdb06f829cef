/*
 * Matrices of a warp (mma.h): every shape and type of nvcuda::wmma, in rows and in columns, held
 * against three plain loops. Numbers are small, so that every sum is exact.
 */
#include <cstdio>
#include <cstring>
#include <mma.h>

using namespace nvcuda;

/* Elements as memory has them; of s4, u4 and b1 several share a byte. */
template <class T> struct of {
	typedef T memory;
	static const int per = 1;
};
template <> struct of<wmma::precision::tf32> {
	typedef float memory;
	static const int per = 1;
};
template <> struct of<wmma::experimental::precision::s4> {
	typedef unsigned memory;
	static const int per = 8;
};
template <> struct of<wmma::experimental::precision::u4> {
	typedef unsigned memory;
	static const int per = 8;
};
template <> struct of<wmma::experimental::precision::b1> {
	typedef unsigned memory;
	static const int per = 32;
};

template <int m, int n, int k, class T, class LA, class LB, class C, class D>
__global__ void product(const void *a, const void *b, const C *c, D *d, int lda, int ldb, int ldc,
	wmma::layout_t layout)
{
	wmma::fragment<wmma::matrix_a, m, n, k, T, LA> fa;
	wmma::fragment<wmma::matrix_b, m, n, k, T, LB> fb;
	wmma::fragment<wmma::accumulator, m, n, k, C> fc;
	wmma::fragment<wmma::accumulator, m, n, k, D> fd;
	wmma::fill_fragment(fd, D(7));
	wmma::load_matrix_sync(fa, (const typename of<T>::memory *)a, lda);
	wmma::load_matrix_sync(fb, (const typename of<T>::memory *)b, ldb);
	wmma::load_matrix_sync(fc, c, ldc, layout);
	wmma::mma_sync(fd, fa, fb, fc);
	for (int i = 0; i < fd.num_elements; i++)
		fd.x[i] = fd.x[i] + D(1);
	wmma::store_matrix_sync(d, fd, ldc, layout);
}

__global__ void bits(const unsigned *a, const unsigned *b, const int *c, int *d, int which)
{
	namespace p = wmma::experimental;
	wmma::fragment<wmma::matrix_a, 8, 8, 128, p::precision::b1, wmma::row_major> fa;
	wmma::fragment<wmma::matrix_b, 8, 8, 128, p::precision::b1, wmma::col_major> fb;
	wmma::fragment<wmma::accumulator, 8, 8, 128, int> fc;
	wmma::load_matrix_sync(fa, a, 128);
	wmma::load_matrix_sync(fb, b, 128);
	wmma::load_matrix_sync(fc, c, 8, wmma::mem_row_major);
	if (which)
		wmma::bmma_sync(fc, fa, fb, fc, p::bmmaBitOpAND);
	else
		wmma::bmma_sync(fc, fa, fb, fc);
	wmma::store_matrix_sync(d, fc, 8, wmma::mem_row_major);
}

/* Element i of a matrix of `per` elements a word. */
template <class M> static void put(M *at, int i, int v, int per)
{
	if (per == 1) {
		at[i] = M((float)v);
		return;
	}
	unsigned word;
	const int width = 32 / per, shift = i % per * width;
	memcpy(&word, (unsigned *)at + i / per, 4);
	word &= ~(((1u << width) - 1) << shift);
	word |= ((unsigned)v & ((1u << width) - 1)) << shift;
	memcpy((unsigned *)at + i / per, &word, 4);
}

static int small(int i, bool is_signed)
{
	const int v = i * 7 % 11;
	return is_signed ? v % 8 - 4 : v % 8;
}

static int bad;

template <int m, int n, int k, class T, class LA, class LB, class C, class D>
static void check(const char *what, bool is_signed, bool a_rows, bool b_rows, bool c_rows)
{
	typedef typename of<T>::memory M;
	const int per = of<T>::per, lda = a_rows ? k : m, ldb = b_rows ? n : k,
		  ldc = c_rows ? n : m;
	M *a, *b;
	C *c;
	D *d;
	cudaMallocManaged(&a, m * k * sizeof(M));
	cudaMallocManaged(&b, k * n * sizeof(M));
	cudaMallocManaged(&c, m * n * sizeof(C));
	cudaMallocManaged(&d, m * n * sizeof(D));
	for (int i = 0; i < m * k; i++)
		put(a, i, small(i, is_signed), per);
	for (int i = 0; i < k * n; i++)
		put(b, i, small(i + 5, is_signed), per);
	for (int i = 0; i < m * n; i++)
		c[i] = C((float)(i % 13));
	product<m, n, k, T, LA, LB><<<1, 32>>>(
		a, b, c, d, lda, ldb, ldc, c_rows ? wmma::mem_row_major : wmma::mem_col_major);
	const cudaError_t e = cudaDeviceSynchronize();
	int wrong = e != cudaSuccess;
	for (int i = 0; i < m && !wrong; i++)
		for (int j = 0; j < n; j++) {
			const int at = c_rows ? i * n + j : j * m + i;
			int sum = at % 13 + 1;
			for (int l = 0; l < k; l++)
				sum += small(a_rows ? i * k + l : l * m + i, is_signed) *
				       small((b_rows ? l * n + j : j * k + l) + 5, is_signed);
			wrong += (float)d[at] != (float)sum;
		}
	if (wrong)
		printf("FAILED: %s %d %d %d: %d wrong, %s\n", what, m, n, k, wrong,
			cudaGetErrorString(e));
	bad += wrong;
}

template <int m, int n, int k, class T, class C, class D>
static void layouts(const char *what, bool is_signed)
{
	typedef wmma::row_major R;
	typedef wmma::col_major L;
	check<m, n, k, T, R, R, C, D>(what, is_signed, true, true, true);
	check<m, n, k, T, R, L, C, D>(what, is_signed, true, false, false);
	check<m, n, k, T, L, R, C, D>(what, is_signed, false, true, true);
	check<m, n, k, T, L, L, C, D>(what, is_signed, false, false, false);
}
template <class T, class C, class D> static void shapes(const char *what, bool is_signed)
{
	layouts<16, 16, 16, T, C, D>(what, is_signed);
	layouts<8, 32, 16, T, C, D>(what, is_signed);
	layouts<32, 8, 16, T, C, D>(what, is_signed);
}

static void check_bits(int which)
{
	unsigned *a, *b;
	int *c, *d;
	cudaMallocManaged(&a, 32 * 4);
	cudaMallocManaged(&b, 32 * 4);
	cudaMallocManaged(&c, 64 * 4);
	cudaMallocManaged(&d, 64 * 4);
	for (int i = 0; i < 32; i++) {
		a[i] = 0x9e3779b9u * (i + 1);
		b[i] = 0x85ebca6bu * (i + 3);
	}
	for (int i = 0; i < 64; i++)
		c[i] = i;
	bits<<<1, 32>>>(a, b, c, d, which);
	int wrong = cudaDeviceSynchronize() != cudaSuccess;
	for (int i = 0; i < 8; i++)
		for (int j = 0; j < 8; j++) {
			int sum = i * 8 + j;
			for (int l = 0; l < 4; l++)
				sum += __builtin_popcount(which ? a[i * 4 + l] & b[j * 4 + l]
								: a[i * 4 + l] ^ b[j * 4 + l]);
			wrong += d[i * 8 + j] != sum;
		}
	if (wrong)
		printf("FAILED: bits %d: %d wrong\n", which, wrong);
	bad += wrong;
}

int main()
{
	typedef wmma::row_major R;
	typedef wmma::col_major L;
	namespace narrow = wmma::experimental::precision;
	shapes<__half, float, float>("half", true);
	shapes<__half, __half, __half>("half", true);
	shapes<__half, __half, float>("half", true);
	shapes<__half, float, __half>("half", true);
	shapes<__nv_bfloat16, float, float>("bfloat16", true);
	shapes<signed char, int, int>("s8", true);
	shapes<unsigned char, int, int>("u8", false);
	layouts<16, 16, 8, wmma::precision::tf32, float, float>("tf32", true);
	layouts<8, 8, 4, double, double, double>("double", true);
	check<8, 8, 32, narrow::s4, R, L, int, int>("s4", true, true, false, true);
	check<8, 8, 32, narrow::u4, R, L, int, int>("u4", false, true, false, true);
	check_bits(0);
	check_bits(1);
	printf("%s\n", bad ? "FAILED" : "PASSED");
	return bad != 0;
}
