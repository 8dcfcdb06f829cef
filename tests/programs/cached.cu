/*
 * Loads and stores with cache operators: every function of the family, of every type that it takes,
 * brings the bytes that are there. With an argument a kernel whose lanes read one line 64 times
 * instead: cached in the L1, past it by .cg, and by .cv.
 */
#include <cstdio>
#include <cstring>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

template <class T> __global__ void each(const T *in, T *out)
{
	__stwb(out, __ldca(in));
	__stcg(out + 1, __ldcg(in + 1));
	__stcs(out + 2, __ldcs(in + 2));
	__stwt(out + 3, __ldlu(in + 3));
	out[4] = __ldcv(in + 4);
	out[5] = __ldg(in + 5);
}

template <class T> static int differs(const char *name)
{
	unsigned char there[6 * sizeof(T)], got[6 * sizeof(T)];
	T *in, *out;

	for (unsigned i = 0; i < sizeof(there); i++)
		there[i] = (unsigned char)(0x81 + 37 * i);
	cudaMalloc(&in, sizeof(there));
	cudaMalloc(&out, sizeof(there));
	cudaMemcpy(in, there, sizeof(there), cudaMemcpyHostToDevice);
	each<T><<<1, 1>>>(in, out);
	cudaMemcpy(got, out, sizeof(got), cudaMemcpyDeviceToHost);
	if (!memcmp(there, got, sizeof(got)))
		return 0;
	printf("FAILED: %s\n", name);
	return 1;
}
#define DIFFERS(T) differs<T>(#T)

template <int How> __global__ void again(const int *in, int *out)
{
	int sum = 0;

	for (int i = 0; i < 64; i++)
		sum += How == 0   ? __ldca(in + threadIdx.x)
		       : How == 1 ? __ldcg(in + threadIdx.x)
				  : __ldcv(in + threadIdx.x);
	out[threadIdx.x] = sum;
}

int main(int argc, char **)
{
	int bad = 0, *in, *out;

	if (argc > 1) {
		cudaMalloc(&in, 128);
		cudaMalloc(&out, 128);
		cudaMemset(in, 0, 128);
		again<0><<<1, 32>>>(in, out);
		again<1><<<1, 32>>>(in, out);
		again<2><<<1, 32>>>(in, out);
		puts(cudaDeviceSynchronize() ? "FAILED" : "PASSED");
		return 0;
	}
	bad += DIFFERS(char) + DIFFERS(signed char) + DIFFERS(unsigned char);
	bad += DIFFERS(short) + DIFFERS(unsigned short) + DIFFERS(int) + DIFFERS(unsigned);
	bad += DIFFERS(long) + DIFFERS(unsigned long);
	bad += DIFFERS(long long) + DIFFERS(unsigned long long);
	bad += DIFFERS(float) + DIFFERS(double);
	bad += DIFFERS(char2) + DIFFERS(uchar2) + DIFFERS(short2) + DIFFERS(ushort2);
	bad += DIFFERS(int2) + DIFFERS(uint2) + DIFFERS(longlong2) + DIFFERS(ulonglong2);
	bad += DIFFERS(float2) + DIFFERS(double2);
	bad += DIFFERS(char4) + DIFFERS(uchar4) + DIFFERS(short4) + DIFFERS(ushort4);
	bad += DIFFERS(int4) + DIFFERS(uint4) + DIFFERS(float4);
	bad += DIFFERS(__half) + DIFFERS(__half2) + DIFFERS(__nv_bfloat16) +
	       DIFFERS(__nv_bfloat162);
	puts(bad || cudaGetLastError() ? "FAILED" : "PASSED");
	return bad;
}
