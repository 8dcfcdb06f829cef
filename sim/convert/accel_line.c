/*
 * One instruction line of an Accel-Sim trace. It is read by position up to its addresses, since
 * versions differ in what stands before and after: tokens of the CTA and a source line in front,
 * one immediate or two and register values after. What is after the first immediate is ignored.
 */
#include "sim/convert/accel.h"
#include <string.h>

#define LEAD_MAX 16

static const char *skip_blanks(const char *p)
{
	while (*p == ' ' || *p == '\t')
		p++;
	return p;
}

static const char *token_end(const char *p)
{
	while (*p && *p != ' ' && *p != '\t')
		p++;
	return p;
}

static int hex_digit(char c)
{
	return c >= '0' && c <= '9'   ? c - '0'
	       : c >= 'a' && c <= 'f' ? c - 'a' + 10
	       : c >= 'A' && c <= 'F' ? c - 'A' + 10
				      : -1;
}

/* The next token as a hexadecimal number of at most `digits` digits; false if it is none. */
static bool read_hex(const char **at, unsigned digits, uint64_t *out)
{
	const char *p = skip_blanks(*at);
	uint64_t v = 0;
	unsigned n = 0;

	for (int d; n <= digits && (d = hex_digit(*p)) >= 0; p++, n++)
		v = v << 4 | (unsigned)d;
	*at = p;
	*out = v;
	return n && n <= digits && (!*p || *p == ' ' || *p == '\t');
}

static bool read_address(const char **at, uint64_t *out)
{
	const char *p = skip_blanks(*at);

	if (p[0] != '0' || (p[1] != 'x' && p[1] != 'X'))
		return false;
	*at = p + 2;
	return read_hex(at, 16, out);
}

static bool read_signed(const char **at, int64_t *out)
{
	const char *p = skip_blanks(*at);
	const bool minus = *p == '-';
	uint64_t v = 0;
	unsigned n = 0;

	for (p += minus; *p >= '0' && *p <= '9'; p++, n++)
		v = v * 10 + (unsigned)(*p - '0');
	*at = p;
	*out = (int64_t)(minus ? 0 - v : v);
	return n && n <= 19 && (!*p || *p == ' ' || *p == '\t');
}

static bool read_count(const char **at, uint32_t max, uint32_t *out)
{
	int64_t v;

	if (!read_signed(at, &v) || v < 0 || v > max)
		return false;
	*out = (uint32_t)v;
	return true;
}

/* R4, UR4, P0 or UP0; false if it is none. */
static bool read_reg(const char **at, struct accel_reg *reg)
{
	const char *p = skip_blanks(*at);
	const bool uniform = *p == 'U';
	unsigned n = 0, v = 0;

	p += uniform;
	if (*p != 'R' && *p != 'P')
		return false;
	reg->file = (uint8_t)(*p == 'R' ? (uniform ? ACCEL_UR : ACCEL_R)
					: (uniform ? ACCEL_UP : ACCEL_P));
	for (p++; *p >= '0' && *p <= '9' && n < 3; p++, n++)
		v = v * 10 + (unsigned)(*p - '0');
	reg->number = (uint16_t)v;
	*at = p;
	return n && v < ACCEL_REG_NUMBERS && (!*p || *p == ' ' || *p == '\t');
}

int accel_line_lead(const char *line)
{
	const char *pc = NULL, *p = skip_blanks(line);

	for (int n = 0; n <= LEAD_MAX && *p; n++) {
		const char *end = token_end(p);
		const char *mask = p;
		uint64_t v;

		if (pc && end - p == 8 && read_hex(&mask, 8, &v) && end[0])
			return n - 1;
		pc = p;
		p = skip_blanks(end);
	}
	return -1;
}

/* ---- addresses ---- */

/* Mode 0: a list. Mode 1: a base and what is added from lane to lane. Mode 2: a base and one
 * addend for each further lane. */
static const char *read_addresses(const char **at, struct accel_line *out)
{
	uint32_t mode;
	uint64_t address = 0;
	int64_t stride = 0;
	bool first = true;

	if (!read_count(at, 99, &mode))
		return "the mode of its addresses is missing";
	if (mode > 2)
		return "there is no such mode of addresses";
	if (mode && !read_address(at, &address))
		return "its base address is missing or no 0x number";
	if (mode == 1 && !read_signed(at, &stride))
		return "the stride of its addresses is missing";
	if (mode == 1 && out->mask) {
		const uint32_t run = out->mask >> __builtin_ctz(out->mask);

		if (run & (run + 1))
			return "a base and a stride, but its lanes are no contiguous run";
	}
	for (uint32_t m = out->mask; m; m &= m - 1, first = false) {
		if (mode == 0 && !read_address(at, &address))
			return "fewer addresses than lanes";
		if (mode == 2 && !first && !read_signed(at, &stride))
			return "fewer address deltas than lanes";
		if (mode && !first)
			address += (uint64_t)stride;
		out->addr[__builtin_ctz(m)] = address;
	}
	return NULL;
}

/* mbarrier, multicast flag, [mask of CTAs], bytes, bytes out of bounds, then mode 3 or 4. */
static const char *read_bulk(const char **at, struct accel_line *out)
{
	uint64_t v;
	uint32_t multicast, bytes, outside, mode, count;
	int64_t delta;

	out->bulk = true;
	if ((!read_address(at, &v) && !read_hex(at, 16, &v)) || !read_count(at, 1, &multicast))
		return "the barrier of its bulk copy is missing";
	if (multicast && !read_address(at, &v) && !read_hex(at, 16, &v))
		return "the CTAs of its multicast are missing";
	if (!read_count(at, UINT32_MAX, &bytes) || !read_count(at, UINT32_MAX, &outside) ||
		!read_count(at, 99, &mode))
		return "the size of its bulk copy is missing";
	if (mode < 3 || mode > 4)
		return "a bulk copy has addresses of mode 3 or 4";
	if (mode == 4 && !read_address(at, &v))
		return "its base address is missing or no 0x number";
	if (!read_count(at, 1u << 20, &count))
		return "the number of its addresses is missing";
	for (uint32_t i = mode == 4; i < count; i++)
		if (mode == 3 ? !read_address(at, &v) : !read_signed(at, &delta))
			return "fewer addresses than it says";
	return NULL;
}

static bool starts(const char *text, size_t len, const char *with)
{
	const size_t n = strlen(with);

	return len >= n && !memcmp(text, with, n);
}

/* ---- the line ---- */

static const char *read_regs(const char **at)
{
	struct accel_reg reg;
	uint32_t n;

	if (!read_count(at, UINT32_MAX, &n))
		return "the number of its registers is missing";
	if (n > ACCEL_REGS_MAX)
		return "it names more registers than an instruction can";
	while (n--)
		if (!read_reg(at, &reg))
			return "fewer registers than it says";
	return NULL;
}

const char *accel_line_read(const char *line, int lead, struct accel_line *out)
{
	const char *p = line, *why, *root_end;
	uint64_t v;

	out->bulk = out->has_imm = false;
	out->source_line = 0;
	for (int i = 0; i < lead; i++) {
		uint32_t number;

		if (!read_count(&p, UINT32_MAX, &number))
			return "a number is missing before its PC";
		if (i == lead - 1 && (lead == 1 || lead == 5))
			out->source_line = number;
	}
	if (!read_hex(&p, 8, &v))
		return "its PC is no hexadecimal number";
	out->pc = (uint32_t)v;
	if (!read_hex(&p, 8, &v))
		return "its mask is no hexadecimal number of 8 digits";
	out->mask = (uint32_t)v;
	out->text = p = skip_blanks(p);
	why = read_regs(&p);
	if (why)
		return why;
	out->opcode = p = skip_blanks(p);
	p = token_end(p);
	out->opcode_len = (size_t)(p - out->opcode);
	if (!out->opcode_len || out->opcode[0] < 'A' || out->opcode[0] > 'Z')
		return "its opcode is missing";
	why = read_regs(&p);
	if (why)
		return why;
	root_end = memchr(out->opcode, '.', out->opcode_len);
	if (!root_end)
		root_end = out->opcode + out->opcode_len;
	if (root_end - out->opcode >= 4 && !memcmp(root_end - 4, "GMMA", 4)) {
		uint32_t flag;

		if (!read_count(&p, 1, &flag))
			return "the flag of a warp group's product is missing";
	}
	if (!read_count(&p, UINT32_MAX, &out->width))
		return "its access width is missing";
	out->text_len = (size_t)(p - out->text);
	if (out->width) {
		const bool bulk = starts(out->opcode, out->opcode_len, "UTMA") ||
				  starts(out->opcode, out->opcode_len, "UBLK");

		why = bulk ? read_bulk(&p, out) : read_addresses(&p, out);
		if (why)
			return why;
		if (!bulk && (out->width > 64 || out->width & (out->width - 1)))
			return "its access width is no power of two up to 64";
	}
	out->has_imm = read_signed(&p, &out->imm);
	return NULL;
}

void accel_line_operands(const struct accel_line *line, struct accel_operands *out)
{
	const size_t n =
		line->opcode_len < sizeof(out->opcode) ? line->opcode_len : sizeof(out->opcode) - 1;
	const char *p = line->text;

	memcpy(out->opcode, line->opcode, n);
	out->opcode[n] = 0;
	read_count(&p, ACCEL_REGS_MAX, &out->ndst);
	for (unsigned i = 0; i < out->ndst; i++)
		read_reg(&p, &out->dst[i]);
	p = line->opcode + line->opcode_len;
	read_count(&p, ACCEL_REGS_MAX, &out->nsrc);
	for (unsigned i = 0; i < out->nsrc; i++)
		read_reg(&p, &out->src[i]);
}
