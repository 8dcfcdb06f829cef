/* Kernels of the user's own; see launches.h. */
#include "tools/launches.h"
#include "tools/script.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define LAUNCHES_MAX 1024

/* What is to be there before a launch, in the order of the command line. */
struct before {
	int buffer; /* that is made, or -1: a symbol is written */
	struct symbol symbol;
};

struct planned {
	struct launch launch;
	struct before *before;
	unsigned nbefore;
};

struct dump {
	int buffer;
	const char *path;
	struct output out;
};

struct launches {
	struct kernels kernels;
	struct planned *planned[LAUNCHES_MAX];
	uint32_t n;
	struct dump dumps[BUFFERS_MAX];
	int ndumps;
	const char *script_path;
	struct script *script;
};

/* ---- a launch ---- */

void launch_shape(uint32_t d[3], const char *text, const char *what)
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

uint32_t launch_shared(const char *text, const char *what)
{
	const uint64_t bytes = parse_size(text, what);

	if (bytes > UINT32_MAX)
		die(EXIT_USAGE, "%s: '%s' is over 4 GiB", what, text);
	return (uint32_t)bytes;
}

void launch_arg(struct launch *at, struct buffers *b, const char *spec)
{
	if (at->nargs == LAUNCH_ARGS_MAX)
		die(EXIT_USAGE, "more than %d arguments", LAUNCH_ARGS_MAX);
	argument_parse(&at->args[at->nargs++], b, spec);
}

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

void launch_check(struct launch *at, const struct kernels *k)
{
	uint32_t want;

	if (!at->entry)
		die(EXIT_USAGE, "--ptx wants --entry: '%s' has %s", k->path,
			list_entries(k->module));
	at->kernel = ptx_find(k->module, at->entry);
	if (!at->kernel)
		die(EXIT_USAGE, "no entry '%s' in '%s', which has %s", at->entry, k->path,
			list_entries(k->module));
	if (!at->grid[0] || !at->block[0])
		die(EXIT_USAGE, "the launch of '%s' wants a %s", at->entry,
			at->grid[0] ? "--block" : "--grid");
	want = ptx_nparams(at->kernel);
	if (want != at->nargs)
		die(EXIT_USAGE, "entry '%s' takes %" PRIu32 " arguments, %" PRIu32 " given",
			at->entry, want, at->nargs);
	for (uint32_t i = 0; i < want; i++)
		if (ptx_param_bytes(at->kernel, i) != at->args[i].value.n)
			die(EXIT_USAGE,
				"argument %" PRIu32 " of entry '%s' has %" PRIu32
				" bytes, '%s' has %zu",
				i + 1, at->entry, ptx_param_bytes(at->kernel, i), at->args[i].spec,
				at->args[i].value.n);
}

/* Nobody has to be warned of this variable any more. */
static void note_symbol(struct kernels *k, const char *name)
{
	k->symbols = must_realloc(k->symbols, k->nsymbols + 1, sizeof(*k->symbols));
	k->symbols[k->nsymbols++] = must_printf("%s", name);
}

/* Constants that a kernel reads and nobody wrote hold zeros: rarely what was meant. */
static void warn_of_constants(const struct launch *at, struct kernels *k)
{
	const char *name;

	for (uint32_t from = 0; (name = ptx_zero_constant(at->kernel, &from));) {
		bool known = false;

		for (unsigned i = 0; i < k->nsymbols; i++)
			known |= !strcmp(k->symbols[i], name);
		if (known)
			continue;
		warn("constant '%s', which kernel '%s' reads, was never written and holds zeros",
			name, at->entry);
		note_symbol(k, name);
	}
}

int launch_run(struct launch *at, struct kernels *k, struct tr_err *err)
{
	const void *args[LAUNCH_ARGS_MAX];
	struct ptx_launch launch = {.kernel = at->kernel,
		.dynamic_shared = at->shared,
		.args = args,
		.nargs = at->nargs};

	warn_of_constants(at, k);
	memcpy(launch.grid, at->grid, sizeof(launch.grid));
	memcpy(launch.block, at->block, sizeof(launch.block));
	memcpy(launch.cluster, at->cluster, sizeof(launch.cluster));
	for (uint32_t i = 0; i < at->nargs; i++) {
		struct argument *a = &at->args[i];

		if (a->makes >= 0 && buffer_make(&k->buffers, a->makes, k->machine, err) < 0)
			return err->code;
		contents_resolve(&a->value, &k->buffers);
		args[i] = a->value.bytes;
	}
	return ptx_launch(k->machine, &launch, k->writer, err);
}

void launch_free(struct launch *at)
{
	for (uint32_t i = 0; i < at->nargs; i++)
		argument_free(&at->args[i]);
	at->nargs = 0;
}

/* ---- a variable of the module's ---- */

void symbol_parse(struct symbol *s, const struct buffers *b, const char *spec)
{
	const char *equals = strchr(spec, '=');

	if (!equals || equals == spec)
		die(EXIT_USAGE, "'%s' is no NAME=CONTENTS of a variable", spec);
	s->name = must_printf("%.*s", (int)(equals - spec), spec);
	contents_parse(&s->contents, b, equals + 1);
}

int symbol_write(struct symbol *s, struct kernels *k, struct tr_err *err)
{
	uint64_t bytes;
	const uint64_t address = ptx_symbol(k->machine, k->module, s->name, &bytes);
	uint8_t *host = ptx_symbol_host(k->machine, k->module, s->name, &bytes);

	if (!host)
		return tr_fail(err, TR_EUSAGE, 0, "'%s' has no .global and no .const variable '%s'",
			k->path, s->name);
	if (s->contents.n > bytes)
		return tr_fail(err, TR_EUSAGE, 0,
			"variable '%s' has %" PRIu64 " bytes, what is to be in it %zu", s->name,
			bytes, s->contents.n);
	contents_resolve(&s->contents, &k->buffers);
	if (s->contents.n)
		memcpy(host, s->contents.bytes, s->contents.n);
	note_symbol(k, s->name);
	return ptx_written(k->machine, address, s->contents.n, err);
}

void symbol_free(struct symbol *s)
{
	free(s->name);
	contents_free(&s->contents);
}

/* ---- the command line's ---- */

struct launches *launches_new(void)
{
	return must_alloc(1, sizeof(struct launches));
}

static void planned_free(struct planned *p)
{
	for (unsigned i = 0; i < p->nbefore; i++)
		symbol_free(&p->before[i].symbol);
	free(p->before);
	launch_free(&p->launch);
	free(p);
}

void launches_free(struct launches *l)
{
	if (!l)
		return;
	for (uint32_t i = 0; i < l->n; i++)
		planned_free(l->planned[i]);
	for (unsigned i = 0; i < l->kernels.nsymbols; i++)
		free(l->kernels.symbols[i]);
	free(l->kernels.symbols);
	buffers_forget(&l->kernels.buffers);
	script_free(l->script);
	ptx_module_free(l->kernels.module);
	free(l);
}

static struct planned *begin(struct launches *l)
{
	if (l->n == LAUNCHES_MAX)
		die(EXIT_USAGE, "more than %d launches", LAUNCHES_MAX);
	return l->planned[l->n++] = must_alloc(1, sizeof(struct planned));
}

/* The launch that an option speaks of: the last one, or the first if it stands before --entry. */
static struct planned *current(struct launches *l)
{
	return l->n ? l->planned[l->n - 1] : begin(l);
}

void launches_entry(struct launches *l, const char *name)
{
	struct planned *at = current(l);

	if (at->launch.entry)
		at = begin(l);
	at->launch.entry = name;
}

const char *launches_name(const struct launches *l)
{
	return l->n && l->planned[0]->launch.entry ? l->planned[0]->launch.entry : l->script_path;
}

void launches_grid(struct launches *l, const char *text)
{
	launch_shape(current(l)->launch.grid, text, "--grid");
}

void launches_block(struct launches *l, const char *text)
{
	launch_shape(current(l)->launch.block, text, "--block");
}

void launches_cluster(struct launches *l, const char *text)
{
	launch_shape(current(l)->launch.cluster, text, "--cluster");
}

void launches_shared(struct launches *l, const char *text)
{
	current(l)->launch.shared = launch_shared(text, "--shared");
}

void launches_arg(struct launches *l, const char *spec)
{
	launch_arg(&current(l)->launch, &l->kernels.buffers, spec);
}

static struct before *before(struct launches *l)
{
	struct planned *at = current(l);

	at->before = must_realloc(at->before, at->nbefore + 1, sizeof(*at->before));
	at->before[at->nbefore] = (struct before){.buffer = -1};
	return &at->before[at->nbefore++];
}

void launches_buffer(struct launches *l, const char *spec)
{
	before(l)->buffer = buffer_parse(&l->kernels.buffers, spec, "--buffer");
}

void launches_symbol(struct launches *l, const char *spec)
{
	symbol_parse(&before(l)->symbol, &l->kernels.buffers, spec);
}

void launches_script(struct launches *l, const char *path)
{
	l->script_path = path;
}

void launches_dump(struct launches *l, const char *spec)
{
	const char *equals = strchr(spec, '=');
	const size_t len = equals ? (size_t)(equals - spec) : 0;

	if (!len || !equals[1])
		die(EXIT_USAGE, "--dump: '%s' is no BUFFER=FILE", spec);
	if (l->ndumps == BUFFERS_MAX)
		die(EXIT_USAGE, "more than %d dumps", BUFFERS_MAX);
	l->dumps[l->ndumps] = (struct dump){
		.buffer = buffer_find(&l->kernels.buffers, spec, len), .path = equals + 1};
	if (l->dumps[l->ndumps++].buffer < 0)
		die(EXIT_USAGE, "'%s': there is no buffer '%.*s' before it", spec, (int)len, spec);
}

/* The module's addresses have 32 bits, and so have those among what was given. */
static void narrow(struct launches *l)
{
	buffers_narrow(&l->kernels.buffers);
	for (uint32_t i = 0; i < l->n; i++) {
		struct planned *p = l->planned[i];

		for (unsigned k = 0; k < p->nbefore; k++)
			contents_narrow(&p->before[k].symbol.contents);
		for (uint32_t k = 0; k < p->launch.nargs; k++)
			contents_narrow(&p->launch.args[k].value);
	}
}

static struct ptx_module *linked(const char *const *paths, unsigned n)
{
	struct ptx_text *texts = must_alloc(n, sizeof(*texts));
	char **owned = must_alloc(n, sizeof(*owned));
	struct tr_err err = {0};
	struct ptx_module *m;

	for (unsigned i = 0; i < n; i++) {
		texts[i].text = owned[i] = file_read(paths[i], &texts[i].len);
		texts[i].path = paths[i];
	}
	if (ptx_link(&m, texts, n, &err) < 0)
		die_err(&err, NULL);
	for (unsigned i = 0; i < n; i++)
		free(owned[i]);
	free(owned);
	free(texts);
	return m;
}

void launches_prepare(struct launches *l, const char *const *paths, unsigned n, uint64_t seed)
{
	if (l->script_path && (l->n || l->ndumps))
		die(EXIT_USAGE, "--script goes with --ptx alone: launches, buffers and dumps are "
				"in it");
	l->kernels.path = *paths;
	l->kernels.buffers.seed = seed;
	l->kernels.module = linked(paths, n);
	if (launches_narrow(l))
		narrow(l);
	if (l->script_path) {
		l->script = script_read(l->script_path);
		return;
	}
	current(l);
	for (uint32_t i = 0; i < l->n; i++)
		launch_check(&l->planned[i]->launch, &l->kernels);
	for (int i = 0; i < l->ndumps; i++)
		output_open(&l->dumps[i].out, l->dumps[i].path, true);
}

static int run_planned(struct planned *p, struct kernels *k, struct tr_err *err)
{
	for (unsigned i = 0; i < p->nbefore; i++) {
		struct before *b = &p->before[i];
		const int rc = b->buffer < 0 ? symbol_write(&b->symbol, k, err)
					     : buffer_make(&k->buffers, b->buffer, k->machine, err);

		if (rc < 0)
			return rc;
	}
	return launch_run(&p->launch, k, err);
}

bool launches_narrow(const struct launches *l)
{
	return ptx_address_bytes(l->kernels.module) == 4;
}

int launches_run(
	struct launches *l, struct ptx_machine *m, struct tr_writer *tw, struct tr_err *err)
{
	int rc = ptx_load(m, l->kernels.module, err);

	l->kernels.machine = m;
	l->kernels.writer = tw;
	if (rc >= 0 && l->script)
		return script_run(l->script, &l->kernels, err);
	for (uint32_t i = 0; rc >= 0 && i < l->n; i++)
		rc = run_planned(l->planned[i], &l->kernels, err);
	return rc;
}

void launches_write_dumps(struct launches *l, struct ptx_machine *m)
{
	for (int i = 0; i < l->ndumps; i++) {
		struct output *o = &l->dumps[i].out;

		buffer_dump(&l->kernels.buffers, l->dumps[i].buffer, m, o->f);
		output_close(o);
	}
}
