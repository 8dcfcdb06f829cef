/*
 * Ray tracing with reflections, after Bakhoda and others' RAY: a thread a pixel, a plane and three
 * spheres in constant memory, a light. A ray goes on from what it hits as long as it hits something,
 * at most five times; what each hit shows is kept in local memory, and added up from the last one
 * back to the first.
 */
#include "cuda.h"

#define OBJECTS 4
#define HITS 5
#define FAR 1e4f
#define NEAR 1e-3f

struct vec {
	float x, y, z;
};

/* Centre and radius; radius 0: the plane at that height. Colour, and how much is reflected. */
struct object {
	float4 place, colour;
};
__constant__ object objects[OBJECTS];
__constant__ float4 light;

WL_INLINE vec plus(vec a, float t, vec b)
{
	vec v;
	v.x = a.x + t * b.x; v.y = a.y + t * b.y; v.z = a.z + t * b.z;
	return v;
}
WL_INLINE float dot(vec a, vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
WL_INLINE vec unit(vec a)
{
	float by = 1.0f / sqrtf(dot(a, a));
	vec v;
	v.x = a.x * by; v.y = a.y * by; v.z = a.z * by;
	return v;
}
WL_INLINE vec centre(const object *o)
{
	vec v;
	v.x = o->place.x; v.y = o->place.y; v.z = o->place.z;
	return v;
}

/* How far along the ray the object is; FAR if it is not. */
WL_INLINE float distance(const object *o, vec from, vec along)
{
	if (o->place.w == 0.0f) {
		float t = (o->place.y - from.y) / along.y;

		return t > NEAR ? t : FAR;
	}
	vec to = plus(centre(o), -1.0f, from);
	float b = dot(to, along), inside = b * b - dot(to, to) + o->place.w * o->place.w;

	if (inside < 0.0f)
		return FAR;
	float root = sqrtf(inside), t = b - root > NEAR ? b - root : b + root;

	return t > NEAR ? t : FAR;
}

WL_INLINE unsigned channel(float c)
{
	return (unsigned)(fminf(fmaxf(c, 0.0f), 1.0f) * 255.0f + 0.5f);
}

extern "C" __global__ void ray(unsigned *picture, int width, int height)
{
	int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
	float4 pile[HITS];

	if (px >= width || py >= height)
		return;

	float pixel = 2.0f / (float)min(width, height);
	vec from, along, sun;
	int hits = 0;
	bool hit = true;

	sun.x = light.x; sun.y = light.y; sun.z = light.z;
	from.x = 0.0f; from.y = 1.0f; from.z = -4.0f;
	along.x = ((float)px + 0.5f - 0.5f * (float)width) * pixel;
	along.y = (0.5f * (float)height - (float)py - 0.5f) * pixel;
	along.z = 2.0f;
	along = unit(along);
	while (hit && hits < HITS) {
		float nearest = FAR;
		int which = 0;

		for (int i = 0; i < OBJECTS; i++) {
			float t = distance(&objects[i], from, along);

			if (t < nearest) {
				nearest = t;
				which = i;
			}
		}
		hit = nearest < FAR;
		if (hit) {
			const object *o = &objects[which];
			vec at = plus(from, nearest, along), normal, to_light;
			float shine = 0.0f, bright = 0.1f;
			bool shadow = false;

			normal.x = 0.0f; normal.y = 1.0f; normal.z = 0.0f;
			if (o->place.w != 0.0f)
				normal = unit(plus(at, -1.0f, centre(o)));
			to_light = unit(plus(sun, -1.0f, at));
			for (int i = 0; i < OBJECTS && !shadow; i++)
				shadow = distance(&objects[i], at, to_light) < FAR;
			vec mirrored = plus(along, -2.0f * dot(along, normal), normal);
			if (!shadow) {
				bright += 0.9f * fmaxf(dot(normal, to_light), 0.0f);
				shine = fmaxf(dot(mirrored, to_light), 0.0f);
				shine *= shine; /* to the 16th power */
				shine *= shine;
				shine *= shine;
				shine *= shine;
			}
			pile[hits] = make_float4(o->colour.x * bright + shine,
				o->colour.y * bright + shine, o->colour.z * bright + shine,
				o->colour.w);
			hits++;
			from = at;
			along = mirrored;
		}
	}

	float r = 0.2f, g = 0.3f, b = 0.5f; /* the sky, or the sixth hit's */

	for (int i = hits - 1; i >= 0; i--) {
		float4 c = pile[i];

		r = c.x + c.w * r;
		g = c.y + c.w * g;
		b = c.z + c.w * b;
	}
	picture[py * width + px] = channel(r) | channel(g) << 8 | channel(b) << 16 | 0xff000000u;
}
