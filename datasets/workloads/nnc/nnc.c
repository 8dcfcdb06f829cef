/*
 * nnc: the records nearest to a place, as Rodinia's nn was when TBC and DWR ran it: the text of the
 * records goes to the device as it stands in the files, and a kernel of blocks of 16 threads reads
 * it. Kept: a launch a file, records of 49 characters with latitude and longitude from character 27
 * on, the place at (30, 90), latitudes of 7 to 69.9 and longitudes of 0 to 357.9 degrees, 938
 * blocks a launch (DWR, table 1). DWR has four launches with 5.9 M instructions; here are five, as
 * today's compiler makes fewer instructions of it. Left out: the host's list of the nearest k,
 * which it picks from the distances after each launch.
 *
 * TBC counts no divergence; but a warp of 16 lanes is half empty, and longitudes under 100 skip a
 * digit.
 *
 * The check computes the distances from the numbers that the records were printed from. Whole
 * degrees are sums of whole numbers, so the order of the kernel's sums does not show.
 */
#include "datasets/workloads/input.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define WIDTH 49 /* with the end of line */
#define LATITUDE 27
#define THREADS 16

static float degrees(uint32_t tenths)
{
	return (float)(tenths / 10) + (float)(tenths % 10) / 10;
}

/* Year, month, day, hour, storm, name, latitude, longitude, wind and pressure. */
static void print_record(struct wl_rng *rng, char *record, uint32_t north, uint32_t east)
{
	static const char *const names[] = {"ALBERTO", "BERYL", "CHRIS", "DEBBY", "ERNESTO",
		"FLORENCE", "GORDON", "HELENE", "ISAAC", "JOYCE", "KIRK", "LESLIE"};
	uint32_t year = 1950 + wl_below(rng, 55), month = 1 + wl_below(rng, 12),
		 day = 1 + wl_below(rng, 28), hour = 6 * wl_below(rng, 4),
		 storm = 1 + wl_below(rng, 28), wind = 10 + wl_below(rng, 155),
		 pressure = wl_below(rng, 900);
	const char *name = names[wl_below(rng, sizeof(names) / sizeof(*names))];
	char line[2 * WIDTH];

	snprintf(line, sizeof(line), "%4u %2u %2u %2u %2u %-9s %3u.%u %3u.%u %4u %4u\n",
		year % 10000, month % 100, day % 100, hour % 100, storm % 100, name,
		north / 10 % 1000, north % 10, east / 10 % 1000, east % 10, wind % 1000,
		pressure % 1000);
	memcpy(record, line, WIDTH);
}

static void run(struct wl *w)
{
	uint32_t files = (uint32_t)wl_param(w, "files"), n = (uint32_t)wl_param(w, "records");
	float latitude = (float)wl_param(w, "latitude"),
	      longitude = (float)wl_param(w, "longitude");
	struct wl_buf records = wl_alloc(w, "records", (uint64_t)n * WIDTH);
	struct wl_buf distance = wl_alloc(w, "distance", n * sizeof(float));
	float *want = wl_host(w, n, sizeof(*want));
	struct wl_rng rng;

	wl_rng_start(&rng, w, 0);
	for (uint32_t f = 0; f < files && !wl_failed(w); f++) {
		for (uint32_t i = 0; i < n; i++) {
			uint32_t north = 70 + wl_below(&rng, 630), east = wl_below(&rng, 3580);
			float y = degrees(north) - latitude, x = degrees(east) - longitude;

			print_record(&rng, (char *)records.b + (size_t)i * WIDTH, north, east);
			want[i] = sqrtf(fmaf(y, y, x * x));
		}
		wl_upload(w, &records);
		WL_LAUNCH(w, "nnc_distance", wl_dim(wl_ceil_div(n, THREADS), 1, 1),
			wl_dim(THREADS, 1, 1), 0, wl_p(&records), wl_f(latitude), wl_f(longitude),
			wl_p(&distance), wl_i((int32_t)n), wl_i(WIDTH), wl_i(LATITUDE));
		wl_check_f32(w, &distance, want, n, 0, 0);
	}
}

const struct workload wl_nnc = {
	.name = "nnc",
	.cls = "COH",
	.papers = "thesis,tbc,dwr,crown",
	.suite = "Rodinia",
	.summary = "distances of text records from a place, a record a thread, blocks of 16",
	.params =
		{
			{"files", 5, 1, 1024, "files of records, a launch each"},
			{"records", 15000, 1, 1 << 24, "records of a file"},
			{"latitude", 30, 0, 90, "of the place, degrees"},
			{"longitude", 90, 0, 359, "of the place, degrees"},
		},
	.presets =
		{
			{"tbc", "files=4,records=15008",
				"table 1's blocks; 4.9 M of its 6 M instructions"},
			{"dwr", "files=4,records=15008",
				"table 1's 4 x 938 blocks, 4.9 M of its 5.9 M"},
		},
	.tiny = "files=2,records=150",
	.run = run,
};
