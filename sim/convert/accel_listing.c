/*
 * A listing of SASS with its encoding, as cuobjdump -sass and nvdisasm -hex write it: functions
 * ("Function : NAME" or ".text.NAME:"), and in them instructions, whose PC and encoding stand in
 * comments, the second half of Volta's 128 bits on a line of its own. Read are PCs, opcodes,
 * operands and control bits; all else is passed over. Encodings of 64 bits, before Volta, have
 * none.
 */
#include "sim/convert/accel.h"
#include "sim/convert/lines.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define CONTROL_SHIFT 41 /* bit 105 of 128 in the second half */

struct inst {
	uint32_t pc, control;
	char *text; /* opcode, then operands, without the guard */
	bool whole; /* its second half has come */
};

struct accel_function {
	char *name;
	uint32_t machine; /* 80 for sm_80; 0: the listing does not say */
	struct inst *insts;
	size_t n, cap;
};

struct accel_listing {
	struct accel_function *functions;
	size_t n;
	uint32_t machine; /* of the code at hand */
};

static int no_memory(struct tr_err *err)
{
	return tr_fail(err, TR_EMEM, 0, "no memory for a listing of SASS");
}

static char *copy_of(const char *s, size_t n)
{
	char *c = malloc(n + 1);

	if (c) {
		memcpy(c, s, n);
		c[n] = 0;
	}
	return c;
}

static int begin_function(struct accel_listing *l, const char *name, size_t n, struct tr_err *err)
{
	struct accel_function *bigger = realloc(l->functions, (l->n + 1) * sizeof(*bigger));
	char *copy = copy_of(name, n);

	l->functions = bigger ? bigger : l->functions;
	if (!bigger || !copy) {
		free(copy);
		return no_memory(err);
	}
	bigger[l->n++] = (struct accel_function){.name = copy, .machine = l->machine};
	return 1;
}

/* "/ * 0x... * /" without its blanks: the number, or false. */
static bool read_half(const char *at, uint64_t *half)
{
	char *end;

	if (strncmp(at, "/* 0x", 5) || !isxdigit((unsigned char)at[5]))
		return false;
	*half = strtoull(at + 5, &end, 16);
	return end == at + 21 && !strncmp(end, " */", 3);
}

/* After its PC: the guard is left out, what is before the semicolon is kept. */
static int add_inst(struct accel_function *f, uint32_t pc, const char *text,
	const struct cv_lines *at, struct tr_err *err)
{
	size_t n = strcspn(text, ";");
	struct inst *bigger;

	if (!text[n])
		return cv_lines_fail(at, err, "an instruction without its semicolon");
	while (n && (isspace((unsigned char)*text) || *text == '{')) /* a brace: a pair issues */
		text++, n--;
	if (n && *text == '@') {
		const size_t guard = strcspn(text, " ");

		n -= guard < n ? guard : n;
		text += guard;
	}
	while (n && isspace((unsigned char)*text))
		text++, n--;
	while (n && isspace((unsigned char)text[n - 1]))
		n--;
	if (f->n == f->cap) {
		f->cap = f->cap ? 2 * f->cap : 64;
		bigger = realloc(f->insts, f->cap * sizeof(*bigger));
		if (!bigger)
			return no_memory(err);
		f->insts = bigger;
	}
	f->insts[f->n] = (struct inst){.pc = pc, .text = copy_of(text, n)};
	return f->insts[f->n++].text ? 1 : no_memory(err);
}

/* A line that begins with a comment: an instruction with its PC, or the second half of one. */
static int comment(
	struct accel_listing *l, const struct cv_lines *at, const char *p, struct tr_err *err)
{
	struct accel_function *f = l->n ? &l->functions[l->n - 1] : NULL;
	char *end;
	const unsigned long pc = strtoul(p + 2, &end, 16);
	const char *half = strstr(p + 2, "/* 0x");
	uint64_t bits;

	if (end != p + 2 && !strncmp(end, "*/", 2)) {
		if (!f)
			return cv_lines_fail(at, err, "an instruction before any function");
		if (pc > UINT32_MAX)
			return cv_lines_fail(at, err, "a PC of more than 32 bits");
		if (f->n && pc <= f->insts[f->n - 1].pc)
			return cv_lines_fail(at, err, "its PC is not above the one before it");
		if (!half || !read_half(half, &bits))
			return cv_lines_fail(at, err,
				"an instruction without its encoding, 16 digits (nvdisasm wants "
				"-hex)");
		return add_inst(f, (uint32_t)pc, end + 2, at, err);
	}
	/* Before Volta a word of control stands before three or seven instructions. */
	if (!read_half(p, &bits) || (l->machine && l->machine < 70))
		return 1;
	if (!f || !f->n || f->insts[f->n - 1].whole)
		return cv_lines_fail(at, err, "half an encoding that belongs to no instruction");
	f->insts[f->n - 1].control = (uint32_t)(bits >> CONTROL_SHIFT) & (TR_CONTROL_KNOWN - 1);
	f->insts[f->n - 1].whole = true;
	return 1;
}

static int listing_line(
	struct accel_listing *l, const struct cv_lines *at, const char *line, struct tr_err *err)
{
	static const char function[] = "Function : ", code[] = "code for sm_", text[] = ".text.";
	const char *p = line;
	size_t n;

	while (isspace((unsigned char)*p))
		p++;
	n = strcspn(p, " \t\r\n");
	if (!strncmp(p, function, sizeof(function) - 1)) {
		p += sizeof(function) - 1;
		return begin_function(l, p, strcspn(p, " \t\r\n"), err);
	}
	if (!strncmp(p, text, sizeof(text) - 1) && p[n - 1] == ':')
		return begin_function(l, p + sizeof(text) - 1, n - sizeof(text), err);
	if (!strncmp(p, code, sizeof(code) - 1))
		l->machine = (uint32_t)strtoul(p + sizeof(code) - 1, NULL, 10);
	return strncmp(p, "/*", 2) ? 1 : comment(l, at, p, err);
}

int accel_listing_read(struct accel_listing **out, FILE *f, const char *name, struct tr_err *err)
{
	struct accel_listing *l = calloc(1, sizeof(*l));
	struct cv_lines *at = NULL;
	char *line;
	size_t len;
	int rc = l ? cv_lines_open(&at, f, name, err) : no_memory(err);

	while (rc > 0 && (rc = cv_lines_next(at, &line, &len, err)) > 0)
		rc = listing_line(l, at, line, err);
	if (!rc && !l->n)
		rc = cv_lines_fail(at, err,
			"no function of SASS is in it: cuobjdump -sass and nvdisasm -hex write "
			"them");
	if (at)
		cv_lines_close(at);
	if (rc < 0) {
		accel_listing_free(l);
		return rc;
	}
	*out = l;
	return 1;
}

void accel_listing_free(struct accel_listing *l)
{
	for (size_t i = 0; l && i < l->n; i++) {
		for (size_t k = 0; k < l->functions[i].n; k++)
			free(l->functions[i].insts[k].text);
		free(l->functions[i].insts);
		free(l->functions[i].name);
	}
	if (l)
		free(l->functions);
	free(l);
}

const struct accel_function *accel_listing_find(
	const struct accel_listing *l, const char *name, uint32_t machine)
{
	const struct accel_function *any = NULL;

	for (size_t i = 0; i < l->n; i++) {
		const struct accel_function *f = &l->functions[i];

		if (strcmp(f->name, name))
			continue;
		if (f->machine == machine)
			return f;
		if (!f->machine)
			any = f;
	}
	return any;
}

static int by_pc(const void *key, const void *member)
{
	const uint32_t pc = *(const uint32_t *)key, at = ((const struct inst *)member)->pc;

	return pc < at ? -1 : pc > at;
}

bool accel_listing_inst(const struct accel_function *f, uint32_t pc, struct accel_listed *out)
{
	const struct inst *i = f->n ? bsearch(&pc, f->insts, f->n, sizeof(*f->insts), by_pc) : NULL;

	if (!i)
		return false;
	out->opcode_len = strcspn(i->text, " ");
	out->opcode = i->text;
	out->operands = i->text + out->opcode_len + (i->text[out->opcode_len] == ' ');
	out->control = i->control;
	out->has_control = i->whole;
	return true;
}
