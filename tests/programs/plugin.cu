/* A library with kernels that is loaded and gone again before anything runs; -DPLUGIN: that one. */
#include <cstdio>
#include <dlfcn.h>

__global__ void set(int *v)
{
#ifdef PLUGIN
	*v = 1;
#else
	*v = 2;
#endif
}

#ifdef PLUGIN
extern "C" void start(int *v)
{
	set<<<1, 1>>>(v);
}
#else
int main()
{
	void *plugin = dlopen("./plugin.so", RTLD_NOW);
	int *v, host = 0;

	if (!plugin)
		return puts(dlerror());
	dlclose(plugin);
	cudaMalloc(&v, sizeof(*v));
	set<<<1, 1>>>(v);
	cudaMemcpy(&host, v, sizeof(host), cudaMemcpyDeviceToHost);
	puts(host == 2 ? "PASSED" : "FAILED");
}
#endif
