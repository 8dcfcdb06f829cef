/*
 * NVTX: marks and ranges by which a program tells a profiler what it does. There is no profiler
 * here, so each function does nothing, and returns what it does where none is attached. The types
 * and names are those of NVTX 3.
 */
#ifndef WT_NVTOOLSEXT_H
#define WT_NVTOOLSEXT_H

#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

#define NVTX_VERSION 3
#define NVTX_API
#define NVTX_INLINE_STATIC static __inline__
#define NVTX_DECLSPEC NVTX_INLINE_STATIC

#define NVTX_SUCCESS 0
#define NVTX_FAIL 1
#define NVTX_ERR_INIT_LOAD_PROPERTY 2
#define NVTX_ERR_INIT_ACCESS_LIBRARY 3
#define NVTX_ERR_INIT_LOAD_LIBRARY 4
#define NVTX_ERR_INIT_MISSING_LIBRARY_ENTRY_POINT 5
#define NVTX_ERR_INIT_FAILED_LIBRARY_ENTRY_POINT 6
#define NVTX_ERR_NO_INJECTION_LIBRARY_AVAILABLE 7

#define NVTX_NO_PUSH_POP_TRACKING (-2)

typedef uint64_t nvtxRangeId_t;
typedef struct nvtxDomainRegistration_st nvtxDomainRegistration;
typedef nvtxDomainRegistration *nvtxDomainHandle_t;
typedef struct nvtxStringRegistration_st nvtxStringRegistration;
typedef nvtxStringRegistration *nvtxStringHandle_t;
typedef struct nvtxResourceHandle nvtxResourceHandle_st;
typedef nvtxResourceHandle_st *nvtxResourceHandle_t;

typedef enum nvtxColorType_t { NVTX_COLOR_UNKNOWN = 0, NVTX_COLOR_ARGB = 1 } nvtxColorType_t;

typedef enum nvtxMessageType_t {
	NVTX_MESSAGE_UNKNOWN = 0,
	NVTX_MESSAGE_TYPE_ASCII = 1,
	NVTX_MESSAGE_TYPE_UNICODE = 2,
	NVTX_MESSAGE_TYPE_REGISTERED = 3
} nvtxMessageType_t;

typedef enum nvtxPayloadType_t {
	NVTX_PAYLOAD_UNKNOWN = 0,
	NVTX_PAYLOAD_TYPE_UNSIGNED_INT64 = 1,
	NVTX_PAYLOAD_TYPE_INT64 = 2,
	NVTX_PAYLOAD_TYPE_DOUBLE = 3,
	NVTX_PAYLOAD_TYPE_UNSIGNED_INT32 = 4,
	NVTX_PAYLOAD_TYPE_INT32 = 5,
	NVTX_PAYLOAD_TYPE_FLOAT = 6
} nvtxPayloadType_t;

typedef enum nvtxResourceGenericType_t {
	NVTX_RESOURCE_TYPE_UNKNOWN = 0,
	NVTX_RESOURCE_TYPE_GENERIC_POINTER = 0x10001,
	NVTX_RESOURCE_TYPE_GENERIC_HANDLE = 0x10002,
	NVTX_RESOURCE_TYPE_GENERIC_THREAD_NATIVE = 0x10003,
	NVTX_RESOURCE_TYPE_GENERIC_THREAD_POSIX = 0x10004
} nvtxResourceGenericType_t;

typedef union nvtxMessageValue_t {
	const char *ascii;
	const wchar_t *unicode;
	nvtxStringHandle_t registered;
} nvtxMessageValue_t;

typedef struct nvtxEventAttributes_v2 {
	uint16_t version, size;
	uint32_t category;
	int32_t colorType;
	uint32_t color;
	int32_t payloadType, reserved0;
	union payload_t {
		uint64_t ullValue;
		int64_t llValue;
		double dValue;
		uint32_t uiValue;
		int32_t iValue;
		float fValue;
	} payload;
	int32_t messageType;
	nvtxMessageValue_t message;
} nvtxEventAttributes_v2;
typedef nvtxEventAttributes_v2 nvtxEventAttributes_t;
#define NVTX_EVENT_ATTRIB_STRUCT_SIZE ((uint16_t)sizeof(nvtxEventAttributes_t))

typedef struct nvtxResourceAttributes_v0 {
	uint16_t version, size;
	int32_t identifierType;
	union identifier_t {
		const void *pValue;
		uint64_t ullValue;
	} identifier;
	int32_t messageType;
	nvtxMessageValue_t message;
} nvtxResourceAttributes_v0;
typedef nvtxResourceAttributes_v0 nvtxResourceAttributes_t;
#define NVTX_RESOURCE_ATTRIB_STRUCT_SIZE ((uint16_t)sizeof(nvtxResourceAttributes_t))

#ifdef __cplusplus
extern "C" {
#endif

NVTX_DECLSPEC void NVTX_API nvtxInitialize(const void *reserved)
{
	(void)reserved;
}

NVTX_DECLSPEC void NVTX_API nvtxMarkEx(const nvtxEventAttributes_t *attributes)
{
	(void)attributes;
}

NVTX_DECLSPEC void NVTX_API nvtxMarkA(const char *text)
{
	(void)text;
}

NVTX_DECLSPEC void NVTX_API nvtxMarkW(const wchar_t *text)
{
	(void)text;
}

NVTX_DECLSPEC nvtxRangeId_t NVTX_API nvtxRangeStartEx(const nvtxEventAttributes_t *attributes)
{
	(void)attributes;
	return 0;
}

NVTX_DECLSPEC nvtxRangeId_t NVTX_API nvtxRangeStartA(const char *text)
{
	(void)text;
	return 0;
}

NVTX_DECLSPEC nvtxRangeId_t NVTX_API nvtxRangeStartW(const wchar_t *text)
{
	(void)text;
	return 0;
}

NVTX_DECLSPEC int NVTX_API nvtxRangePushEx(const nvtxEventAttributes_t *attributes)
{
	(void)attributes;
	return NVTX_NO_PUSH_POP_TRACKING;
}

NVTX_DECLSPEC int NVTX_API nvtxRangePushA(const char *text)
{
	(void)text;
	return NVTX_NO_PUSH_POP_TRACKING;
}

NVTX_DECLSPEC int NVTX_API nvtxRangePushW(const wchar_t *text)
{
	(void)text;
	return NVTX_NO_PUSH_POP_TRACKING;
}

NVTX_DECLSPEC void NVTX_API nvtxRangeEnd(nvtxRangeId_t id)
{
	(void)id;
}

NVTX_DECLSPEC int NVTX_API nvtxRangePop(void)
{
	return NVTX_NO_PUSH_POP_TRACKING;
}

NVTX_DECLSPEC void NVTX_API nvtxNameCategoryA(uint32_t category, const char *text)
{
	(void)category;
	(void)text;
}

NVTX_DECLSPEC void NVTX_API nvtxNameCategoryW(uint32_t category, const wchar_t *text)
{
	(void)category;
	(void)text;
}

NVTX_DECLSPEC void NVTX_API nvtxNameOsThreadA(uint32_t thread, const char *text)
{
	(void)thread;
	(void)text;
}

NVTX_DECLSPEC void NVTX_API nvtxNameOsThreadW(uint32_t thread, const wchar_t *text)
{
	(void)thread;
	(void)text;
}

NVTX_DECLSPEC nvtxDomainHandle_t NVTX_API nvtxDomainCreateA(const char *text)
{
	(void)text;
	return NULL;
}

NVTX_DECLSPEC nvtxDomainHandle_t NVTX_API nvtxDomainCreateW(const wchar_t *text)
{
	(void)text;
	return NULL;
}

NVTX_DECLSPEC void NVTX_API nvtxDomainDestroy(nvtxDomainHandle_t domain)
{
	(void)domain;
}

NVTX_DECLSPEC void NVTX_API nvtxDomainMarkEx(
	nvtxDomainHandle_t domain, const nvtxEventAttributes_t *attributes)
{
	(void)domain;
	(void)attributes;
}

NVTX_DECLSPEC nvtxRangeId_t NVTX_API nvtxDomainRangeStartEx(
	nvtxDomainHandle_t domain, const nvtxEventAttributes_t *attributes)
{
	(void)domain;
	(void)attributes;
	return 0;
}

NVTX_DECLSPEC void NVTX_API nvtxDomainRangeEnd(nvtxDomainHandle_t domain, nvtxRangeId_t id)
{
	(void)domain;
	(void)id;
}

NVTX_DECLSPEC int NVTX_API nvtxDomainRangePushEx(
	nvtxDomainHandle_t domain, const nvtxEventAttributes_t *attributes)
{
	(void)domain;
	(void)attributes;
	return NVTX_NO_PUSH_POP_TRACKING;
}

NVTX_DECLSPEC int NVTX_API nvtxDomainRangePop(nvtxDomainHandle_t domain)
{
	(void)domain;
	return NVTX_NO_PUSH_POP_TRACKING;
}

NVTX_DECLSPEC nvtxStringHandle_t NVTX_API nvtxDomainRegisterStringA(
	nvtxDomainHandle_t domain, const char *text)
{
	(void)domain;
	(void)text;
	return NULL;
}

NVTX_DECLSPEC nvtxStringHandle_t NVTX_API nvtxDomainRegisterStringW(
	nvtxDomainHandle_t domain, const wchar_t *text)
{
	(void)domain;
	(void)text;
	return NULL;
}

NVTX_DECLSPEC void NVTX_API nvtxDomainNameCategoryA(
	nvtxDomainHandle_t domain, uint32_t category, const char *text)
{
	(void)domain;
	(void)category;
	(void)text;
}

NVTX_DECLSPEC void NVTX_API nvtxDomainNameCategoryW(
	nvtxDomainHandle_t domain, uint32_t category, const wchar_t *text)
{
	(void)domain;
	(void)category;
	(void)text;
}

NVTX_DECLSPEC nvtxResourceHandle_t NVTX_API nvtxDomainResourceCreate(
	nvtxDomainHandle_t domain, nvtxResourceAttributes_t *attributes)
{
	(void)domain;
	(void)attributes;
	return NULL;
}

NVTX_DECLSPEC void NVTX_API nvtxDomainResourceDestroy(nvtxResourceHandle_t resource)
{
	(void)resource;
}

#ifdef __cplusplus
}
#endif

#ifdef UNICODE
#define WT_NVTX_OF(name) name##W
#else
#define WT_NVTX_OF(name) name##A
#endif
#define nvtxMark WT_NVTX_OF(nvtxMark)
#define nvtxRangeStart WT_NVTX_OF(nvtxRangeStart)
#define nvtxRangePush WT_NVTX_OF(nvtxRangePush)
#define nvtxNameCategory WT_NVTX_OF(nvtxNameCategory)
#define nvtxNameOsThread WT_NVTX_OF(nvtxNameOsThread)
#define nvtxDomainCreate WT_NVTX_OF(nvtxDomainCreate)
#define nvtxDomainRegisterString WT_NVTX_OF(nvtxDomainRegisterString)
#define nvtxDomainNameCategory WT_NVTX_OF(nvtxDomainNameCategory)

#endif
