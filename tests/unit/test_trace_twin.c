/*
 * A plain second decoder of the thread trace, written from FORMAT.md 8: it reads out of random
 * streams what was put in.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "libtrace/stream_format.h"
#include "trace_trial.h"
#include <stdio.h>

struct twin_slot {
	int fresh;
	uint64_t last[32], step, anchor, c[3];
};

struct twin {
	const struct tr_program *p;
	const uint32_t *block; /* shape */
	const uint8_t *at[5], *end[5];
	struct twin_slot *slots; /* by instruction */
	uint64_t *former;        /* by instruction: first anchor in a group before */
	uint64_t kinds[7];       /* rows of values of each rule that were met */
};

enum { KIND, ANCHOR, PARAM, LOW, HIGH };

static uint8_t twin_byte(struct twin *t, int stream)
{
	assert_true(t->at[stream] < t->end[stream]);
	return *t->at[stream]++;
}

static uint64_t twin_varint(struct twin *t, int stream)
{
	uint64_t v = 0;
	unsigned shift = 0;
	uint8_t b;

	do {
		b = twin_byte(t, stream);
		v += (uint64_t)(b % 128) << shift;
		shift += 7;
	} while (b >= 128);
	return v;
}

static uint64_t twin_zigzag(struct twin *t, int stream)
{
	uint64_t z = twin_varint(t, stream);

	return z % 2 ? 0 - (z + 1) / 2 - (z == UINT64_MAX ? (uint64_t)1 << 63 : 0) : z / 2;
}

static void twin_outcomes(
	struct twin *t, const struct tr_inst *in, int m, const int *lane, uint32_t *outcome)
{
	uint8_t kind = twin_byte(t, KIND), byte = 0;
	uint32_t same;

	switch (kind) {
	case 0:
	case 1:
		assert_false(in->flags & TR_I_INDEXED);
		for (int i = 0; i < m; i++)
			outcome[lane[i]] = kind;
		break;
	case 2:
		assert_false(in->flags & TR_I_INDEXED);
		for (int i = 0; i < m; i++) {
			if (i % 8 == 0)
				byte = twin_byte(t, LOW);
			outcome[lane[i]] = byte >> (i % 8) & 1;
		}
		break;
	case 3:
		assert_true(in->flags & TR_I_INDEXED);
		same = (uint32_t)twin_varint(t, PARAM);
		for (int i = 0; i < m; i++)
			outcome[lane[i]] = same;
		break;
	default:
		assert_true(in->flags & TR_I_INDEXED);
		assert_int_equal(kind, 4);
		for (int i = 0; i < m; i++)
			outcome[lane[i]] = (uint32_t)twin_varint(t, PARAM);
	}
}

static uint64_t twin_a(const struct twin *t, const struct twin_slot *s, uint32_t group, int l)
{
	const uint64_t X = t->block[0], Y = t->block[1];
	uint64_t a = 32 * (uint64_t)group, b = a + (uint64_t)l;

	return s->anchor + s->c[0] * (b % X - a % X) + s->c[1] * (b / X % Y - a / X % Y) +
	       s->c[2] * (b / X / Y - a / X / Y);
}

static void twin_anchor(struct twin *t, struct twin_slot *s, uint32_t inst)
{
	if (s->fresh) {
		s->anchor = t->former[inst] += twin_zigzag(t, ANCHOR);
	} else {
		s->anchor += twin_zigzag(t, PARAM);
	}
}

static void twin_residuals(
	struct twin *t, const struct tr_inst *in, uint8_t kind, int k, uint64_t *r)
{
	int width = kind / 8 % 8 + 1;

	for (int i = 0; i < k; i++)
		r[i] = twin_byte(t, LOW);
	for (int w = 1; w < width; w++)
		for (int i = 0; i < k; i++)
			r[i] += (uint64_t)twin_byte(t, HIGH) << 8 * w;
	for (int i = 0; i < k; i++)
		if (kind & 64 && in->bytes)
			r[i] *= in->bytes;
}

static void twin_values(
	struct twin *t, uint32_t inst, uint32_t group, int m, const int *lane, uint64_t *value)
{
	const struct tr_inst *in = &t->p->insts[inst];
	struct twin_slot *s = &t->slots[inst];
	uint8_t kind = twin_byte(t, KIND), rule = kind & 7;
	uint64_t r[32], b;

	assert_true(rule <= 6 && kind < 128 && (rule > 3 || kind < 8));
	assert_true(!s->fresh || rule == 3 || rule == 5 || rule == 6);
	t->kinds[rule]++;
	if (rule == 3)
		for (int a = 0; a < 3; a++)
			s->c[a] = twin_zigzag(t, PARAM);
	if (rule == 1)
		s->step = twin_zigzag(t, PARAM);
	if (rule == 2 || rule == 3 || rule == 5 || rule == 6)
		twin_anchor(t, s, inst);
	b = rule == 4 || rule == 6 ? twin_zigzag(t, PARAM) : 0;
	if (rule >= 4)
		twin_residuals(t, in, kind, rule == 6 ? m - 1 : m, r);
	for (int i = 0; i < m; i++) {
		int l = lane[i];

		if (rule < 2)
			value[l] = s->last[l] + s->step;
		else if (rule < 4)
			value[l] = twin_a(t, s, group, l);
		else if (rule == 4)
			value[l] = s->last[l] + b + r[i];
		else if (rule == 5)
			value[l] = s->anchor + r[i];
		else
			value[l] = i ? value[lane[i - 1]] + b + r[i - 1] : s->anchor;
	}
	for (int l = 0; l < 32; l++) {
		if (rule == 2 || rule == 3)
			s->last[l] = twin_a(t, s, group, l);
		else if (s->fresh)
			s->last[l] = value[lane[0]];
	}
	for (int i = 0; i < m; i++)
		s->last[lane[i]] = value[lane[i]];
	s->fresh = 0;
}

/* One group; stand[l]: the instruction where lane l goes on, or TR_EXIT. */
static void twin_group(struct twin *t, uint32_t group, uint32_t nlanes, struct tr_thread *threads)
{
	const struct tr_program *p = t->p;
	uint32_t stand[32], outcome[32];
	uint64_t value[32];
	int lane[32], some[32];

	for (uint32_t i = 0; i < p->ninsts; i++)
		t->slots[i] = (struct twin_slot){.fresh = 1};
	for (uint32_t l = 0; l < nlanes; l++)
		stand[l] = 0;
	for (;;) {
		const struct tr_block *block = NULL;
		int n = 0;

		for (uint32_t l = 0; l < nlanes; l++)
			if (stand[l] != TR_EXIT) {
				const struct tr_block *b = &p->blocks[p->insts[stand[l]].block];

				if (!block || b->rank < block->rank)
					block = b;
			}
		if (!block)
			return;
		for (uint32_t l = 0; l < nlanes; l++)
			if (stand[l] == block->first)
				lane[n++] = (int)l;
		for (uint32_t i = block->first; i < block->first + block->n; i++) {
			const struct tr_inst *in = &p->insts[i];
			int m = 0;

			memset(outcome, 0, sizeof(outcome));
			if (in->flags & TR_I_OUTCOME)
				twin_outcomes(t, in, n, lane, outcome);
			for (int k = 0; k < n; k++) {
				struct step s = {.outcome = outcome[lane[k]]};

				thread_append(&threads[lane[k]], in, &s);
				if (in->flags & TR_I_VALUE && (in->guard == TR_NONE || s.outcome))
					some[m++] = lane[k];
			}
			if (m)
				twin_values(t, i, group, m, some, value);
			for (int k = 0; k < m; k++) {
				struct step s = {.has_value = 1, .value = value[some[k]]};

				thread_append(&threads[some[k]],
					&(struct tr_inst){.flags = TR_I_VALUE}, &s);
			}
			for (int k = 0; k < n; k++) {
				uint32_t way = in->nsucc > 1 ? outcome[lane[k]] : 0;

				assert_true(!in->nsucc || way < in->nsucc);
				stand[lane[k]] = in->nsucc ? p->succ_pool[in->succ + way] : TR_EXIT;
			}
		}
	}
}

/* A CTAS record as a table and streams, all CTAs of it. */
static void twin_record(const struct tr_record *rec, const struct trial *t, uint64_t kinds[7])
{
	const struct tr_launch *l = &t->launches[rec->key >> 32];
	const struct tr_program *p = t->programs[l->program];
	struct twin w = {.p = p, .block = l->block};
	uint64_t *len = grown(NULL, 5 * rec->n * sizeof(*len));
	const uint8_t *next[5];

	w.at[KIND] = rec->data;
	w.end[KIND] = rec->data + rec->len;
	for (uint32_t i = 0; i < 5 * rec->n; i++)
		len[i] = twin_varint(&w, KIND);
	next[0] = w.at[KIND];
	for (int s = 0; s < 5; s++) {
		const uint8_t *end = next[s];

		for (uint32_t i = 0; i < rec->n; i++)
			end += len[5 * i + (uint32_t)s];
		if (s < 4)
			next[s + 1] = end;
		else
			assert_ptr_equal(end, rec->data + rec->len);
	}
	w.slots = grown(NULL, p->ninsts * sizeof(*w.slots));
	w.former = grown(NULL, p->ninsts * sizeof(*w.former));
	for (uint32_t i = 0; i < rec->n; i++) {
		uint32_t number = (uint32_t)rec->key + i, n = tr_launch_threads(l);
		struct tr_cta c = {
			.launch = l->number, .number = number, .nthreads = n, .cap_threads = n};
		const struct tr_cta *want = &t->ctas[l->number][number].cta;

		c.threads = calloc(n, sizeof(*c.threads));
		assert_non_null(c.threads);
		for (int s = 0; s < 5; s++) {
			w.at[s] = next[s];
			w.end[s] = next[s] += len[5 * i + (uint32_t)s];
		}
		memset(w.former, 0, p->ninsts * sizeof(*w.former));
		for (uint32_t g = 0; 32 * g < n; g++)
			twin_group(&w, g, n - 32 * g < 32 ? n - 32 * g : 32, c.threads + 32 * g);
		for (int s = 0; s < 5; s++)
			assert_ptr_equal(w.at[s], w.end[s]);
		c.nsync = want->nsync;
		c.sync = grown(NULL, want->nsync * sizeof(*c.sync));
		if (want->nsync)
			memcpy(c.sync, want->sync, want->nsync * sizeof(*c.sync));
		c.nspins = want->nspins;
		c.spins = grown(NULL, want->nspins * sizeof(*c.spins));
		if (want->nspins)
			memcpy(c.spins, want->spins, want->nspins * sizeof(*c.spins));
		same_cta(&c, want);
		tr_cta_free(&c);
	}
	for (int k = 0; k < 7; k++)
		kinds[k] += w.kinds[k];
	free(w.slots);
	free(w.former);
	free(len);
}

static void test_twin(void **state)
{
	uint64_t kinds[7] = {0};

	(void)state;
	for (uint64_t seed = 0; seed < 150; seed++) {
		struct trial t;
		struct bytes b;
		struct tr_in *in;
		struct tr_err err;
		struct tr_record rec;
		FILE *f;
		int rc;

		random_trial(&t, mix(seed, 6));
		b = trial_written(&t, LOWEST_RANK, 0, seed);
		f = open_bytes(b);
		assert_int_equal(tr_in_open(&in, f, &err), 1);
		while ((rc = tr_in_next(in, &rec, &err)) > 0)
			if (rec.type == TR_REC_CTAS)
				twin_record(&rec, &t, kinds);
		assert_int_equal(rc, 0);
		tr_in_close(in);
		fclose(f);
		free(b.p);
		trial_free(&t);
	}
	for (int k = 0; k < 7; k++)
		assert_true(kinds[k] > 0); /* the trials are worth something */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_twin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
