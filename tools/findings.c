/* See findings.h. */
#include "tools/findings.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const struct column columns[] = {
	{"finding", SEEN},
	{"kernel", SEEN},
	{"pc", SEEN},
	{"source", IF_ANY},
	{"source_line", IF_ANY},
	{"ptx", UNSEEN},
	{"ptx_line", SEEN},
	{"launch", SEEN},
	{"cta", SEEN},
	{"thread", SEEN},
	{"address", SEEN},
	{"bytes", SEEN},
	{"count", SEEN},
	{"access", SEEN},
};
const struct column_table findings_table = {
	"--memcheck", columns, sizeof(columns) / sizeof(columns[0])};

/* What the first one did, from its opcode on: the place in front of it has columns of its own. */
static const char *access_of(const struct ptx_finding *f)
{
	const char *place = strstr(f->sentence, "): ");

	return place ? place + 3 : f->sentence;
}

static void row(struct table *t, const struct ptx_finding *f)
{
	char address[24];

	snprintf(address, sizeof(address), "0x%" PRIx64, f->address);
	table_text(t, ptx_finding_name(f->kind));
	table_text(t, f->kernel);
	table_pc(t, f->pc / TR_PC_BYTES);
	table_text(t, f->file ? f->file : "-");
	if (f->file)
		table_id(t, f->line);
	else
		table_none(t);
	table_text(t, f->ptx);
	table_id(t, f->ptx_line);
	table_id(t, f->launch);
	table_id(t, f->cta);
	table_id(t, f->thread);
	table_text(t, address);
	table_uint(t, f->bytes);
	table_uint(t, f->n);
	table_text(t, access_of(f));
}

/* "3 findings in 68 accesses: 1 out of bounds, 2 misaligned" */
static void tell_sum(const struct ptx_finding *f, uint32_t n)
{
	uint32_t of[PTX_FOUND_KINDS] = {0};
	uint64_t accesses = 0;
	char *text = must_printf("%s", "");

	for (uint32_t i = 0; i < n; i++) {
		of[f[i].kind]++;
		accesses += f[i].n;
	}
	for (unsigned k = 0; k < PTX_FOUND_KINDS; k++) {
		char *longer = of[k] ? must_printf("%s%s%u %s", text, *text ? ", " : "", of[k],
					       ptx_finding_name(k))
				     : text;
		if (longer != text)
			free(text);
		text = longer;
	}
	warn("--memcheck has %u finding%s in %" PRIu64 " accesses: %s", n, n > 1 ? "s" : "",
		accesses, text);
	free(text);
}

void findings_open(struct output *out, const char *file)
{
	*out = (struct output){.f = stderr};
	if (file)
		output_open(out, file, false);
}

bool findings_tell(
	const struct ptx_finding *f, uint32_t n, const struct common *common, struct output *out)
{
	const bool file = out->f != stderr;
	char *provenance = provenance_with(common, NULL);
	struct common shape = *common;
	struct table t;

	if (file && !common->table_option)
		shape.format = FORMAT_TSV;
	if (n || file) {
		table_start(&t, out->f, &shape, provenance, columns, findings_table.n);
		for (uint32_t i = 0; i < n; i++)
			row(&t, &f[i]);
		table_end(&t);
	}
	if (file)
		output_close(out);
	free(provenance);
	if (n)
		tell_sum(f, n);
	return n != 0;
}

/* ---- from a program's runtime ---- */

enum { FIELDS = 14 };

/* One of the runtime's, whose fields are kept by the finding. */
static bool read_finding(struct ptx_finding *f, FILE *from)
{
	char *field[FIELDS] = {NULL};
	size_t size;

	for (unsigned i = 0; i < FIELDS; i++) {
		size = 0;
		if (getdelim(&field[i], &size, 0, from) <= 0) {
			for (unsigned k = 0; k <= i; k++)
				free(field[k]);
			return false;
		}
	}
	const unsigned long kind = strtoul(field[0], NULL, 10);
	*f = (struct ptx_finding){.kind = kind < PTX_FOUND_KINDS ? kind : PTX_FOUND_OUTSIDE,
		.n = strtoull(field[1], NULL, 10),
		.kernel = field[2],
		.ptx = field[3],
		.ptx_line = (uint32_t)strtoul(field[4], NULL, 10),
		.file = *field[5] ? field[5] : NULL,
		.line = (uint32_t)strtoul(field[6], NULL, 10),
		.pc = (uint32_t)strtoul(field[7], NULL, 10),
		.launch = (uint32_t)strtoul(field[8], NULL, 10),
		.cta = (uint32_t)strtoul(field[9], NULL, 10),
		.thread = (uint32_t)strtoul(field[10], NULL, 10),
		.address = strtoull(field[11], NULL, 10),
		.bytes = (uint32_t)strtoul(field[12], NULL, 10)};
	snprintf(f->sentence, sizeof(f->sentence), "%s", field[13]);
	return true;
}

bool findings_tell_from(FILE *from, const struct common *common, struct output *out)
{
	struct ptx_finding *f = must_realloc(NULL, 1, sizeof(*f));
	uint32_t n = 0;

	rewind(from);
	while (read_finding(&f[n], from))
		f = must_realloc(f, ++n + (size_t)1, sizeof(*f));
	const bool any = findings_tell(f, n, common, out);
	free(f);
	return any;
}
