/*
 * regx: the regular expressions of Wang et al. (ISCA 2015, table 4), after Gregex, in two forms:
 * flat, with one thread a packet, and dynamic, where threads launch kernels for packets of 32
 * bytes or more. Input: packets like those of DARPA's traces (half short, the rest of up to 1,460
 * bytes, text with requests and now and then an attack in it), or random strings of 8 to 127
 * letters. The expressions, our own, are made to one automaton on the host; like Gregex's, it
 * starts at every byte and stops at the first byte that it accepts or rejects. Blocks of 256
 * threads, 104 at most (13 SMX of 8). The check matches the expressions without the automaton.
 */
#include "datasets/workloads/input.h"
#include <string.h>

#define BLOCK 256
#define STATES_MAX 4096
#define ELEMS_MAX 128 /* a set of them is two words */

/*
 * Letters stand for themselves, # is a digit, @ a small letter, ? any byte, and + after one of
 * these says once or more.
 */
static const char *const exprs[] = {"get /@+.cgi", "#+.#+.#+.#+", "cmd.exe", "../..", "passwd",
	"select @+ from", "user @+", "%c#%", "root", "0x??", "@a@b@c", "login: guest"};
#define EXPRS (sizeof(exprs) / sizeof(exprs[0]))

struct elem { /* one letter of an expression */
	char letter;
	bool repeats, is_end;
};

struct set {
	uint64_t w[2];
};

struct automaton {
	uint32_t nelems, nstates;
	struct elem elem[ELEMS_MAX];
	struct set state[STATES_MAX]; /* the elements that may come next */
	int32_t *table;               /* next state; 0 accepts, -1 rejects */
};

static bool fits(char letter, uint8_t c)
{
	switch (letter) {
	case '#':
		return c >= '0' && c <= '9';
	case '@':
		return c >= 'a' && c <= 'z';
	case '?':
		return true;
	default:
		return c == (uint8_t)letter;
	}
}

static void add(struct set *s, uint32_t i)
{
	s->w[i / 64] |= 1ull << i % 64;
}

/* The state of a set, which may be a new one. */
static int32_t state_of(struct wl *w, struct automaton *a, const struct set *s)
{
	for (uint32_t i = 1; i < a->nstates; i++)
		if (!memcmp(&a->state[i], s, sizeof(*s)))
			return (int32_t)i;
	if (a->nstates == STATES_MAX) {
		wl_fail(w, "regx: the automaton has more than %d states", STATES_MAX);
		return -1;
	}
	a->state[a->nstates] = *s;
	return (int32_t)a->nstates++;
}

static int32_t next(struct wl *w, struct automaton *a, const struct set *from, uint8_t c)
{
	struct set to = {{0, 0}};

	for (uint32_t i = 0; i < a->nelems; i++) {
		if (!(from->w[i / 64] >> i % 64 & 1) || !fits(a->elem[i].letter, c))
			continue;
		if (a->elem[i + 1].is_end)
			return 0;
		add(&to, i + 1);
		if (a->elem[i].repeats)
			add(&to, i);
	}
	return to.w[0] | to.w[1] ? state_of(w, a, &to) : -1;
}

/* Sets of elements become states, from the set of all first ones on. */
static void build(struct wl *w, struct automaton *a)
{
	struct set first = {{0, 0}};

	for (unsigned e = 0; e < EXPRS; e++) {
		add(&first, a->nelems);
		for (const char *c = exprs[e]; *c; c++)
			if (*c == '+')
				a->elem[a->nelems - 1].repeats = true;
			else
				a->elem[a->nelems++].letter = *c;
		a->elem[a->nelems++].is_end = true;
	}
	a->nstates = 1; /* state 0 accepts */
	a->table = wl_host(w, (size_t)STATES_MAX * 256, sizeof(*a->table));
	if (wl_failed(w))
		return;
	state_of(w, a, &first);
	for (uint32_t s = 1; s < a->nstates && !wl_failed(w); s++)
		for (uint32_t c = 0; c < 256; c++)
			a->table[s * 256 + c] = next(w, a, &a->state[s], (uint8_t)c);
}

/* ---- packets ---- */

static uint32_t length(struct wl_rng *rng, bool strings)
{
	if (strings)
		return 8 + wl_below(rng, 120);
	switch (wl_below(rng, 6)) {
	case 0:
		return 600 + wl_below(rng, 861);
	case 1:
	case 2:
		return 64 + wl_below(rng, 512);
	default:
		return 1 + wl_below(rng, 60);
	}
}

static void fill(struct wl_rng *rng, uint8_t *text, uint32_t n, bool strings)
{
	static const char *const words[] = {"get /index.html ", "user anonymous ", "host: 172.16.",
		"112.50 ", "accept: text ", "the quick mail ", "220 ftp ready ", "pass guest ",
		"content 1024 "};
	static const char *const attacks[] = {
		"get /phf.cgi", "../../etc/passwd", "cmd.exe", "login: guest", "root"};

	for (uint32_t i = 0; i < n;) {
		const char *word;

		if (strings) {
			text[i++] = (uint8_t)('a' + wl_below(rng, 26));
			continue;
		}
		word = wl_below(rng, 64)
			       ? words[wl_below(rng, sizeof(words) / sizeof(words[0]))]
			       : attacks[wl_below(rng, sizeof(attacks) / sizeof(attacks[0]))];
		if (wl_below(rng, 3)) {
			while (*word && i < n)
				text[i++] = (uint8_t)*word++;
		} else {
			for (uint32_t k = 1 + wl_below(rng, 16); k && i < n; k--)
				text[i++] = (uint8_t)wl_below(rng, 256);
		}
	}
}

/* ---- the check ---- */

/* Whether `expr` matches some of text[0] ... text[n - 1] from its beginning. */
static bool begins(const char *expr, const uint8_t *text, uint32_t n)
{
	if (!*expr)
		return true;
	if (!n || !fits(*expr, *text))
		return false;
	if (expr[1] != '+')
		return begins(expr + 1, text + 1, n - 1);
	for (uint32_t i = 1;; i++) {
		if (begins(expr + 2, text + i, n - i))
			return true;
		if (i == n || !fits(*expr, text[i]))
			return false;
	}
}

static bool any_begins(const uint8_t *text, uint32_t n)
{
	for (unsigned e = 0; e < EXPRS; e++)
		if (begins(exprs[e], text, n))
			return true;
	return false;
}

static void run(struct wl *w)
{
	const uint32_t n = (uint32_t)wl_param(w, "packets");
	const uint32_t most = (uint32_t)wl_param(w, "blocks");
	const uint32_t blocks = wl_ceil_div(n, BLOCK);
	const bool strings = wl_param(w, "input") == 1;
	struct automaton *a = wl_host(w, 1, sizeof(*a));
	struct wl_buf first = wl_alloc(w, "first", (n + 1ull) * sizeof(int32_t));
	struct wl_buf count = wl_alloc(w, "count", n * sizeof(int32_t));
	struct wl_buf last = wl_alloc(w, "last", n * sizeof(int32_t));
	int32_t *want_count = wl_host(w, n, sizeof(*want_count));
	int32_t *want_last = wl_host(w, n, sizeof(*want_last));
	struct wl_rng rng;

	if (wl_failed(w))
		return;
	build(w, a);
	wl_rng_start(&rng, w, 0);
	for (uint32_t p = 0; p < n; p++) {
		first.i[p + 1] = first.i[p] + (int32_t)length(&rng, strings);
		last.i[p] = want_last[p] = -1;
	}

	struct wl_buf text = wl_alloc(w, "text", (uint32_t)first.i[n]);
	struct wl_buf table = wl_alloc(w, "table", a->nstates * 256 * sizeof(int32_t));

	if (wl_failed(w))
		return;
	memcpy(table.i, a->table, a->nstates * 256 * sizeof(int32_t));
	for (uint32_t p = 0; p < n; p++)
		fill(&rng, text.b + first.i[p], (uint32_t)(first.i[p + 1] - first.i[p]), strings);
	wl_upload(w, &first);
	wl_upload(w, &text);
	wl_upload(w, &table);
	wl_upload(w, &count);
	wl_upload(w, &last);
	WL_LAUNCH(w, wl_param(w, "form") ? "regx_packets_dyn" : "regx_packets",
		wl_dim(blocks < most ? blocks : most, 1, 1), wl_dim(BLOCK, 1, 1), 0, wl_p(&text),
		wl_p(&first), wl_i((int32_t)n), wl_p(&table), wl_p(&count), wl_p(&last));
	for (uint32_t p = 0; p < n; p++)
		for (int32_t at = first.i[p]; at < first.i[p + 1]; at++)
			if (any_begins(text.b + at, (uint32_t)(first.i[p + 1] - at))) {
				want_count[p]++;
				want_last[p] = at - first.i[p];
			}
	wl_check_i32(w, &count, want_count, n);
	wl_check_i32(w, &last, want_last, n);
}

const struct workload wl_regx = {
	.name = "regx",
	.cls = "DIV DYN",
	.papers = "dtbl",
	.suite = "Wang et al.",
	.summary =
		"regular expressions over packets by an automaton, flat or with kernels launched "
		"by threads",
	.params =
		{
			{"form", 0, 0, 1, "flat, or dyn: threads launch kernels"},
			{"input", 0, 0, 1, "packets: darpa or strings"},
			{"packets", 4096, 1, 1 << 20, "packets"},
			{"blocks", 104, 1, 1 << 20, "blocks of a launch, at most"},
		},
	.names = {{"form", "flat,dyn"}, {"input", "darpa,strings"}},
	.tiny = "packets=20",
	.run = run,
};
