/*
 * Machines by name; see machine.h. Here is what sim/base/config.c leaves to others: files.
 */
#include "tools/machine.h"
#include "tools/common.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BASES_MAX 64 /* machines over one another, of files that may be a stranger's */

const char *const machine_presets[] = {"dwr", "tbc", "crown", "crown-wide", "crown-deep",
	"crown-512", "crown-512-deep", "ccws", "daws-spmv", "vws", "vws-4", "vws-8", "vws-16",
	"k20c", "v100", "a100", "h100", "rtx3070", "rtx4090", NULL};

static bool is_path(const char *spec)
{
	const size_t len = strlen(spec);

	return strchr(spec, '/') || (len > 4 && !strcmp(spec + len - 4, ".ini"));
}

/* Where a machine's file is; from is that of which it is the base, in that line, or NULL. */
static char *find_file(const char *spec, const char *from, int line)
{
	char *name = must_printf("machines/%s.ini", spec);
	char *path = is_path(spec) ? must_printf("%s", spec) : data_find(name);
	const char *like;

	if (from && (!path || access(path, R_OK)))
		die(EXIT_BAD, "cannot read '%s': line %d: its base '%s': %s", from, line, spec,
			path ? strerror(errno) : "there is no such machine");
	if (from && is_special(path))
		die(EXIT_BAD, "cannot read '%s': line %d: its base '%s' is no regular file", from,
			line, spec);
	if (!path) {
		like = nearest(spec, machine_presets);
		if (like && !strcmp(like, spec))
			die(EXIT_BAD, "cannot find '%s': is warptrace installed?", name);
		die(EXIT_USAGE, "unknown machine '%s'%s%s%s: there is no '%s'", spec,
			like ? ", did you mean '" : "", like ? like : "", like ? "'?" : "", name);
	}
	free(name);
	return path;
}

/* A file, and that whose base it is. */
struct level {
	const struct level *over;
	dev_t device;
	ino_t file;
	unsigned bases; /* how many files are over it */
};

static void check_base(const struct level *l, const char *path)
{
	for (const struct level *o = l->over; o; o = o->over)
		if (o->device == l->device && o->file == l->file)
			die(EXIT_BAD, "cannot read '%s': it is its own base", path);
	if (l->bases > BASES_MAX)
		die(EXIT_BAD, "cannot read '%s': a chain of more than %d bases leads to it", path,
			BASES_MAX);
}

/* Takes path. */
static void read_over(struct sim_config *c, char *path, const struct level *over)
{
	struct sim_config alone = *c;
	struct level here = {.over = over, .bases = over ? over->bases + 1 : 0};
	char base[SIM_BASE_BYTES], *text;
	struct tr_err err = {0};
	struct stat st;
	int line;

	text = text_read(path);
	if (!stat(path, &st)) {
		here.device = st.st_dev;
		here.file = st.st_ino;
	}
	check_base(&here, path);
	/* What is wrong with the file itself comes before what is wrong with its base. */
	if (sim_config_read(&alone, text, path, &err) < 0)
		die_err(&err, NULL);
	line = sim_config_base(text, base, sizeof(base));
	if (line < 0)
		die(EXIT_BAD, "cannot read '%s': the name of its base is too long", path);
	if (line)
		read_over(c, find_file(base, path, line), &here);
	if (sim_config_read(c, text, path, &err) < 0)
		die_err(&err, NULL);
	free(text);
	free(path);
}

struct sim_config machine_read(const char *spec)
{
	const char *slash = strrchr(spec, '/'), *name = slash ? slash + 1 : spec;
	struct sim_config c;
	size_t len = strlen(name);

	sim_config_default(&c);
	read_over(&c, find_file(spec, NULL, 0), NULL);
	if (is_path(spec) && len > 4 && !strcmp(name + len - 4, ".ini"))
		len -= 4;
	if (len >= sizeof(c.machine))
		len = sizeof(c.machine) - 1;
	memcpy(c.machine, name, len);
	c.machine[len] = 0;
	return c;
}

bool machine_names_key(const char *sentence, const char *key)
{
	const size_t n = strlen(key);
	static const char of_keys[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.";

	for (const char *at = sentence; (at = strstr(at, key)); at += n)
		if ((at == sentence || !strchr(of_keys, at[-1])) &&
			(!at[n] || !strchr(of_keys, at[n])))
			return true;
	return false;
}

char *machine_place(const char *spec, const char *sentence)
{
	char base[SIM_BASE_BYTES], *text, *path, *place = NULL;
	struct sim_config c;
	struct sim_key key;
	int last = 0;

	sim_config_default(&c);
	path = must_printf("%s", spec);
	for (unsigned bases = 0; !place && is_path(path) && bases <= BASES_MAX; bases++) {
		text = text_read(path);
		for (unsigned i = 0; sim_config_key(&c, i, &key); i++) {
			const int line = machine_names_key(sentence, key.name)
						 ? sim_config_line(text, key.name)
						 : 0;

			last = line > last ? line : last;
		}
		if (last)
			place = must_printf("cannot read '%s': line %d", path, last);
		free(path);
		path = sim_config_base(text, base, sizeof(base)) > 0 ? must_printf("%s", base)
								     : must_printf("none");
		free(text);
	}
	free(path);
	return place;
}

char *machine_about(const char *preset)
{
	char *path = find_file(preset, NULL, 0), *text, *out;
	size_t len, n = 0;

	text = file_read(path, &len);
	out = must_alloc(len + 1, 1);
	for (char *line = text; *line == '#'; line += strcspn(line, "\n") + 1) {
		const size_t skip = strspn(line, "# "), end = strcspn(line, "\n");

		if (n)
			out[n++] = ' ';
		memcpy(out + n, line + skip, end - skip);
		n += end - skip;
		if (!line[end])
			break;
	}
	if (strstr(out, ". "))
		strstr(out, ". ")[1] = 0;
	free(text);
	free(path);
	return out;
}

struct ptx_resident machine_resident(const char *spec)
{
	const struct sim_config c = machine_read(spec);
	struct ptx_resident r = PTX_RESIDENT_DEFAULT;

	r.sms = c.sm.sms;
	r.ctas_per_sm = c.sm.ctas;
	r.threads_per_sm = c.sm.threads;
	r.registers_per_sm = c.sm.registers;
	r.shared_per_sm = c.sm.shared_bytes;
	r.shared_reserved = c.sm.shared_reserved;
	return r;
}

void machine_help(struct tr_err *err, uint32_t threads, uint32_t registers, uint32_t shared,
	struct sim_config (*read)(const void *arg, const char *preset), const void *arg)
{
	const struct tr_err said = *err;
	uint32_t n = 0, first = 0;

	for (; machine_presets[n]; n++)
		first = strcmp(machine_presets[n], "v100") ? first : n;
	for (uint32_t i = 0; i < n; i++) {
		const char *preset = machine_presets[(first + i) % n];
		const struct sim_config c = read(arg, preset);
		const uint64_t warps = ((uint64_t)threads + c.sm.warp_size - 1) / c.sm.warp_size;
		const uint64_t slots = warps * c.sm.warp_size;

		if (c.sm.ctas && slots <= c.sm.threads && slots * registers <= c.sm.registers &&
			(uint64_t)shared + c.sm.shared_reserved <= c.sm.shared_bytes) {
			tr_fail(err, said.code, said.offset, "%s; -m %s has room for it", said.msg,
				preset);
			return;
		}
	}
}

bool machine_has_base(const char *spec)
{
	char base[SIM_BASE_BYTES], *text;
	bool has = true;

	if (is_path(spec)) {
		text = text_read(spec);
		has = sim_config_base(text, base, sizeof(base)) > 0;
		free(text);
	}
	return has;
}
