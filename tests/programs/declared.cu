/*
 * Names that programs find in the runtime's headers: what is behind them works, or is not
 * supported.
 */
#include <cstdio>
#include <cstring>

#define CHECK(x)                                                                                   \
	do {                                                                                       \
		if (!(x)) {                                                                        \
			printf("FAILED: line %d\n", __LINE__);                                     \
			return 1;                                                                  \
		}                                                                                  \
	} while (0)
#define NOT_THERE(call) CHECK((call) == cudaErrorNotSupported)

__global__ void put(int *p, int v)
{
	*p = v;
}

static int textures()
{
	const cudaChannelFormatDesc floats = cudaCreateChannelDesc<float>();
	cudaResourceDesc r = {}, got_r;
	cudaTextureDesc d = {}, got_d;
	cudaResourceViewDesc view = {};
	cudaTextureObject_t t, second;
	cudaSurfaceObject_t s;
	cudaArray_t array;

	CHECK(!cudaMallocArray(&array, &floats, 8, 4, cudaArraySurfaceLoadStore));
	r.resType = cudaResourceTypeArray;
	r.res.array.array = array;
	d.addressMode[1] = cudaAddressModeMirror;
	d.filterMode = cudaFilterModeLinear;
	d.borderColor[2] = 0.5f;
	CHECK(!cudaCreateTextureObject(&t, &r, &d, nullptr));
	d.borderColor[2] = 0.25f;
	CHECK(!cudaCreateTextureObject(&second, &r, &d, nullptr));
	CHECK(!cudaGetTextureObjectResourceDesc(&got_r, t) && got_r.res.array.array == array);
	CHECK(!cudaGetTextureObjectTextureDesc(&got_d, t) && got_d.borderColor[2] == 0.5f);
	CHECK(got_d.addressMode[1] == cudaAddressModeMirror && got_r.resType == r.resType);
	CHECK(got_d.filterMode == cudaFilterModeLinear);
	CHECK(cudaGetTextureObjectResourceViewDesc(&view, t) == cudaErrorInvalidValue);
	CHECK(!cudaCreateSurfaceObject(&s, &r));
	CHECK(!cudaGetSurfaceObjectResourceDesc(&got_r, s) && got_r.res.array.array == array);
	CHECK(cudaGetTextureObjectResourceDesc(&got_r, s) == cudaErrorInvalidValue);
	CHECK(cudaGetSurfaceObjectResourceDesc(&got_r, t) == cudaErrorInvalidValue);
	CHECK(!cudaDestroyTextureObject(t) && !cudaDestroySurfaceObject(s));
	CHECK(cudaGetTextureObjectTextureDesc(&got_d, t) == cudaErrorInvalidValue);
	CHECK(cudaDestroyTextureObject(t) == cudaErrorInvalidValue);
	CHECK(!cudaGetTextureObjectTextureDesc(&got_d, second) && got_d.borderColor[2] == 0.25f);
	CHECK(!cudaDestroyTextureObject(second));
	view.format = cudaResViewFormatUnsignedBlockCompressed7;
	NOT_THERE(cudaCreateTextureObject(&t, &r, &d, &view));
	return cudaFreeArray(array);
}

static int graphs()
{
	int *p, v = 3, got;
	void *args[] = {&p, &v};
	cudaKernelNodeParams k = {};
	cudaGraph_t graph, other;
	cudaGraphNode_t node;
	cudaGraphExec_t exec;
	cudaGraphInstantiateParams how = {};
	cudaGraphExecUpdateResultInfo info = {cudaGraphExecUpdateErrorParametersChanged, 0, 0};
	cudaUserObject_t object = nullptr;

	CHECK(!cudaMalloc(&p, sizeof(*p)) && !cudaGraphCreate(&graph, 0));
	k.func = (void *)put;
	k.gridDim = k.blockDim = dim3(1);
	k.kernelParams = args;
	CHECK(!cudaGraphAddKernelNode(&node, graph, nullptr, 0, &k));
	how.flags = cudaGraphInstantiateFlagAutoFreeOnLaunch;
	how.result_out = cudaGraphInstantiateError;
	how.errNode_out = node;
	CHECK(!cudaGraphInstantiateWithParams(&exec, graph, &how));
	CHECK(how.result_out == cudaGraphInstantiateSuccess && !how.errNode_out);
	CHECK(cudaGraphInstantiateWithParams(&exec, graph, nullptr) == cudaErrorInvalidValue);
	CHECK(cudaGetLastError() == cudaErrorInvalidValue);
	CHECK(!cudaGraphLaunch(exec, 0));
	CHECK(!cudaMemcpy(&got, p, sizeof(got), cudaMemcpyDeviceToHost) && got == 3);
	v = 4;
	CHECK(!cudaGraphKernelNodeSetParams(node, &k) && !cudaGraphExecUpdate(exec, graph, &info));
	CHECK(info.result == cudaGraphExecUpdateSuccess && !cudaGraphLaunch(exec, 0));
	CHECK(!cudaMemcpy(&got, p, sizeof(got), cudaMemcpyDeviceToHost) && got == 4);
	CHECK(!cudaGraphCreate(&other, 0));
	CHECK(cudaGraphExecUpdate(exec, other, &info) == cudaErrorGraphExecUpdateFailure);
	CHECK(info.result == cudaGraphExecUpdateErrorTopologyChanged);
	CHECK(!cudaGraphDebugDotPrint(graph, "graph.dot",
		cudaGraphDebugDotFlagsKernelNodeParams | cudaGraphDebugDotFlagsHandles));
	NOT_THERE(cudaUserObjectCreate(&object, p, nullptr, 1, cudaUserObjectNoDestructorSync));
	NOT_THERE(cudaUserObjectRetain(object));
	NOT_THERE(cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove));
	NOT_THERE(cudaGraphReleaseUserObject(graph, object));
	NOT_THERE(cudaUserObjectRelease(object));
	return cudaGraphDestroy(graph) || cudaGraphDestroy(other) || cudaGraphExecDestroy(exec);
}

static int others()
{
	cudaExternalMemory_t memory;
	cudaExternalSemaphore_t semaphore;
	cudaExternalMemoryHandleDesc md = {};
	cudaExternalSemaphoreHandleDesc sd = {};
	cudaExternalMemoryBufferDesc bd = {};
	void *p;

	md.type = cudaExternalMemoryHandleTypeOpaqueFd;
	md.handle.fd = -1;
	md.flags = cudaExternalMemoryDedicated;
	sd.type = cudaExternalSemaphoreHandleTypeOpaqueFd;
	NOT_THERE(cudaImportExternalMemory(&memory, &md));
	NOT_THERE(cudaExternalMemoryGetMappedBuffer(&p, memory, &bd));
	NOT_THERE(cudaImportExternalSemaphore(&semaphore, &sd));
	cudaExternalSemaphoreSignalParams signal = {};
	cudaExternalSemaphoreWaitParams wait = {};
	NOT_THERE(cudaSignalExternalSemaphoresAsync(&semaphore, &signal, 1));
	NOT_THERE(cudaWaitExternalSemaphoresAsync(&semaphore, &wait, 1));
	NOT_THERE(cudaDestroyExternalSemaphore(semaphore));
	NOT_THERE(cudaDestroyExternalMemory(memory));
	return 0;
}

static int asked()
{
	cudaDeviceProp p;
	cudaDriverEntryPointQueryResult status = cudaDriverEntryPointVersionNotSufficent;
	int (*count)(int *) = nullptr, n = -1;

	CHECK(!cudaGetDeviceProperties(&p, 0));
	CHECK(!cudaDeviceGetAttribute(&n, cudaDevAttrMaxPersistingL2CacheSize, 0));
	CHECK(n == p.persistingL2CacheMaxSize);
	CHECK(!cudaDeviceGetAttribute(&n, cudaDevAttrMaxAccessPolicyWindowSize, 0));
	CHECK(n == p.accessPolicyMaxWindowSize);
	CHECK(!cudaGetDriverEntryPoint("cuDeviceGetCount", (void **)&count, cudaEnableDefault, &status));
	CHECK(status == cudaDriverEntryPointSuccess && !count(&n) && n == 1);
	cudaGetLastError();
	CHECK(!cudaGetDriverEntryPointByVersion("cuNone", (void **)&count, 12000, 0, &status));
	CHECK(status == cudaDriverEntryPointSymbolNotFound && !count);
	CHECK(!cudaGetDriverEntryPoint("cuMemAlloc", (void **)&count, cudaEnableDefault, &status));
	CHECK(status == cudaDriverEntryPointSuccess && count);
	CHECK(!cudaGetDriverEntryPoint("cuNone", (void **)&count, cudaEnableDefault, &status));
	CHECK(status == cudaDriverEntryPointSymbolNotFound && !count && !cudaPeekAtLastError());
	CHECK(!cudaGetDriverEntryPointByVersion("cuMemAlloc", (void **)&count, 2000, 0, &status));
	CHECK(status == cudaDriverEntryPointVersionNotSufficent && !count);
	/* Without a status there is the error. */
	CHECK(cudaGetDriverEntryPoint("cuNone", (void **)&count, 0) == cudaErrorSymbolNotFound);
	CHECK(!count && cudaGetLastError() == cudaErrorSymbolNotFound);
	return 0;
}

int main()
{
	if (textures() || graphs() || others() || asked())
		return 1;
	printf("PASSED\n");
}
