/*
 * Kernels of the user's own; see launches.h. An argument is
 *   u8: ... u64:N  s8: ... s64:N  f32:X  f64:X   a number
 *   buf:BYTES[:zero|iota|rand]  file:PATH        a new buffer, passed by its address
 *   NAME=buf:...  NAME=file:...                  the same, with a name
 *   @NAME                                        a buffer from before
 * iota fills with the 32-bit words 0, 1, 2 ..., rand with random bits. Leaves out structures passed
 * by value.
 */
#include "tools/launches.h"
#include "datasets/workloads/workload.h"
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define LAUNCHES_MAX 1024
#define ARGS_MAX 64
#define BUFFERS_MAX 1024

enum fill { FILL_ZERO, FILL_IOTA, FILL_RAND, FILL_FILE };

struct buffer {
	char *name;
	uint64_t bytes, address; /* address: once it is allocated */
	enum fill fill;
	char *data; /* FILL_FILE */
};

struct arg {
	const char *spec;
	uint8_t value[8];
	uint32_t size;
	int buffer; /* index, or -1 for a number */
	bool makes; /* this argument makes that buffer */
};

struct launch {
	const char *entry;
	uint32_t grid[3], block[3];
	uint32_t shared;
	struct arg args[ARGS_MAX];
	uint32_t nargs;
	const struct ptx_kernel *kernel;
};

struct dump {
	int buffer;
	const char *path;
	struct output out;
};

struct launches {
	struct launch *launch[LAUNCHES_MAX];
	uint32_t n;
	struct buffer buffers[BUFFERS_MAX];
	int nbuffers;
	struct dump dumps[BUFFERS_MAX];
	int ndumps;
	struct ptx_module *module;
	uint64_t seed;
};

struct launches *launches_new(void)
{
	return must_alloc(1, sizeof(struct launches));
}

void launches_free(struct launches *l)
{
	if (!l)
		return;
	for (uint32_t i = 0; i < l->n; i++)
		free(l->launch[i]);
	for (int i = 0; i < l->nbuffers; i++) {
		free(l->buffers[i].name);
		free(l->buffers[i].data);
	}
	ptx_module_free(l->module);
	free(l);
}

static struct launch *begin(struct launches *l)
{
	if (l->n == LAUNCHES_MAX)
		die(EXIT_USAGE, "more than %d launches", LAUNCHES_MAX);
	return l->launch[l->n++] = must_alloc(1, sizeof(struct launch));
}

/* The launch that an option speaks of: the last one, or the first if it stands before --entry. */
static struct launch *current(struct launches *l)
{
	return l->n ? l->launch[l->n - 1] : begin(l);
}

void launches_entry(struct launches *l, const char *name)
{
	struct launch *at = current(l);

	if (at->entry)
		at = begin(l);
	at->entry = name;
}

static void parse_shape(uint32_t d[3], const char *text, const char *what)
{
	char part[32];
	int i = 0;

	d[0] = d[1] = d[2] = 1;
	for (const char *p = text; p; i++) {
		const size_t n = strcspn(p, ",");

		if (i == 3 || !n || n >= sizeof(part))
			die(EXIT_USAGE, "%s: '%s' is no shape X[,Y[,Z]]", what, text);
		snprintf(part, sizeof(part), "%.*s", (int)n, p);
		d[i] = (uint32_t)parse_uint(part, 1, i ? 65535 : INT32_MAX, what);
		p = p[n] ? p + n + 1 : NULL;
	}
}

void launches_grid(struct launches *l, const char *text)
{
	parse_shape(current(l)->grid, text, "--grid");
}

void launches_block(struct launches *l, const char *text)
{
	parse_shape(current(l)->block, text, "--block");
}

void launches_shared(struct launches *l, const char *text)
{
	const uint64_t bytes = parse_size(text, "--shared");

	if (bytes > UINT32_MAX)
		die(EXIT_USAGE, "--shared: '%s' is over 4 GiB", text);
	current(l)->shared = (uint32_t)bytes;
}

/* ---- arguments ---- */

static int buffer_find(const struct launches *l, const char *name, size_t len)
{
	for (int i = 0; i < l->nbuffers; i++)
		if (strlen(l->buffers[i].name) == len && !strncmp(l->buffers[i].name, name, len))
			return i;
	return -1;
}

static int buffer_known(const struct launches *l, const char *name, size_t len, const char *spec)
{
	const int i = buffer_find(l, name, len);

	if (i < 0)
		die(EXIT_USAGE, "'%s': there is no buffer '%.*s' before it", spec, (int)len, name);
	return i;
}

static void parse_buffer(
	struct launches *l, struct arg *a, const char *name, size_t name_len, const char *spec)
{
	static const char *const fills[] = {"zero", "iota", "rand", NULL};
	struct buffer *b = &l->buffers[l->nbuffers];
	char *size, *fill;
	size_t len;

	if (l->nbuffers == BUFFERS_MAX)
		die(EXIT_USAGE, "more than %d buffers", BUFFERS_MAX);
	if (buffer_find(l, name, name_len) >= 0)
		die(EXIT_USAGE, "'%s': there is a buffer '%.*s' already", a->spec, (int)name_len,
			name);
	b->name = name_len ? must_printf("%.*s", (int)name_len, name)
			   : must_printf("buf%d", l->nbuffers);
	a->buffer = l->nbuffers++;
	a->makes = true;
	a->size = 8;
	if (!strncmp(spec, "file:", 5)) {
		b->fill = FILL_FILE;
		b->data = file_read(spec + 5, &len);
		b->bytes = len;
		return;
	}
	size = must_printf("%s", spec + strlen("buf:"));
	fill = strchr(size, ':');
	if (fill) {
		*fill++ = 0;
		while (fills[b->fill] && strcmp(fill, fills[b->fill]))
			b->fill++;
		if (!fills[b->fill])
			die(EXIT_USAGE, "'%s': a buffer is filled with zero, iota or rand",
				a->spec);
	}
	b->bytes = parse_size(size, a->spec);
	free(size);
}

static bool parse_number(struct arg *a, const char *spec)
{
	const char *text = strchr(spec, ':') + 1;
	char *end;
	const unsigned bits = (unsigned)strtoul(spec + 1, &end, 10);
	uint64_t v;
	float f;
	double d;

	if (*end != ':' || (bits != 8 && bits != 16 && bits != 32 && bits != 64))
		return false;
	a->size = bits / 8;
	if (*spec == 'u') {
		v = parse_uint(text, 0, UINT64_MAX >> (64 - bits), a->spec);
	} else if (*spec == 's') {
		v = (uint64_t)parse_int(
			text, INT64_MIN >> (64 - bits), INT64_MAX >> (64 - bits), a->spec);
	} else if (*spec == 'f' && bits == 32) {
		f = (float)parse_real(text, a->spec);
		memcpy(a->value, &f, 4);
		return true;
	} else if (*spec == 'f' && bits == 64) {
		d = parse_real(text, a->spec);
		memcpy(a->value, &d, 8);
		return true;
	} else {
		return false;
	}
	for (unsigned i = 0; i < a->size; i++)
		a->value[i] = (uint8_t)(v >> 8 * i);
	return true;
}

void launches_arg(struct launches *l, const char *text)
{
	struct launch *at = current(l);
	struct arg *a = &at->args[at->nargs];
	const char *equals = strchr(text, '='), *colon = strchr(text, ':');
	const char *name = "", *spec = text;

	if (at->nargs == ARGS_MAX)
		die(EXIT_USAGE, "more than %d arguments", ARGS_MAX);
	at->nargs++;
	*a = (struct arg){.spec = text, .buffer = -1};
	if (*text == '@') {
		a->buffer = buffer_known(l, text + 1, strlen(text + 1), text);
		a->size = 8;
		return;
	}
	if (equals && (!colon || equals < colon)) {
		name = text;
		spec = equals + 1;
	}
	if (!strncmp(spec, "buf:", 4) || !strncmp(spec, "file:", 5))
		parse_buffer(l, a, name, *name ? (size_t)(equals - text) : 0, spec);
	else if (*name || !colon || !parse_number(a, spec))
		die(EXIT_USAGE,
			"'%s' is no argument: u32:N s32:N f32:X ..., [NAME=]buf:BYTES[:FILL], "
			"[NAME=]file:PATH or @NAME",
			text);
}

void launches_dump(struct launches *l, const char *spec)
{
	const char *equals = strchr(spec, '=');

	if (!equals || equals == spec || !equals[1])
		die(EXIT_USAGE, "--dump: '%s' is no BUFFER=FILE", spec);
	if (l->ndumps == BUFFERS_MAX)
		die(EXIT_USAGE, "more than %d dumps", BUFFERS_MAX);
	l->dumps[l->ndumps++] = (struct dump){
		.buffer = buffer_known(l, spec, (size_t)(equals - spec), spec), .path = equals + 1};
}

/* ---- checks ---- */

static char *list_entries(const struct ptx_module *m)
{
	char *list = must_printf("%s", ""), *longer;

	for (uint32_t i = 0; i < ptx_nkernels(m); i++) {
		longer = must_printf(
			"%s%s%s", list, i ? ", " : "", ptx_kernel_name(ptx_kernel_at(m, i)));
		free(list);
		list = longer;
	}
	return list;
}

static void check(const struct launches *l, struct launch *at, const char *path)
{
	uint32_t want;

	if (!at->entry)
		die(EXIT_USAGE, "--ptx wants --entry: '%s' has %s", path, list_entries(l->module));
	at->kernel = ptx_find(l->module, at->entry);
	if (!at->kernel)
		die(EXIT_USAGE, "no entry '%s' in '%s', which has %s", at->entry, path,
			list_entries(l->module));
	if (!at->grid[0] || !at->block[0])
		die(EXIT_USAGE, "the launch of '%s' wants a %s", at->entry,
			at->grid[0] ? "--block" : "--grid");
	want = ptx_nparams(at->kernel);
	if (want != at->nargs)
		die(EXIT_USAGE, "entry '%s' takes %" PRIu32 " arguments, %" PRIu32 " given",
			at->entry, want, at->nargs);
	for (uint32_t i = 0; i < want; i++)
		if (ptx_param_bytes(at->kernel, i) != at->args[i].size)
			die(EXIT_USAGE,
				"argument %" PRIu32 " of entry '%s' has %" PRIu32
				" bytes, '%s' has %" PRIu32,
				i + 1, at->entry, ptx_param_bytes(at->kernel, i), at->args[i].spec,
				at->args[i].size);
}

void launches_prepare(struct launches *l, const char *ptx_path, uint64_t seed)
{
	struct tr_err err = {0};
	size_t len;
	char *text = file_read(ptx_path, &len);

	l->seed = seed;
	if (ptx_parse(&l->module, text, len, ptx_path, &err) < 0)
		die_err(&err, NULL);
	free(text);
	current(l);
	for (uint32_t i = 0; i < l->n; i++)
		check(l, l->launch[i], ptx_path);
	for (int i = 0; i < l->ndumps; i++)
		output_open(&l->dumps[i].out, l->dumps[i].path, true);
}

/* ---- the run ---- */

static int make_buffer(
	const struct launches *l, struct buffer *b, struct ptx_machine *m, struct tr_err *err)
{
	const uint64_t stream = (uint64_t)(b - l->buffers);
	struct wl_rng rng;
	uint8_t *data = b->fill == FILL_FILE ? (uint8_t *)b->data : must_alloc(b->bytes, 1);
	int rc = 1;

	b->address = ptx_alloc(m, b->name, b->bytes, err);
	if (!b->address)
		rc = TR_EMEM;
	wl_rng_seed(&rng, l->seed, stream);
	for (uint64_t i = 0; b->fill == FILL_IOTA && i < b->bytes; i++)
		data[i] = (uint8_t)(i / 4 >> 8 * (i % 4));
	for (uint64_t i = 0; b->fill == FILL_RAND && i < b->bytes; i++)
		data[i] = (uint8_t)wl_u64(&rng);
	if (rc > 0 && b->fill != FILL_ZERO && b->bytes)
		rc = ptx_copy_in(m, b->address, data, b->bytes, err);
	if (b->fill != FILL_FILE)
		free(data);
	return rc;
}

static int run_launch(struct launches *l, struct launch *at, struct ptx_machine *m,
	struct tr_writer *tw, struct tr_err *err)
{
	const void *args[ARGS_MAX];
	struct ptx_launch launch = {.kernel = at->kernel,
		.dynamic_shared = at->shared,
		.args = args,
		.nargs = at->nargs};

	memcpy(launch.grid, at->grid, sizeof(launch.grid));
	memcpy(launch.block, at->block, sizeof(launch.block));
	for (uint32_t i = 0; i < at->nargs; i++) {
		struct arg *a = &at->args[i];

		args[i] = a->value;
		if (a->buffer < 0)
			continue;
		if (a->makes && make_buffer(l, &l->buffers[a->buffer], m, err) < 0)
			return err->code;
		for (unsigned k = 0; k < sizeof(a->value); k++)
			a->value[k] = (uint8_t)(l->buffers[a->buffer].address >> 8 * k);
	}
	return ptx_launch(m, &launch, tw, err);
}

int launches_run(
	struct launches *l, struct ptx_machine *m, struct tr_writer *tw, struct tr_err *err)
{
	int rc = ptx_load(m, l->module, err);

	for (uint32_t i = 0; rc >= 0 && i < l->n; i++)
		rc = run_launch(l, l->launch[i], m, tw, err);
	return rc;
}

void launches_write_dumps(struct launches *l, struct ptx_machine *m)
{
	for (int i = 0; i < l->ndumps; i++) {
		const struct buffer *b = &l->buffers[l->dumps[i].buffer];
		struct output *o = &l->dumps[i].out;

		if (b->bytes)
			fwrite(ptx_host(m, b->address, b->bytes), 1, b->bytes, o->f);
		output_close(o);
	}
}
