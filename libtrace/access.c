/*
 * The parts of the access stream that writer and reader share: how it was made, and the model that
 * predicts one access from those before it.
 */
#include "access_format.h"

#define CONTEXTS_BYTES (sizeof(uint32_t) * TR_CONTEXT_LANES << TR_CONTEXTS_LOG2)

struct tr_fact *tr_facts_make(const struct tr_program *p)
{
	struct tr_fact *facts = calloc((size_t)p->ninsts + 1, sizeof(*facts));

	for (uint32_t i = 0; facts && i < p->ninsts; i++) {
		const struct tr_inst *in = &p->insts[i];
		const uint32_t loop = p->blocks[in->block].loop;
		const uint32_t depth = loop == TR_NONE ? 0 : p->loops[loop].depth;

		facts[i] = (struct tr_fact){
			.loop = loop,
			.depth = (uint8_t)(depth < TR_TRIP_LEVELS ? depth : TR_TRIP_LEVELS),
			.op = in->cls == TR_C_ATOMIC  ? TR_A_ATOMIC
			      : in->cls == TR_C_STORE ? TR_A_WRITE
						      : TR_A_READ,
			.space = in->space == TR_S_GENERIC ? TR_S_GLOBAL : in->space,
			.bytes = (uint8_t)(in->bytes * in->vec),
		};
	}
	return facts;
}

void tr_model_init(struct tr_model *m, uint32_t warp_size)
{
	*m = (struct tr_model){.warp_size = warp_size, .words = (warp_size + 63) / 64};
	if (m->words > 1)
		m->words = TR_LANES_MAX / 64;
}

void tr_model_free(struct tr_model *m)
{
	for (uint32_t i = 0; i < m->nsms; i++)
		free(m->sms[i].warps);
	free(m->sms);
	free(m->insts);
	free(m->masks);
	free(m->contexts);
}

int tr_model_start(struct tr_model *m, const struct tr_fact *facts, uint32_t ninsts)
{
	if (ninsts > m->cap_insts) {
		struct tr_inst_state *p = realloc(m->insts, ninsts * sizeof(*p));

		if (!p)
			return -1;
		m->insts = p;
		m->cap_insts = ninsts;
	}
	for (uint32_t i = 0; i < ninsts; i++)
		m->insts[i] = (struct tr_inst_state){.next = i, .fact = facts[i]};
	if (!m->contexts)
		m->contexts = malloc(CONTEXTS_BYTES);
	if (!m->contexts)
		return -1;
	memset(m->contexts, 0, CONTEXTS_BYTES);
	m->ninsts = ninsts;
	m->nwarps = m->sm = m->born = 0;
	for (uint32_t i = 0; i < m->nsms; i++)
		m->sms[i].n = m->sms[i].last = 0;
	return 0;
}

int tr_model_add_sm(struct tr_model *m, uint32_t sm)
{
	struct tr_sm_state *p;

	if (sm < m->nsms)
		return 0;
	p = realloc(m->sms, ((size_t)sm + 1) * sizeof(*p));
	if (!p)
		return -1;
	memset(p + m->nsms, 0, (sm + 1 - m->nsms) * sizeof(*p));
	m->sms = p;
	m->nsms = sm + 1;
	return 0;
}

int tr_model_add_warp(struct tr_model *m, uint32_t sm, uint32_t cta, uint32_t warp)
{
	struct tr_sm_state *s = &m->sms[sm];

	if (s->n == s->cap) {
		const uint32_t cap = s->cap ? 2 * s->cap : 64;
		struct tr_warp_state *p = realloc(s->warps, cap * sizeof(*p));

		if (!p)
			return -1;
		s->warps = p;
		s->cap = cap;
	}
	if (m->nwarps == m->cap_masks) {
		const uint32_t cap = m->cap_masks ? 2 * m->cap_masks : 1024;
		uint64_t *p = realloc(m->masks, (size_t)cap * m->words * sizeof(*p));

		if (!p)
			return -1;
		m->masks = p;
		m->cap_masks = cap;
	}
	for (unsigned k = 0; k < m->words; k++)
		m->masks[(size_t)m->nwarps * m->words + k] = tr_low_lanes(m->warp_size, k);
	s->warps[s->n++] = (struct tr_warp_state){
		.cta = cta, .warp = warp, .id = m->nwarps++, .inst = TR_NONE};
	return 0;
}

/* ---- how the stream was made ---- */

#define INFO_FIELDS 7
static void info_fields(struct tr_access_info *i, uint32_t *f[INFO_FIELDS])
{
	uint32_t *const all[INFO_FIELDS] = {
		&i->warp_size, &i->line_bytes, &i->sms, &i->sets, &i->ways, &i->index, &i->write};

	memcpy(f, all, sizeof(all));
}

int tr_access_info_check(const struct tr_access_info *i, struct tr_err *err)
{
	if (i->warp_size > TR_LANES_MAX)
		return tr_fail(err, TR_EDATA, 0, "warps of %u threads, more than %u", i->warp_size,
			TR_LANES_MAX);
	if (!i->line_bytes || i->line_bytes > TR_LINE_MAX || i->line_bytes & (i->line_bytes - 1))
		return tr_fail(err, TR_EDATA, 0, "lines of %u bytes, no power of two up to %u",
			i->line_bytes, TR_LINE_MAX);
	if (i->sms > TR_ACCESS_SMS_MAX)
		return tr_fail(err, TR_EDATA, 0, "%u SMs, more than %u", i->sms, TR_ACCESS_SMS_MAX);
	if (i->index > TR_X_IPOLY || i->write > TR_W_KEEP || !i->sets != !i->ways)
		return tr_fail(err, TR_EDATA, 0, "a cache that cannot be");
	if (!memchr(i->rule, 0, sizeof(i->rule)) || !memchr(i->order, 0, sizeof(i->order)) ||
		!memchr(i->machine, 0, sizeof(i->machine)))
		return tr_fail(err, TR_EDATA, 0, "a name without an end");
	return 1;
}

int tr_access_info_write(const struct tr_access_info *info, struct tr_buf *out)
{
	struct tr_access_info i = *info;
	const char *const names[] = {i.rule, i.order, i.machine};
	uint32_t *f[INFO_FIELDS];
	int rc = 0;

	info_fields(&i, f);
	for (int k = 0; k < INFO_FIELDS; k++)
		rc |= tr_buf_varint(out, *f[k]);
	for (int k = 0; k < 3; k++)
		rc |= tr_buf_varint(out, strlen(names[k])) |
		      tr_buf_put(out, names[k], strlen(names[k]));
	return rc;
}

int tr_access_info_read(
	struct tr_access_info *i, const uint8_t *data, size_t len, struct tr_err *err)
{
	struct tr_cur c = {data, data + len, 0};
	char *const names[] = {i->rule, i->order, i->machine};
	uint32_t *f[INFO_FIELDS];

	*i = (struct tr_access_info){0};
	info_fields(i, f);
	for (int k = 0; k < INFO_FIELDS; k++) {
		const uint64_t v = tr_cur_varint(&c);

		c.bad |= v > UINT32_MAX;
		*f[k] = (uint32_t)v;
	}
	for (int k = 0; k < 3; k++) {
		const uint64_t n = tr_cur_varint(&c);
		const uint8_t *p = n < sizeof(i->rule) ? tr_cur_bytes(&c, n) : NULL;

		if (!p || (n && memchr(p, 0, n)))
			c.bad = 1;
		else if (n)
			memcpy(names[k], p, n);
	}
	if (c.bad || c.p != c.end)
		return tr_fail(err, TR_EDATA, 0, "bad record of how the accesses were made");
	return tr_access_info_check(i, err);
}
