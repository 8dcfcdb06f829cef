/*
 * The run of a workload: parameters, the device behind it, launches, the comparison with the CPU.
 * Leaves out all input making (input.h) and all file writing (the caller's struct tr_writer).
 */
#include "workload.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORKLOAD(id, name) extern const struct workload wl_##id;
#include "workloads.def"
#undef WORKLOAD

static const struct workload *const table[] = {
#define WORKLOAD(id, name) &wl_##id,
#include "workloads.def"
#undef WORKLOAD
};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

struct wl {
	const struct workload *wl;
	const struct wl_options *opt;
	struct tr_writer *tw;
	struct wl_result *res;
	struct tr_err err;
	int rc; /* 1, or the first TR_E* */
	int64_t params[WL_PARAMS_MAX];
	struct ptx_machine *machine;
	struct ptx_module *module;
	uint32_t registers; /* of a thread in launches from now on; 0: by liveness */
	struct host {
		struct host *next;
		max_align_t bytes[];
	} * hosts;
};

const struct workload *wl_at(unsigned i)
{
	return i < COUNT(table) ? table[i] : NULL;
}

const struct workload *wl_find(const char *name)
{
	for (unsigned i = 0; i < COUNT(table); i++)
		if (!strcmp(table[i]->name, name))
			return table[i];
	return NULL;
}

/* ---- errors ---- */

bool wl_failed(const struct wl *w)
{
	return w->rc < 0;
}

struct tr_err *wl_err(struct wl *w)
{
	return &w->err;
}

void wl_check_rc(struct wl *w, int rc)
{
	if (rc < 0 && w->rc > 0)
		w->rc = rc;
}

void wl_fail(struct wl *w, const char *fmt, ...)
{
	va_list ap;

	if (wl_failed(w))
		return;
	va_start(ap, fmt);
	w->rc = tr_vfail(&w->err, TR_ERUN, 0, fmt, ap);
	va_end(ap);
}

/* ---- parameters ---- */

static int param_index(const struct workload *wl, const char *name)
{
	for (int i = 0; i < WL_PARAMS_MAX && wl->params[i].name; i++)
		if (!strcmp(wl->params[i].name, name))
			return i;
	return -1;
}

int64_t wl_param(struct wl *w, const char *name)
{
	int i = param_index(w->wl, name);

	if (i < 0) {
		wl_fail(w, "%s asks for a parameter '%s' that it does not declare", w->wl->name,
			name);
		return 0;
	}
	return w->params[i];
}

const char *wl_names_of(const struct workload *wl, const char *param)
{
	for (int i = 0; i < WL_NAMES_MAX && wl->names[i].param; i++)
		if (!strcmp(wl->names[i].param, param))
			return wl->names[i].names;
	return NULL;
}

/* The number of one of the names "a,b,c", or -1. */
static int64_t named_value(const char *names, const char *name)
{
	const size_t len = strlen(name);
	int64_t n = 0;

	for (const char *at = names; at; at = strchr(at, ','), at = at ? at + 1 : NULL, n++)
		if (!strncmp(at, name, len) && (!at[len] || at[len] == ','))
			return n;
	return -1;
}

static int set_param(struct wl *w, const struct wl_set *set)
{
	const struct workload *wl = w->wl;
	const int i = param_index(wl, set->name);

	if (i < 0)
		return tr_fail(
			&w->err, TR_EUSAGE, 0, "%s has no parameter '%s'", wl->name, set->name);
	w->params[i] = set->text ? named_value(wl_names_of(wl, set->name), set->text) : set->value;
	if (set->text && w->params[i] < 0)
		return tr_fail(&w->err, TR_EUSAGE, 0, "%s: %s=%s is no number%s%s", wl->name,
			set->name, set->text, wl_names_of(wl, set->name) ? ", and none of " : "",
			wl_names_of(wl, set->name) ? wl_names_of(wl, set->name) : "");
	if (w->params[i] < wl->params[i].min || w->params[i] > wl->params[i].max)
		return tr_fail(&w->err, TR_EUSAGE, 0, "%s: %s=%lld is outside %lld to %lld",
			wl->name, set->name, (long long)w->params[i], (long long)wl->params[i].min,
			(long long)wl->params[i].max);
	return 1;
}

static int set_preset(struct wl *w, const char *name)
{
	const struct workload *wl = w->wl;
	struct wl_set sets[WL_PARAMS_MAX];
	unsigned nsets, i = 0;
	char text[256];
	int rc;

	while (name && i < WL_PRESETS_MAX && wl->presets[i].name &&
		strcmp(wl->presets[i].name, name))
		i++;
	if (!name || i == WL_PRESETS_MAX || !wl->presets[i].name)
		return tr_fail(&w->err, TR_EUSAGE, 0, "%s has no preset%s%s%s: trace-gen --list %s",
			wl->name, name ? " '" : " that is a number", name ? name : "",
			name ? "'" : "", wl->name);
	snprintf(text, sizeof(text), "%s", wl->presets[i].sets);
	rc = wl_parse_sets(text, sets, &nsets);
	for (i = 0; rc > 0 && i < nsets; i++)
		rc = set_param(w, &sets[i]);
	return rc;
}

static int set_params(struct wl *w)
{
	const struct workload *wl = w->wl;
	int rc = 1;

	for (int i = 0; i < WL_PARAMS_MAX && wl->params[i].name; i++)
		w->params[i] = wl->params[i].value;
	for (unsigned s = 0; s < w->opt->nsets && rc > 0; s++) {
		const struct wl_set *set = &w->opt->sets[s];

		rc = !strcmp(set->name, "preset") && wl->presets[0].name ? set_preset(w, set->text)
									 : set_param(w, set);
	}
	if (rc < 0)
		return rc;
	if (w->opt->graph && !wl->takes_graph)
		return tr_fail(&w->err, TR_EUSAGE, 0, "%s takes no graph", wl->name);
	if (w->opt->matrix && !wl->takes_matrix)
		return tr_fail(&w->err, TR_EUSAGE, 0, "%s takes no matrix", wl->name);
	return 1;
}

int wl_parse_sets(char *text, struct wl_set *sets, unsigned *nsets)
{
	*nsets = 0;
	for (char *item = strtok(text, ","); item; item = strtok(NULL, ",")) {
		char *eq = strchr(item, '='), *end;

		if (!eq || eq == item || *nsets == WL_PARAMS_MAX)
			return TR_EUSAGE;
		*eq = 0;
		errno = 0;
		sets[*nsets] = (struct wl_set){.name = item, .value = strtoll(eq + 1, &end, 0)};
		if (end == eq + 1 && end[0])
			sets[*nsets].text = end;
		else if (errno || end == eq + 1 || *end)
			return TR_EUSAGE;
		++*nsets;
	}
	return 1;
}

const char *wl_graph_path(struct wl *w)
{
	return w->opt->graph;
}

const char *wl_matrix_path(struct wl *w)
{
	return w->opt->matrix;
}

uint64_t wl_seed(const struct wl *w)
{
	return w->opt->seed;
}

void wl_rng_start(struct wl_rng *r, struct wl *w, uint64_t stream)
{
	wl_rng_seed(r, w->opt->seed, stream);
}

/* ---- memory ---- */

void *wl_host(struct wl *w, size_t count, size_t size)
{
	size_t bytes;
	struct host *h = NULL;

	if (!__builtin_mul_overflow(count, size, &bytes) &&
		!__builtin_add_overflow(bytes, sizeof(*h), &bytes))
		h = calloc(1, bytes);
	if (!h) {
		wl_check_rc(
			w, tr_fail(&w->err, TR_EMEM, 0, "no memory for %s's input", w->wl->name));
		return NULL;
	}
	h->next = w->hosts;
	w->hosts = h;
	return h->bytes;
}

struct wl_buf wl_alloc(struct wl *w, const char *name, uint64_t bytes)
{
	struct wl_buf b = {.bytes = bytes, .name = name};

	if (!wl_failed(w)) {
		b.dev = ptx_alloc(w->machine, name, bytes, &w->err);
		b.p = b.dev ? ptx_host(w->machine, b.dev, bytes) : NULL;
		if (!b.p)
			wl_check_rc(w, TR_EMEM);
		else
			w->res->device_bytes += bytes;
	}
	if (!b.p) /* the caller may fill it without asking: dummy memory of the same size */
		b.p = wl_host(w, bytes ? bytes : 1, 1);
	return b;
}

void wl_upload(struct wl *w, const struct wl_buf *b)
{
	if (!wl_failed(w))
		wl_check_rc(w, ptx_copy_in(w->machine, b->dev, b->p, b->bytes, &w->err));
}

void wl_download(struct wl *w, const struct wl_buf *b)
{
	if (!wl_failed(w))
		wl_check_rc(w, ptx_copy_out(w->machine, b->p, b->dev, b->bytes, &w->err));
}

struct wl_buf wl_symbol(struct wl *w, const char *name)
{
	struct wl_buf b = {.name = name};

	if (wl_failed(w))
		return b;
	b.dev = ptx_symbol(w->machine, w->module, name, &b.bytes);
	b.p = ptx_symbol_host(w->machine, w->module, name, &b.bytes);
	if (!b.p)
		wl_fail(w, "%s has no variable '%s'", w->wl->name, name);
	return b;
}

/* ---- launches ---- */

static struct wl_arg arg(const void *p, uint32_t size)
{
	struct wl_arg a = {.size = size};

	memcpy(a.bytes, p, size <= sizeof(a.bytes) ? size : sizeof(a.bytes));
	return a;
}

struct wl_arg wl_p(const struct wl_buf *b)
{
	return arg(&b->dev, sizeof(b->dev));
}

struct wl_arg wl_i(int32_t v)
{
	return arg(&v, sizeof(v));
}

struct wl_arg wl_u(uint32_t v)
{
	return arg(&v, sizeof(v));
}

struct wl_arg wl_l(int64_t v)
{
	return arg(&v, sizeof(v));
}

struct wl_arg wl_f(float v)
{
	return arg(&v, sizeof(v));
}

#define ARGS_MAX 64

void wl_registers(struct wl *w, uint32_t registers)
{
	w->registers = registers;
}

void wl_launch(struct wl *w, const char *entry, struct wl_dim grid, struct wl_dim block,
	uint32_t shared, const struct wl_arg *args, uint32_t nargs)
{
	const struct ptx_kernel *k;
	const void *ptrs[ARGS_MAX];

	if (wl_failed(w))
		return;
	k = ptx_find(w->module, entry);
	if (!k) {
		wl_fail(w, "%s has no kernel '%s'", w->opt->ptx_path, entry);
		return;
	}
	if (nargs > ARGS_MAX || nargs != ptx_nparams(k)) {
		wl_fail(w, "kernel '%s' takes %u arguments, not %u", entry, ptx_nparams(k), nargs);
		return;
	}
	for (uint32_t i = 0; i < nargs; i++) {
		if (args[i].size != ptx_param_bytes(k, i)) {
			wl_fail(w, "kernel '%s' takes %u bytes as argument %u, not %u", entry,
				ptx_param_bytes(k, i), i, args[i].size);
			return;
		}
		ptrs[i] = args[i].bytes;
	}
	wl_check_rc(w, ptx_launch(w->machine,
			       &(struct ptx_launch){
				       .kernel = k,
				       .grid = {grid.x, grid.y, grid.z},
				       .block = {block.x, block.y, block.z},
				       .dynamic_shared = shared,
				       .registers = w->registers,
				       .args = ptrs,
				       .nargs = nargs,
			       },
			       w->tw, &w->err));
	w->res->launches++;
}

/* ---- the check ---- */

static const unsigned elem_bytes[] = {
	[WL_U8] = 1, [WL_I32] = 4, [WL_U32] = 4, [WL_F32] = 4, [WL_F64] = 8};

static void flip(const struct wl_buf *b, enum wl_elem elem, uint64_t i)
{
	switch (elem) {
	case WL_U8:
		b->b[i] ^= 1;
		break;
	case WL_I32:
	case WL_U32:
		b->u[i] ^= 1;
		break;
	case WL_F32: /* by more than any tolerance, and from a NaN to a number */
		b->f[i] = isfinite(b->f[i]) ? 1.25f * b->f[i] + copysignf(1, b->f[i]) : 0;
		break;
	case WL_F64:
		b->d[i] = isfinite(b->d[i]) ? 1.25 * b->d[i] + copysign(1, b->d[i]) : 0;
		break;
	}
}

void wl_output(struct wl *w, const struct wl_buf *b, enum wl_elem elem, uint64_t n)
{
	if (n > b->bytes / elem_bytes[elem])
		wl_fail(w, "%s checks %llu elements of '%s', which has fewer", w->wl->name,
			(unsigned long long)n, b->name);
	wl_download(w, b);
	if (!wl_failed(w) && w->opt->flip_check == (int)w->res->checks && n)
		flip(b, elem, w->opt->flip_element % n);
	w->res->checks++;
}

static void differs(struct wl *w, const struct wl_buf *b, uint64_t i, double got, double want)
{
	if (w->opt->unchecked)
		return;
	wl_fail(w, "%s: %s[%llu] is %.9g, the CPU says %.9g", w->wl->name, b->name,
		(unsigned long long)i, got, want);
}

#define CHECK_EXACT(suffix, type, field, elem)                                                     \
	void wl_check_##suffix(struct wl *w, const struct wl_buf *b, const type *want, uint64_t n) \
	{                                                                                          \
		wl_output(w, b, elem, n);                                                          \
		for (uint64_t i = 0; i < n && !wl_failed(w); i++)                                  \
			if (b->field[i] != want[i])                                                \
				differs(w, b, i, b->field[i], want[i]);                            \
	}
CHECK_EXACT(u8, uint8_t, b, WL_U8)
CHECK_EXACT(i32, int32_t, i, WL_I32)
CHECK_EXACT(u32, uint32_t, u, WL_U32)

void wl_check_f32(
	struct wl *w, const struct wl_buf *b, const float *want, uint64_t n, double rel, double abs)
{
	wl_output(w, b, WL_F32, n);
	for (uint64_t i = 0; i < n && !wl_failed(w); i++) {
		double got = b->f[i], far = fabs(got - want[i]);

		if (!(far <= rel * fabs((double)want[i]) + abs)) /* a NaN differs too */
			differs(w, b, i, got, want[i]);
	}
}

/* ---- the run ---- */

static int load_module(struct wl *w)
{
	FILE *f = fopen(w->opt->ptx_path, "rb");
	char *text = NULL, *grown;
	size_t len = 0, cap = 0, got = 0;
	int rc;

	if (!f)
		return tr_fail(&w->err, TR_EIO, 0, "cannot open '%s': %s", w->opt->ptx_path,
			strerror(errno));
	do {
		len += got;
		if (len == cap) {
			cap = cap ? 2 * cap : 1 << 16;
			grown = realloc(text, cap);
			if (!grown) {
				free(text);
				fclose(f);
				return tr_fail(&w->err, TR_EMEM, 0, "no memory for '%s'",
					w->opt->ptx_path);
			}
			text = grown;
		}
	} while ((got = fread(text + len, 1, cap - len, f)) > 0);
	if (ferror(f))
		rc = tr_fail(&w->err, TR_EIO, 0, "cannot read '%s': %s", w->opt->ptx_path,
			strerror(errno));
	else
		rc = ptx_parse(&w->module, text, len, w->opt->ptx_path, &w->err);
	fclose(f);
	free(text);
	return rc;
}

int wl_run(const struct workload *wl, const struct wl_options *opt, struct tr_writer *tw,
	struct wl_result *res, struct tr_err *err)
{
	struct wl_result scratch;
	struct wl w = {.wl = wl, .opt = opt, .tw = tw, .res = res ? res : &scratch, .rc = 1};

	*w.res = (struct wl_result){0};
	w.rc = set_params(&w);
	if (w.rc > 0)
		w.rc = load_module(&w);
	if (w.rc > 0)
		w.rc = ptx_machine_new(&w.machine, &opt->machine, &w.err);
	if (w.rc > 0)
		w.rc = ptx_load(w.machine, w.module, &w.err);
	if (w.rc > 0) {
		w.rc = 1;
		wl->run(&w);
		if (!w.res->checks)
			wl_fail(&w, "%s checked nothing", wl->name);
		w.res->thread_insts = ptx_thread_insts(w.machine);
	}
	while (w.hosts) {
		struct host *h = w.hosts;

		w.hosts = h->next;
		free(h);
	}
	if (w.rc > 0 && opt->ended)
		opt->ended(opt->ended_arg, w.machine);
	ptx_machine_free(w.machine);
	ptx_module_free(w.module);
	if (w.rc < 0 && err)
		*err = w.err;
	return w.rc < 0 ? w.rc : 1;
}
