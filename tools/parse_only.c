/* See parse_only.h. A file that is no PTX at all is a row without a kernel. */
#include "tools/parse_only.h"
#include <stdlib.h>

static const struct column columns[] = {
	{"ptx", SEEN},
	{"kernel", SEEN},
	{"taken", SEEN},
	{"static_insts", SEEN},
	{"why", SEEN},
};
const struct column_table parse_only_table = {
	"--parse-only", columns, sizeof(columns) / sizeof(columns[0])};

static void row(
	struct table *t, const char *file, const char *kernel, uint64_t insts, const char *why)
{
	table_text(t, file);
	table_text(t, kernel);
	table_text(t, why ? "no" : "yes");
	table_uint(t, insts);
	table_text(t, why ? why : "-");
}

static int parse_file(struct table *t, const char *file)
{
	struct ptx_module *m;
	struct tr_err err = {0};
	size_t len;
	char *text = file_read(file, &len);
	int status = EXIT_OK;

	if (ptx_parse(&m, text, len, file, &err) < 0) {
		row(t, file, "-", 0, err.msg);
		free(text);
		return EXIT_BAD;
	}
	for (uint32_t i = 0; i < ptx_nkernels(m); i++) {
		const struct ptx_kernel *k = ptx_kernel_at(m, i);
		const char *why = ptx_refusal(k);

		row(t, file, ptx_kernel_name(k), why ? 0 : ptx_program(k)->ninsts, why);
		status = why ? EXIT_BAD : status;
	}
	ptx_module_free(m);
	free(text);
	return status;
}

int parse_only(char *const *files, const struct common *common)
{
	char *provenance = provenance_with(common, NULL);
	struct output o;
	struct table t;
	int status = EXIT_OK;

	output_open(&o, common->output, false);
	table_start(&t, o.f, common, provenance, columns, parse_only_table.n);
	for (; *files; files++)
		if (parse_file(&t, *files) != EXIT_OK)
			status = EXIT_BAD;
	table_end(&t);
	output_close(&o);
	free(provenance);
	return status;
}
