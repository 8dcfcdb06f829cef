/* What linked.cu and linked_other.cu know of each other. */
__device__ int weigh(int i);
__global__ void halves(void);

template <typename T> __device__ __noinline__ T twice(T v)
{
	return v + v;
}
