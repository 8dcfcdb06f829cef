/* Arguments of kernels, and what buffers hold, as people write them; see arguments.h. */
#include "tools/arguments.h"
#include "datasets/workloads/workload.h"
#include "tools/common.h"
#include "tools/files.h"
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static size_t address_bytes(const struct buffers *b)
{
	return b->narrow ? 4 : 8;
}

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

/* ---- buffers by name ---- */

int buffer_find(const struct buffers *b, const char *name, size_t len)
{
	for (int i = 0; i < b->n; i++)
		if (strlen(b->v[i].name) == len && !strncmp(b->v[i].name, name, len))
			return i;
	return -1;
}

struct buffer_at buffer_at_parse(const struct buffers *b, const char *text, const char *spec)
{
	const char *name = text + (*text == '@');
	const size_t len = strcspn(name, "+");
	struct buffer_at at = {.buffer = buffer_find(b, name, len)};

	if (*text != '@' || !len)
		die(EXIT_USAGE, "'%s': '%s' is no @NAME and no @NAME+OFFSET", spec, text);
	if (at.buffer < 0)
		die(EXIT_USAGE, "'%s': there is no buffer '%.*s' before it", spec, (int)len, name);
	if (name[len])
		at.offset = parse_size(name + len + 1, spec);
	if (at.offset > b->v[at.buffer].bytes)
		die(EXIT_USAGE, "'%s': buffer '%s' has %" PRIu64 " bytes", spec,
			b->v[at.buffer].name, b->v[at.buffer].bytes);
	return at;
}

void buffers_forget(struct buffers *b)
{
	for (int i = 0; i < b->n; i++) {
		free(b->v[i].name);
		contents_free(&b->v[i].contents);
	}
	b->n = 0;
}

/* ---- contents ---- */

static void append(struct contents *c, const void *bytes, size_t n)
{
	c->bytes = must_realloc(c->bytes, c->n + n, 1);
	memcpy(c->bytes + c->n, bytes, n);
	c->n += n;
}

static unsigned digit(char c)
{
	return c <= '9' ? (unsigned)(c - '0') : (unsigned)(tolower((unsigned char)c) - 'a' + 10);
}

static void append_digits(struct contents *c, const char *part, const char *spec)
{
	if (!*part || part[strspn(part, "0123456789abcdefABCDEF")] || strlen(part) % 2)
		die(EXIT_USAGE, "'%s': '%s' is no @NAME and no pairs of hexadecimal digits", spec,
			part);
	for (; *part; part += 2) {
		const uint8_t byte = (uint8_t)(digit(part[0]) << 4 | digit(part[1]));

		append(c, &byte, 1);
	}
}

static void append_address(
	struct contents *c, const struct buffers *b, const char *part, const char *spec)
{
	const struct buffer_at at = buffer_at_parse(b, part, spec);

	c->addresses = must_realloc(c->addresses, c->naddresses + 1, sizeof(*c->addresses));
	c->addresses[c->naddresses++] = (struct contents_address){c->n, at.buffer, at.offset};
	append(c, &(uint64_t){0}, address_bytes(b));
}

/* One number in the type that "u32:" and its like name; false: they name none. */
static bool append_number(struct contents *c, const char *type, const char *text, const char *spec)
{
	char *end;
	const unsigned bits = (unsigned)strtoul(type + 1, &end, 10);
	uint64_t v;
	float f;
	double d;

	if (!isdigit((unsigned char)type[1]) || *end != ':' ||
		(bits != 8 && bits != 16 && bits != 32 && bits != 64))
		return false;
	if (*type == 'f' && bits == 32) {
		f = (float)parse_real(text, spec);
		append(c, &f, sizeof(f));
	} else if (*type == 'f' && bits == 64) {
		d = parse_real(text, spec);
		append(c, &d, sizeof(d));
	} else if (*type == 'u' || *type == 's') {
		v = *type == 'u' ? parse_uint(text, 0, UINT64_MAX >> (64 - bits), spec)
				 : (uint64_t)parse_int(text, INT64_MIN >> (64 - bits),
					   INT64_MAX >> (64 - bits), spec);
		append(c, &v, bits / 8); /* little-endian: the low bytes */
	} else {
		return false;
	}
	return true;
}

/* What stands between the commas of list: digits and addresses, or numbers of a type. */
static bool append_parts(struct contents *c, const struct buffers *b, const char *type,
	const char *list, const char *spec)
{
	bool known = true;

	for (const char *p = list; p && known;) {
		const size_t len = strcspn(p, ",");
		char *part = must_printf("%.*s", (int)len, p);

		if (type)
			known = append_number(c, type, part, spec);
		else if (*part == '@')
			append_address(c, b, part, spec);
		else
			append_digits(c, part, spec);
		free(part);
		p = p[len] ? p + len + 1 : NULL;
	}
	return known;
}

/* false: spec is none of those in arguments.h. */
static bool parse_contents(struct contents *c, const struct buffers *b, const char *spec)
{
	const char *colon = strchr(spec, ':');

	*c = (struct contents){0};
	if (!colon)
		return false;
	if (begins(spec, "bytes:") || begins(spec, "file:")) {
		c->bytes = (uint8_t *)file_read(colon + 1, &c->n);
		return true;
	}
	return append_parts(c, b, begins(spec, "hex:") ? NULL : spec, colon + 1, spec);
}

void contents_parse(struct contents *c, const struct buffers *b, const char *spec)
{
	if (!parse_contents(c, b, spec))
		die(EXIT_USAGE, "'%s' is none of u32:N s32:N f32:X ..., hex:PARTS and file:PATH",
			spec);
}

void contents_resolve(struct contents *c, const struct buffers *b)
{
	for (unsigned i = 0; i < c->naddresses; i++) {
		const struct contents_address *a = &c->addresses[i];
		const uint64_t address = b->v[a->buffer].address + a->offset;

		memcpy(c->bytes + a->at, &address, address_bytes(b)); /* little-endian */
	}
}

void contents_narrow(struct contents *c)
{
	for (unsigned i = 0; i < c->naddresses; i++) {
		struct contents_address *a = &c->addresses[i];

		a->at -= 4 * (size_t)i;
		memmove(c->bytes + a->at + 4, c->bytes + a->at + 8, c->n - a->at - 8);
		c->n -= 4;
	}
}

void contents_free(struct contents *c)
{
	free(c->bytes);
	free(c->addresses);
	*c = (struct contents){0};
}

/* ---- new buffers ---- */

void buffers_narrow(struct buffers *b)
{
	b->narrow = true;
	for (int i = 0; i < b->n; i++) {
		contents_narrow(&b->v[i].contents);
		if (b->v[i].fill == FILL_CONTENTS)
			b->v[i].bytes = b->v[i].contents.n;
	}
}

static bool makes_buffer(const char *spec)
{
	return begins(spec, "buf:") || begins(spec, "file:") || begins(spec, "ref:");
}

/* Where the part behind NAME= begins, or text itself where it has no name. */
static const char *behind_name(const char *text)
{
	const char *equals = strchr(text, '='), *colon = strchr(text, ':');

	return equals && equals > text && (!colon || equals < colon) ? equals + 1 : text;
}

/* "BYTES[:FILL]" */
static void parse_fill(struct buffer *b, const char *text, const char *spec)
{
	static const char *const fills[] = {"zero", "iota", "rand"};
	char *size = must_printf("%s", text), *fill = strchr(size, ':');
	unsigned n = 0;

	if (fill) {
		*fill++ = 0;
		while (n < 3 && strcmp(fill, fills[n]))
			n++;
		if (n == 3)
			die(EXIT_USAGE, "'%s': a buffer is filled with zero, iota or rand", spec);
		b->fill = (enum buffer_fill)n;
	}
	b->bytes = parse_size(size, spec);
	free(size);
}

/* text is "NAME=..." or begins with what is in it. */
static int new_buffer(struct buffers *b, const char *text)
{
	const char *spec = behind_name(text);
	const size_t name_len = spec > text ? (size_t)(spec - text) - 1 : 0;
	struct buffer *made = &b->v[b->n];

	if (b->n == BUFFERS_MAX)
		die(EXIT_USAGE, "more than %d buffers", BUFFERS_MAX);
	if (name_len && buffer_find(b, text, name_len) >= 0)
		die(EXIT_USAGE, "'%s': there is a buffer '%.*s' already", text, (int)name_len,
			text);
	*made = (struct buffer){0};
	if (begins(spec, "buf:")) {
		parse_fill(made, spec + strlen("buf:"), text);
	} else if (begins(spec, "file:")) {
		made->contents.bytes =
			(uint8_t *)file_read(spec + strlen("file:"), &made->contents.n);
	} else {
		append_parts(&made->contents, b, NULL, spec + strlen("ref:"), text);
	}
	if (!begins(spec, "buf:")) {
		made->fill = FILL_CONTENTS;
		made->bytes = made->contents.n;
	}
	made->name =
		name_len ? must_printf("%.*s", (int)name_len, text) : must_printf("buf%d", b->n);
	return b->n++;
}

int buffer_parse(struct buffers *b, const char *spec, const char *option)
{
	const char *what = behind_name(spec);

	if (what == spec || !makes_buffer(what))
		die(EXIT_USAGE,
			"%s: '%s' is no NAME=buf:BYTES[:FILL], NAME=file:PATH or NAME=ref:PARTS",
			option, spec);
	return new_buffer(b, spec);
}

static void fill(uint8_t *data, const struct buffers *b, int i)
{
	const struct buffer *made = &b->v[i];
	struct wl_rng rng;

	wl_rng_seed(&rng, b->seed, (uint64_t)i);
	for (uint64_t k = 0; made->fill == FILL_IOTA && k < made->bytes; k++)
		data[k] = (uint8_t)(k / 4 >> 8 * (k % 4));
	for (uint64_t k = 0; made->fill == FILL_RAND && k < made->bytes; k++)
		data[k] = (uint8_t)wl_u64(&rng);
}

int buffer_make(struct buffers *b, int i, struct ptx_machine *m, struct tr_err *err)
{
	struct buffer *made = &b->v[i];
	uint8_t *data;
	int rc;

	made->address = ptx_alloc(m, made->name, made->bytes, err);
	if (!made->address)
		return TR_EMEM;
	if (made->fill == FILL_ZERO || !made->bytes)
		return 1;
	if (made->fill == FILL_CONTENTS) {
		contents_resolve(&made->contents, b);
		return ptx_copy_in(m, made->address, made->contents.bytes, made->bytes, err);
	}
	data = must_alloc(made->bytes, 1);
	fill(data, b, i);
	rc = ptx_copy_in(m, made->address, data, made->bytes, err);
	free(data);
	return rc;
}

void buffer_dump(const struct buffers *b, int i, struct ptx_machine *m, FILE *f)
{
	const struct buffer *made = &b->v[i];

	if (made->bytes)
		fwrite(ptx_host(m, made->address, made->bytes), 1, made->bytes, f);
}

/* ---- arguments ---- */

void argument_parse(struct argument *a, struct buffers *b, const char *spec)
{
	struct buffer_at at;

	*a = (struct argument){.spec = spec, .makes = -1};
	if (*spec != '@' && !makes_buffer(behind_name(spec))) {
		if (behind_name(spec) != spec || !parse_contents(&a->value, b, spec))
			die(EXIT_USAGE,
				"'%s' is no argument: u32:N s32:N f32:X ..., hex:PARTS, "
				"bytes:PATH, "
				"[NAME=]buf:BYTES[:FILL], [NAME=]file:PATH, [NAME=]ref:PARTS or "
				"@NAME",
				spec);
		return;
	}
	if (*spec == '@') {
		at = buffer_at_parse(b, spec, spec);
	} else {
		a->makes = new_buffer(b, spec);
		at = (struct buffer_at){.buffer = a->makes};
	}
	a->value.addresses = must_alloc(1, sizeof(*a->value.addresses));
	a->value.addresses[0] = (struct contents_address){0, at.buffer, at.offset};
	a->value.naddresses = 1;
	append(&a->value, &(uint64_t){0}, address_bytes(b));
}

void argument_free(struct argument *a)
{
	contents_free(&a->value);
}
