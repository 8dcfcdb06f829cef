/* The samples' stop watch: milliseconds of the host, each lap and on average. */
#ifndef COMMON_HELPER_TIMER_H_
#define COMMON_HELPER_TIMER_H_

#include <stdlib.h>
#include <time.h>

struct StopWatchInterface {
	double start, last, total;
	int laps;
};

static inline double wt_milliseconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e3 + t.tv_nsec * 1e-6;
}
static inline bool sdkCreateTimer(StopWatchInterface **watch)
{
	*watch = (StopWatchInterface *)calloc(1, sizeof(**watch));
	return *watch != nullptr;
}
static inline bool sdkDeleteTimer(StopWatchInterface **watch)
{
	free(*watch);
	*watch = nullptr;
	return true;
}
static inline bool sdkStartTimer(StopWatchInterface **watch)
{
	(*watch)->start = wt_milliseconds();
	return true;
}
static inline bool sdkStopTimer(StopWatchInterface **watch)
{
	(*watch)->last = wt_milliseconds() - (*watch)->start;
	(*watch)->total += (*watch)->last;
	(*watch)->laps++;
	return true;
}
static inline bool sdkResetTimer(StopWatchInterface **watch)
{
	const StopWatchInterface fresh = {wt_milliseconds(), 0, 0, 0};
	**watch = fresh;
	return true;
}
static inline float sdkGetTimerValue(StopWatchInterface **watch)
{
	return (float)(*watch)->total;
}
static inline float sdkGetAverageTimerValue(StopWatchInterface **watch)
{
	return (*watch)->laps ? (float)((*watch)->total / (*watch)->laps) : 0.0f;
}

#endif
