/*
 * libnvidia-ml: what NVML says of the device that the program's CUDA runtime shows, by the
 * runtime's own functions; nvml.h says which. It asks for nothing whose layout differs by release.
 * Left out: what a device measures.
 */
#include "nvml.h"
#include "cuda.h"
#include "cuda_runtime_api.h"
#include <stdio.h>
#include <string.h>

/* A program without a runtime has no device, as one without a driver. */
#pragma weak cuCtxGetCurrent
#pragma weak cuCtxPopCurrent_v2
#pragma weak cuDeviceGetName
#pragma weak cudaDeviceGetAttribute
#pragma weak cudaDeviceGetPCIBusId
#pragma weak cudaDriverGetVersion
#pragma weak cudaGetDeviceCount
#pragma weak cudaMemGetInfo

struct nvmlDevice_st {
	unsigned int index;
};

static struct nvmlDevice_st the_device; /* the runtime has one */
static unsigned int users;

/* Before anything that wants the library. */
#define WANT(condition)                                                                            \
	do {                                                                                       \
		if (!__atomic_load_n(&users, __ATOMIC_RELAXED))                                    \
			return NVML_ERROR_UNINITIALIZED;                                           \
		if (!(condition))                                                                  \
			return NVML_ERROR_INVALID_ARGUMENT;                                        \
	} while (0)

nvmlReturn_t nvmlInitWithFlags(unsigned int flags)
{
	(void)flags;
	if (!cudaGetDeviceCount)
		return NVML_ERROR_DRIVER_NOT_LOADED;
	__atomic_add_fetch(&users, 1, __ATOMIC_RELAXED);
	return NVML_SUCCESS;
}

nvmlReturn_t nvmlInit_v2(void)
{
	return nvmlInitWithFlags(0);
}

nvmlReturn_t nvmlShutdown(void)
{
	unsigned int n = __atomic_load_n(&users, __ATOMIC_RELAXED);

	do {
		if (!n)
			return NVML_ERROR_UNINITIALIZED;
	} while (!__atomic_compare_exchange_n(
		&users, &n, n - 1, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	return NVML_SUCCESS;
}

const char *nvmlErrorString(nvmlReturn_t result)
{
	switch (result) {
	case NVML_SUCCESS:
		return "success";
	case NVML_ERROR_UNINITIALIZED:
		return "nvmlInit was not called";
	case NVML_ERROR_INVALID_ARGUMENT:
		return "invalid argument";
	case NVML_ERROR_NOT_SUPPORTED:
		return "not supported by this device";
	case NVML_ERROR_NO_PERMISSION:
		return "no permission";
	case NVML_ERROR_NOT_FOUND:
		return "not found";
	case NVML_ERROR_INSUFFICIENT_SIZE:
		return "the buffer is too small";
	case NVML_ERROR_DRIVER_NOT_LOADED:
		return "the program has no CUDA runtime";
	case NVML_ERROR_LIBRARY_NOT_FOUND:
		return "library not found";
	case NVML_ERROR_FUNCTION_NOT_FOUND:
		return "function not found";
	default:
		return "unknown error";
	}
}

/* ---- the system ---- */

static nvmlReturn_t put(char *to, unsigned int length, const char *text)
{
	const size_t n = strlen(text);

	if (n >= length)
		return NVML_ERROR_INSUFFICIENT_SIZE;
	memcpy(to, text, n + 1);
	return NVML_SUCCESS;
}

nvmlReturn_t nvmlSystemGetCudaDriverVersion(int *version)
{
	WANT(version);
	return cudaDriverGetVersion && !cudaDriverGetVersion(version) ? NVML_SUCCESS
								      : NVML_ERROR_UNKNOWN;
}

/* There is no driver with a number of its own: it has the runtime's. */
nvmlReturn_t nvmlSystemGetDriverVersion(char *version, unsigned int length)
{
	char text[32];
	int cuda;
	nvmlReturn_t e;

	WANT(version);
	if ((e = nvmlSystemGetCudaDriverVersion(&cuda)))
		return e;
	snprintf(text, sizeof(text), "%d.%d", cuda / 1000, cuda % 1000 / 10);
	return put(version, length, text);
}

nvmlReturn_t nvmlSystemGetNVMLVersion(char *version, unsigned int length)
{
	WANT(version);
	return put(version, length, NVML_API_VERSION_STR);
}

/* ---- devices ---- */

nvmlReturn_t nvmlDeviceGetCount_v2(unsigned int *count)
{
	int n;

	WANT(count);
	if (cudaGetDeviceCount(&n))
		return NVML_ERROR_UNKNOWN;
	*count = (unsigned int)n;
	return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetHandleByIndex_v2(unsigned int index, nvmlDevice_t *device)
{
	WANT(device && !index);
	*device = &the_device;
	return NVML_SUCCESS;
}

static nvmlReturn_t attribute(enum cudaDeviceAttr which, int *value)
{
	return cudaDeviceGetAttribute && !cudaDeviceGetAttribute(value, which, 0)
		       ? NVML_SUCCESS
		       : NVML_ERROR_UNKNOWN;
}

/* Domain, bus, device and function of "0000:3b:00.0", or of that without the domain. */
static int parse(const char *id, unsigned int at[4])
{
	at[0] = at[3] = 0;
	if (sscanf(id, "%x:%x:%x.%x", &at[0], &at[1], &at[2], &at[3]) >= 3)
		return 1;
	at[0] = 0;
	return sscanf(id, "%x:%x.%x", &at[1], &at[2], &at[3]) >= 2;
}

static int place(unsigned int at[4])
{
	char id[32];

	return cudaDeviceGetPCIBusId && !cudaDeviceGetPCIBusId(id, sizeof(id), 0) && parse(id, at);
}

nvmlReturn_t nvmlDeviceGetHandleByPciBusId_v2(const char *id, nvmlDevice_t *device)
{
	unsigned int is[4], at[4];

	WANT(id && device && parse(id, at));
	if (!place(is))
		return NVML_ERROR_UNKNOWN;
	if (memcmp(is, at, sizeof(is)))
		return NVML_ERROR_NOT_FOUND;
	*device = &the_device;
	return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetPciInfo_v3(nvmlDevice_t device, nvmlPciInfo_t *pci)
{
	unsigned int at[4];

	WANT(device && pci);
	if (!place(at))
		return NVML_ERROR_UNKNOWN;
	*pci = (nvmlPciInfo_t){.domain = at[0], .bus = at[1], .device = at[2]};
	snprintf(pci->busIdLegacy, sizeof(pci->busIdLegacy), "%04X:%02X:%02X.0", at[0] & 0xffff,
		at[1] & 0xff, at[2] & 0xff);
	snprintf(pci->busId, sizeof(pci->busId), "%08X:%02X:%02X.0", at[0], at[1] & 0xff,
		at[2] & 0xff);
	return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetIndex(nvmlDevice_t device, unsigned int *index)
{
	WANT(device && index);
	*index = device->index;
	return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetName(nvmlDevice_t device, char *name, unsigned int length)
{
	char text[256];

	WANT(device && name);
	if (!cuDeviceGetName || cuDeviceGetName(text, sizeof(text), 0))
		return NVML_ERROR_UNKNOWN;
	return put(name, length, text);
}

nvmlReturn_t nvmlDeviceGetCudaComputeCapability(nvmlDevice_t device, int *major, int *minor)
{
	WANT(device && major && minor);
	if (attribute(cudaDevAttrComputeCapabilityMajor, major))
		return NVML_ERROR_UNKNOWN;
	return attribute(cudaDevAttrComputeCapabilityMinor, minor);
}

nvmlReturn_t nvmlDeviceGetMemoryInfo(nvmlDevice_t device, nvmlMemory_t *memory)
{
	size_t left, all;
	CUcontext now;

	WANT(device && memory);
	if (!cudaMemGetInfo || cuCtxGetCurrent(&now) || cudaMemGetInfo(&left, &all))
		return NVML_ERROR_UNKNOWN;
	/* The runtime's call gave the thread a context, which NVML never does. */
	if (!now)
		cuCtxPopCurrent_v2(&now);
	*memory = (nvmlMemory_t){.total = all, .free = left, .used = all - left};
	return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetClockInfo(nvmlDevice_t device, nvmlClockType_t type, unsigned int *clock)
{
	int khz;

	WANT(device && clock && type < NVML_CLOCK_COUNT);
	if (type == NVML_CLOCK_VIDEO)
		return NVML_ERROR_NOT_SUPPORTED;
	if (attribute(type == NVML_CLOCK_MEM ? cudaDevAttrMemoryClockRate : cudaDevAttrClockRate,
		    &khz))
		return NVML_ERROR_UNKNOWN;
	*clock = (unsigned int)khz / 1000;
	return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetMaxClockInfo(
	nvmlDevice_t device, nvmlClockType_t type, unsigned int *clock)
{
	return nvmlDeviceGetClockInfo(device, type, clock);
}

nvmlReturn_t nvmlDeviceGetApplicationsClock(
	nvmlDevice_t device, nvmlClockType_t type, unsigned int *clock)
{
	return nvmlDeviceGetClockInfo(device, type, clock);
}

/* ---- what is measured, or set ---- */

static nvmlReturn_t refuse(nvmlDevice_t device, const void *to)
{
	WANT(device && to);
	return NVML_ERROR_NOT_SUPPORTED;
}

nvmlReturn_t nvmlDeviceGetPowerUsage(nvmlDevice_t device, unsigned int *milliwatts)
{
	return refuse(device, milliwatts);
}

nvmlReturn_t nvmlDeviceGetEnforcedPowerLimit(nvmlDevice_t device, unsigned int *milliwatts)
{
	return refuse(device, milliwatts);
}

nvmlReturn_t nvmlDeviceGetPowerManagementLimit(nvmlDevice_t device, unsigned int *milliwatts)
{
	return refuse(device, milliwatts);
}

nvmlReturn_t nvmlDeviceGetTotalEnergyConsumption(
	nvmlDevice_t device, unsigned long long *millijoules)
{
	return refuse(device, millijoules);
}

nvmlReturn_t nvmlDeviceGetTemperature(
	nvmlDevice_t device, nvmlTemperatureSensors_t sensor, unsigned int *celsius)
{
	WANT(sensor == NVML_TEMPERATURE_GPU);
	return refuse(device, celsius);
}

nvmlReturn_t nvmlDeviceGetUtilizationRates(nvmlDevice_t device, nvmlUtilization_t *rates)
{
	return refuse(device, rates);
}

nvmlReturn_t nvmlDeviceGetPerformanceState(nvmlDevice_t device, nvmlPstates_t *state)
{
	return refuse(device, state);
}

nvmlReturn_t nvmlDeviceGetFanSpeed(nvmlDevice_t device, unsigned int *percent)
{
	return refuse(device, percent);
}

nvmlReturn_t nvmlDeviceGetSerial(nvmlDevice_t device, char *serial, unsigned int length)
{
	(void)length;
	return refuse(device, serial);
}

nvmlReturn_t nvmlDeviceGetAPIRestriction(
	nvmlDevice_t device, nvmlRestrictedAPI_t what, nvmlEnableState_t *is)
{
	WANT(what < NVML_RESTRICTED_API_COUNT);
	return refuse(device, is);
}

nvmlReturn_t nvmlDeviceGetSupportedMemoryClocks(
	nvmlDevice_t device, unsigned int *count, unsigned int *clocks)
{
	(void)clocks; /* may be none, where only their number is asked for */
	return refuse(device, count);
}

nvmlReturn_t nvmlDeviceGetSupportedGraphicsClocks(
	nvmlDevice_t device, unsigned int memory, unsigned int *count, unsigned int *clocks)
{
	(void)memory, (void)clocks;
	return refuse(device, count);
}

nvmlReturn_t nvmlDeviceSetApplicationsClocks(
	nvmlDevice_t device, unsigned int memory, unsigned int graphics)
{
	(void)memory, (void)graphics;
	return refuse(device, device);
}

nvmlReturn_t nvmlDeviceResetApplicationsClocks(nvmlDevice_t device)
{
	return refuse(device, device);
}
