#include <cstdio>
extern "C" __global__ void mm(int n, const float*a,const float*b,float*c){ int x=blockIdx.x*16+threadIdx.x,y=blockIdx.y*16+threadIdx.y; float s=0; for(int k=0;k<n;k++) s+=a[y*n+k]*b[k*n+x]; c[y*n+x]=s; }
int main(int c,char**v){ int n=256,r=c>1?atoi(v[1]):10; float*a,*b,*d; cudaMalloc(&a,n*n*4); cudaMalloc(&b,n*n*4); cudaMalloc(&d,n*n*4); for(int i=0;i<r;i++) mm<<<dim3(16,16),dim3(16,16)>>>(n,a,b,d); cudaDeviceSynchronize(); }
