/* A map from handles and addresses to what they stand for, as large as it has to be. */
#ifndef CUDA_MAP_H
#define CUDA_MAP_H

#include <stdbool.h>
#include <stddef.h>

struct rt_map {
	struct rt_pair {
		const void *key; /* NULL: free */
		void *value;
	} * v;
	size_t room, n; /* room: a power of two, or 0 */
};

/* Replaces what the key, which is not NULL, had. false: no memory, and the map is as before. */
bool rt_map_put(struct rt_map *m, const void *key, void *value);
void *rt_map_get(const struct rt_map *m, const void *key); /* or NULL */
void rt_map_drop(struct rt_map *m, const void *key);
void rt_map_free(struct rt_map *m);

#endif
