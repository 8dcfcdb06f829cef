/*
 * cfd: Rodinia's euler3d, a finite-volume solver of the Euler equations on an unstructured grid,
 * one element a thread, 192 threads a block. The host launches as the original does: for each
 * iteration the step factors, then flux and time step for each stage of a Runge-Kutta step. The
 * original takes 2000 iterations of 3 stages; the default here is one of one, since that alone is
 * 49 million thread instructions over two waves of blocks.
 *
 * The original's grids of a wing and a missile are replaced by that of mesh.c. The start is a far
 * field with noise, so that a wrong neighbour shows; the original's is uniform.
 */
#include "datasets/workloads/cfd/mesh.h"
#include <math.h>
#include <string.h>

#define BLOCK 192
#define NVAR 5
#define GAMMA 1.4f
#define SMOOTHING 0.2f
/* Products and sums are fused here and there in the kernel, over the faces' whole expressions. */
#define REL 1e-5
#define ABS 1e-5

/* ---- the solver on the CPU: s and sums are density, momentum x, y, z, energy ---- */

struct gas {
	float speed, sound, pressure;
	float flux[NVAR][3]; /* what is carried along each axis */
};

static struct gas gas_of(const float s[NVAR])
{
	float v[3], squared;
	struct gas g;

	for (int d = 0; d < 3; d++)
		v[d] = s[1 + d] / s[0];
	squared = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
	g.pressure = (GAMMA - 1.0f) * (s[4] - 0.5f * s[0] * squared);
	g.speed = sqrtf(squared);
	g.sound = sqrtf(GAMMA * g.pressure / s[0]);
	for (int d = 0; d < 3; d++) {
		g.flux[0][d] = s[1 + d];
		for (int k = 0; k < 3; k++) /* of a symmetric pair, this one is multiplied */
			g.flux[1 + k][d] = v[k < d ? k : d] * s[1 + (k < d ? d : k)];
		g.flux[1 + d][d] += g.pressure;
		g.flux[4][d] = v[d] * (s[4] + g.pressure);
	}
	return g;
}

static void load(float s[NVAR], const float *variables, int e, int n)
{
	for (int v = 0; v < NVAR; v++)
		s[v] = variables[e + v * n];
}

static void element_flux(
	const struct cfd_mesh *m, const float *variables, const float *far, int e, float sum[NVAR])
{
	float own[NVAR], nb[NVAR];
	struct gas here, there;

	load(own, variables, e, m->padded);
	here = gas_of(own);
	memset(sum, 0, NVAR * sizeof(*sum));
	for (int f = 0; f < CFD_FACES; f++) {
		int other = m->neighbours.i[e + f * m->padded];
		float normal[3], length, damping;

		for (int d = 0; d < 3; d++)
			normal[d] = m->normals.f[e + (f + d * CFD_FACES) * m->padded];
		if (other == CFD_WING) {
			for (int d = 0; d < 3; d++)
				sum[1 + d] += normal[d] * here.pressure;
			continue;
		}
		if (other == CFD_FAR_FIELD)
			memcpy(nb, far, sizeof(nb));
		else
			load(nb, variables, other, m->padded);
		there = gas_of(nb);
		length = sqrtf(
			normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
		damping = -length * SMOOTHING * 0.5f *
			  (here.speed + there.speed + here.sound + there.sound);
		for (int v = 0; v < NVAR && other >= 0; v++)
			sum[v] += damping * (own[v] - nb[v]);
		for (int d = 0; d < 3; d++)
			for (int v = 0; v < NVAR; v++)
				sum[v] += 0.5f * normal[d] * (there.flux[v][d] + here.flux[v][d]);
	}
}

struct solution {
	float *variables, *old, *step_factors, *fluxes;
};

static void iterate(const struct cfd_mesh *m, const float *far, struct solution *s, int stages)
{
	int n = m->padded;

	memcpy(s->old, s->variables, (size_t)n * NVAR * sizeof(float));
	for (int e = 0; e < n; e++) {
		float own[NVAR];
		struct gas g;

		load(own, s->variables, e, n);
		g = gas_of(own);
		s->step_factors[e] = 0.5f / (sqrtf(m->areas.f[e]) * (g.speed + g.sound));
	}
	for (int j = 0; j < stages; j++) {
		for (int e = 0; e < n; e++) {
			float sum[NVAR];

			element_flux(m, s->variables, far, e, sum);
			for (int v = 0; v < NVAR; v++)
				s->fluxes[e + v * n] = sum[v];
		}
		for (int i = 0; i < n * NVAR; i++)
			s->variables[i] = s->old[i] + s->step_factors[i % n] / (float)(stages - j) *
							      s->fluxes[i];
	}
}

static void run(struct wl *w)
{
	static const float far[NVAR] = {
		1.4f, 1.4f * 1.2f, 0, 0, 1.4f * 0.5f * 1.2f * 1.2f + 1.0f / (GAMMA - 1.0f)};
	int iterations = (int)wl_param(w, "iterations"), stages = (int)wl_param(w, "stages");
	struct cfd_mesh m;
	struct wl_buf variables, old, step_factors, fluxes, far_state, far_flux;
	struct gas far_gas = gas_of(far);
	struct solution s;
	size_t cells;
	struct wl_dim grid;
	struct wl_rng rng;

	cfd_mesh_make(w, &m, (int)wl_param(w, "side"), BLOCK);
	cells = (size_t)m.padded * NVAR;
	variables = wl_alloc(w, "variables", cells * sizeof(float));
	old = wl_alloc(w, "old_variables", cells * sizeof(float));
	step_factors = wl_alloc(w, "step_factors", (uint64_t)m.padded * sizeof(float));
	fluxes = wl_alloc(w, "fluxes", cells * sizeof(float));
	far_state = wl_symbol(w, "far_state");
	far_flux = wl_symbol(w, "far_flux");
	s.variables = wl_host(w, cells, sizeof(float));
	s.old = wl_host(w, cells, sizeof(float));
	s.step_factors = wl_host(w, (size_t)m.padded, sizeof(float));
	s.fluxes = wl_host(w, cells, sizeof(float));
	if (wl_failed(w))
		return;
	wl_rng_start(&rng, w, 2);
	for (size_t i = 0; i < cells; i++)
		variables.f[i] = s.variables[i] =
			far[i / (size_t)m.padded] * (0.95f + 0.1f * wl_unit(&rng));
	memcpy(far_state.f, (float[]){far[0], far[4], far[1], far[2], far[3]}, sizeof(far));
	memcpy(far_flux.f, far_gas.flux[1], 4 * sizeof(far_gas.flux[1]));
	wl_upload(w, &far_state);
	wl_upload(w, &far_flux);
	wl_upload(w, &m.neighbours);
	wl_upload(w, &m.normals);
	wl_upload(w, &m.areas);
	wl_upload(w, &variables);
	grid = wl_dim((uint32_t)m.padded / BLOCK, 1, 1);
	for (int i = 0; i < iterations && !wl_failed(w); i++) {
		struct wl_dim block = wl_dim(BLOCK, 1, 1);
		struct wl_arg n = wl_i(m.padded);

		memcpy(old.p, variables.p, variables.bytes);
		wl_upload(w, &old);
		WL_LAUNCH(w, "cfd_step_factor", grid, block, 0, wl_p(&variables), wl_p(&m.areas),
			wl_p(&step_factors), n);
		for (int j = 0; j < stages; j++) {
			WL_LAUNCH(w, "cfd_flux", grid, block, 0, wl_p(&m.neighbours),
				wl_p(&m.normals), wl_p(&variables), wl_p(&fluxes), n);
			WL_LAUNCH(w, "cfd_time_step", grid, block, 0, wl_i(j), wl_i(stages),
				wl_p(&old), wl_p(&variables), wl_p(&step_factors), wl_p(&fluxes),
				n);
		}
		iterate(&m, far, &s, stages);
	}
	wl_check_f32(w, &variables, s.variables, cells, REL, ABS);
	wl_check_f32(w, &fluxes, s.fluxes, cells, REL, ABS);
	wl_check_f32(w, &step_factors, s.step_factors, (uint64_t)m.padded, REL, 0);
}

const struct workload wl_cfd = {
	.name = "cfd",
	.cls = "MCS",
	.papers = "thesis",
	.suite = "Rodinia",
	.summary = "Euler flux over an unstructured grid of tetrahedra, neighbours by index",
	.params =
		{
			{"side", 22, 2, 128, "cubes of six elements along each side of the grid"},
			{"iterations", 1, 1, 2000, "time steps"},
			{"stages", 1, 1, 3, "stages of a time step"},
		},
	.tiny = "side=3",
	.run = run,
};
