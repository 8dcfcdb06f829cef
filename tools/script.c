/* Scripts of launches; see script.h. They are executed line by line. */
#include "tools/script.h"
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#ifdef TR_FUZZING
#define PASSES_MAX 100
#else
#define PASSES_MAX 1000000 /* of all loops: a script that never ends is stopped */
#endif
#define VARIABLES_MAX 64
#define WORDS_MAX (LAUNCH_ARGS_MAX + 8)
#define DEPTH_MAX 100 /* of parentheses */

struct line {
	unsigned number; /* in the file, from 1 */
	char *text;      /* without its remark */
	unsigned other;  /* of while and if: the line of its end; of an end: where it begins */
	const struct command *command;
};

struct variable {
	char *name;
	int64_t value;
};

struct script {
	const char *path;
	char *text; /* the file; lines point into it */
	struct line *lines;
	unsigned n;
	struct variable variables[VARIABLES_MAX];
	unsigned nvariables;
	unsigned passes;
	struct kernels *kernels;
};

static size_t word_length(const char *text)
{
	size_t n = 0;

	while (isalnum((unsigned char)text[n]) || text[n] == '_')
		n++;
	return n;
}

static const char *blanks(const char *p)
{
	return p + strspn(p, " \t\r");
}

/* ---- expressions ---- */

struct reader {
	const struct script *script;
	const char *at;
	unsigned depth;
};

static int64_t comparison(struct reader *r);

static bool accept(struct reader *r, const char *token)
{
	r->at = blanks(r->at);
	if (strncmp(r->at, token, strlen(token)))
		return false;
	r->at += strlen(token);
	return true;
}

static void expect(struct reader *r, const char *token)
{
	if (!accept(r, token))
		die(EXIT_BAD, "'%s' is missing at '%s'", token, r->at);
}

/* Its number, or that of the next new one. */
static unsigned variable_find(const struct script *s, const char *name, size_t len)
{
	unsigned i = 0;

	while (i < s->nvariables && (strlen(s->variables[i].name) != len ||
					    strncmp(s->variables[i].name, name, len) != 0))
		i++;
	return i;
}

/* The buffer's 32-bit word, as the host reads it back. */
static int64_t word_of(const struct script *s, const char *name, size_t len, int64_t index)
{
	const struct buffers *all = &s->kernels->buffers;
	const int i = buffer_find(all, name, len);
	struct tr_err err = {0};
	uint32_t word;

	if (i < 0)
		die(EXIT_BAD, "there is no buffer '%.*s'", (int)len, name);
	if (index < 0 || (uint64_t)index >= all->v[i].bytes / sizeof(word))
		die(EXIT_BAD, "word %" PRId64 " of buffer '%s', which has %" PRIu64, index,
			all->v[i].name, all->v[i].bytes / sizeof(word));
	if (ptx_copy_out(s->kernels->machine, &word,
		    all->v[i].address + (uint64_t)index * sizeof(word), sizeof(word), &err) < 0)
		die_err(&err, NULL);
	return word;
}

static int64_t named(struct reader *r)
{
	const char *name = r->at;
	const size_t len = word_length(name);
	unsigned v;
	int64_t value;

	r->at += len;
	if (*r->at == '[') {
		r->at++;
		value = comparison(r);
		expect(r, "]");
		return word_of(r->script, name, len, value);
	}
	v = variable_find(r->script, name, len);
	if (v == r->script->nvariables)
		die(EXIT_BAD, "there is no variable '%.*s'", (int)len, name);
	return r->script->variables[v].value;
}

static int64_t number(struct reader *r)
{
	char *end;
	uint64_t value;

	errno = 0;
	value = strtoull(r->at, &end, 0);
	if (errno || value > INT64_MAX)
		die(EXIT_BAD, "'%.*s' is more than %" PRId64 ", the most that a value can be",
			(int)(end - r->at), r->at, INT64_MAX);
	r->at = end;
	return (int64_t)value;
}

static int64_t primary(struct reader *r)
{
	int64_t value;

	if (++r->depth > DEPTH_MAX)
		die(EXIT_BAD, "more than %d parentheses in one another", DEPTH_MAX);
	if (accept(r, "-")) {
		value = (int64_t)(0 - (uint64_t)primary(r));
	} else if (accept(r, "(")) {
		value = comparison(r);
		expect(r, ")");
	} else if (isdigit((unsigned char)*r->at)) {
		value = number(r);
	} else if (word_length(r->at)) {
		value = named(r);
	} else {
		die(EXIT_BAD, "a value is missing at '%s'", r->at);
	}
	r->depth--;
	return value;
}

static int64_t divided(int64_t a, int64_t b, bool rest)
{
	if (!b)
		die(EXIT_BAD, "division by 0");
	if (b == -1)
		return rest ? 0 : (int64_t)(0 - (uint64_t)a);
	return rest ? a % b : a / b;
}

static int64_t product(struct reader *r)
{
	int64_t value = primary(r);

	for (;;) {
		if (accept(r, "*"))
			value = (int64_t)((uint64_t)value * (uint64_t)primary(r));
		else if (accept(r, "/"))
			value = divided(value, primary(r), false);
		else if (accept(r, "%"))
			value = divided(value, primary(r), true);
		else
			return value;
	}
}

static int64_t sum(struct reader *r)
{
	int64_t value = product(r);

	for (;;) {
		if (accept(r, "+"))
			value = (int64_t)((uint64_t)value + (uint64_t)product(r));
		else if (accept(r, "-"))
			value = (int64_t)((uint64_t)value - (uint64_t)product(r));
		else
			return value;
	}
}

static int64_t comparison(struct reader *r)
{
	const int64_t value = sum(r);

	if (accept(r, "=="))
		return value == sum(r);
	if (accept(r, "!="))
		return value != sum(r);
	if (accept(r, "<="))
		return value <= sum(r);
	if (accept(r, ">="))
		return value >= sum(r);
	if (accept(r, "<"))
		return value < sum(r);
	if (accept(r, ">"))
		return value > sum(r);
	return value;
}

/* The value of all of text. */
static int64_t evaluate(const struct script *s, const char *text)
{
	struct reader r = {.script = s, .at = text};
	const int64_t value = comparison(&r);

	if (*blanks(r.at))
		die(EXIT_BAD, "'%s' is left over in '%s'", r.at, text);
	return value;
}

/* Puts the values of $VARIABLE and $(EXPRESSION) into a copy of text; caller frees. */
static char *expand(const struct script *s, const char *text)
{
	struct reader r = {.script = s};
	char *out;
	FILE *f = text_start(&out);

	while (*text) {
		if (*text != '$') {
			fputc(*text++, f);
			continue;
		}
		r.at = text + 1;
		if (*r.at != '(' && !word_length(r.at))
			die(EXIT_BAD, "'%s' is no $VARIABLE and no $(EXPRESSION)", text);
		fprintf(f, "%" PRId64, *r.at == '(' ? primary(&r) : named(&r));
		text = r.at;
	}
	text_end(f, &out);
	return out;
}

/* ---- commands: words are those after the command's name. 1 or TR_E* ---- */

static int do_buffer(struct kernels *k, char **words, unsigned n, struct tr_err *err)
{
	(void)n;
	return buffer_make(
		&k->buffers, buffer_parse(&k->buffers, words[0], "buffer"), k->machine, err);
}

static int do_symbol(struct kernels *k, char **words, unsigned n, struct tr_err *err)
{
	struct symbol s;
	int rc;

	(void)n;
	symbol_parse(&s, &k->buffers, words[0]);
	rc = symbol_write(&s, k, err);
	symbol_free(&s);
	return rc;
}

static uint64_t address_of(const struct kernels *k, const char *text)
{
	const struct buffer_at at = buffer_at_parse(&k->buffers, text, text);

	return k->buffers.v[at.buffer].address + at.offset;
}

static int do_write(struct kernels *k, char **words, unsigned n, struct tr_err *err)
{
	const uint64_t to = address_of(k, words[0]);
	struct contents c;
	int rc;

	(void)n;
	contents_parse(&c, &k->buffers, words[1]);
	contents_resolve(&c, &k->buffers);
	rc = ptx_copy_in(k->machine, to, c.bytes, c.n, err);
	contents_free(&c);
	return rc;
}

static int do_copy(struct kernels *k, char **words, unsigned n, struct tr_err *err)
{
	const uint64_t to = address_of(k, words[0]), from = address_of(k, words[1]);
	const uint64_t bytes = parse_size(words[2], "copy");
	const void *host = ptx_host(k->machine, from, bytes);

	(void)n;
	if (!host)
		return tr_fail(
			err, TR_EUSAGE, 0, "copy: '%s' has no %" PRIu64 " bytes", words[1], bytes);
	return ptx_copy_in(k->machine, to, host, bytes, err);
}

static int do_launch(struct kernels *k, char **words, unsigned n, struct tr_err *err)
{
	struct launch *at = must_alloc(1, sizeof(*at));
	unsigned i = 3;
	int rc;

	at->entry = words[0];
	launch_shape(at->grid, words[1], "GRID");
	launch_shape(at->block, words[2], "BLOCK");
	for (; i < n; i++) {
		if (!strncmp(words[i], "shared=", 7))
			at->shared = launch_shared(words[i] + 7, "shared");
		else if (!strncmp(words[i], "cluster=", 8))
			launch_shape(at->cluster, words[i] + 8, "cluster");
		else
			break;
	}
	for (; i < n; i++)
		launch_arg(at, &k->buffers, words[i]);
	launch_check(at, k);
	rc = launch_run(at, k, err);
	launch_free(at);
	free(at);
	return rc;
}

static int do_dump(struct kernels *k, char **words, unsigned n, struct tr_err *err)
{
	const int i = buffer_find(&k->buffers, words[0], strlen(words[0]));
	struct output o;

	(void)n;
	(void)err;
	if (i < 0)
		die(EXIT_BAD, "there is no buffer '%s'", words[0]);
	output_open(&o, words[1], true);
	buffer_dump(&k->buffers, i, k->machine, o.f);
	output_close(&o);
	return 1;
}

static const struct command {
	const char *name, *form;
	unsigned min, max; /* words; max 0: the rest of the line is an expression */
	int (*run)(struct kernels *k, char **words, unsigned n, struct tr_err *err);
} commands[] = {
	{"buffer", "NAME=buf:BYTES[:FILL], NAME=file:PATH or NAME=ref:PARTS", 1, 1, do_buffer},
	{"symbol", "NAME=CONTENTS", 1, 1, do_symbol},
	{"write", "@NAME[+OFFSET] CONTENTS", 2, 2, do_write},
	{"copy", "@TO[+OFFSET] @FROM[+OFFSET] BYTES", 3, 3, do_copy},
	{"launch", "ENTRY GRID BLOCK [shared=BYTES] [cluster=X,Y,Z] ARGUMENT...", 3, WORDS_MAX,
		do_launch},
	{"dump", "NAME FILE", 2, 2, do_dump},
	{"let", "VARIABLE EXPRESSION", 2, 0, NULL},
	{"while", "EXPRESSION", 1, 0, NULL},
	{"if", "EXPRESSION", 1, 0, NULL},
	{"end", "nothing", 0, 0, NULL},
};
#define NCOMMANDS (sizeof(commands) / sizeof(commands[0]))

static bool is(const struct line *l, const char *command)
{
	return word_length(l->text) == strlen(command) &&
	       !strncmp(l->text, command, strlen(command));
}

static const struct command *command_of(const struct line *l)
{
	for (unsigned i = 0; i < NCOMMANDS; i++)
		if (is(l, commands[i].name))
			return &commands[i];
	return NULL;
}

/* ---- reading ---- */

/*
 * How long the word is that text begins with. Blanks within the brackets of what $ stands before
 * part no words; once it is expanded there is no $ any more.
 */
static size_t length_of(const char *text)
{
	unsigned depth = 0;
	bool value = false;
	size_t n = 0;

	for (; text[n] && (depth || !strchr(" \t\r", text[n])); n++) {
		value |= text[n] == '$';
		if (value && strchr("([", text[n]))
			depth++;
		else if (depth && strchr(")]", text[n]))
			depth--;
	}
	return n;
}

/* The command has as many words as it takes, never more than WORDS_MAX. */
static void check_words(const struct command *c, const char *text)
{
	unsigned n = 0;

	for (text = blanks(text); *text; text = blanks(text + length_of(text)))
		n++;
	if (n < c->min || (c->max && n > c->max) || (!c->min && n))
		die(EXIT_BAD, "%s wants %s", c->name, c->form);
}

static void check_line(struct line *l)
{
	const char *names[NCOMMANDS + 1] = {NULL}, *like;
	const struct command *c = command_of(l);
	char *word = must_printf("%.*s", (int)strcspn(l->text, " \t\r"), l->text);

	l->command = c;
	for (unsigned i = 0; i < NCOMMANDS; i++)
		names[i] = commands[i].name;
	like = c ? NULL : nearest(word, names);
	if (!c)
		die(EXIT_BAD, "unknown command '%s'%s%s%s", word, like ? ", did you mean '" : "",
			like ? like : "", like ? "'?" : "");
	check_words(c, l->text + strlen(c->name));
	free(word);
}

/* Notes of each while and if where it ends. */
static void pair_lines(struct script *s)
{
	unsigned *open = must_alloc(s->n + (size_t)1, sizeof(*open)), depth = 0;

	for (unsigned i = 0; i < s->n; i++) {
		struct line *l = &s->lines[i];

		error_place(s->path, l->number);
		check_line(l);
		if (is(l, "while") || is(l, "if")) {
			open[depth++] = i;
		} else if (is(l, "end")) {
			if (!depth)
				die(EXIT_BAD, "end without while or if");
			l->other = open[--depth];
			s->lines[l->other].other = i;
		}
	}
	if (depth) {
		error_place(s->path, s->lines[open[depth - 1]].number);
		die(EXIT_BAD, "this has no end");
	}
	free(open);
	error_place(NULL, 0);
}

struct script *script_read(const char *path)
{
	struct script *s = must_alloc(1, sizeof(*s));
	unsigned number = 0;

	s->path = path;
	s->text = text_read(path);
	for (char *p = s->text, *next; p; p = next) {
		char *text = (char *)blanks(p), *remark;

		next = strchr(p, '\n');
		if (next)
			*next++ = 0;
		number++;
		remark = strchr(text, '#');
		if (remark)
			*remark = 0;
		if (!*text || text == remark)
			continue;
		s->lines = must_realloc(s->lines, s->n + (size_t)1, sizeof(*s->lines));
		s->lines[s->n++] = (struct line){.number = number, .text = text};
	}
	pair_lines(s);
	return s;
}

void script_free(struct script *s)
{
	if (!s)
		return;
	for (unsigned i = 0; i < s->nvariables; i++)
		free(s->variables[i].name);
	free(s->lines);
	free(s->text);
	free(s);
}

/* ---- the run ---- */

static void let(struct script *s, const char *text)
{
	const char *name = blanks(text);
	const size_t len = word_length(name);
	const int64_t value = evaluate(s, name + len);
	const unsigned v = variable_find(s, name, len);

	if (!len || isdigit((unsigned char)*name))
		die(EXIT_BAD, "let wants VARIABLE EXPRESSION");
	if (v == VARIABLES_MAX)
		die(EXIT_BAD, "more than %d variables", VARIABLES_MAX);
	if (v == s->nvariables)
		s->variables[s->nvariables++].name = must_printf("%.*s", (int)len, name);
	s->variables[v].value = value;
}

static int run_command(
	struct script *s, const struct command *c, const char *text, struct tr_err *err)
{
	char *words[WORDS_MAX], *expanded = expand(s, text), *at = (char *)blanks(expanded);
	unsigned n = 0;
	int rc;

	check_words(c, expanded);
	while (*at) {
		words[n++] = at;
		at += length_of(at);
		if (*at)
			*at++ = 0;
		at = (char *)blanks(at);
	}
	rc = c->run(s->kernels, words, n, err);
	free(expanded);
	return rc;
}

/* The line that is next; *rc is 1 or TR_E*. */
static unsigned step(struct script *s, unsigned i, int *rc, struct tr_err *err)
{
	const struct line *l = &s->lines[i];
	const struct command *c = l->command;
	const char *text = l->text + strlen(c->name);

	if (c->run) {
		*rc = run_command(s, c, text, err);
	} else if (is(l, "let")) {
		let(s, text);
	} else if (is(l, "end")) {
		if (is(&s->lines[l->other], "while"))
			return l->other;
	} else if (!evaluate(s, text)) {
		return l->other + 1;
	} else if (is(l, "while") && ++s->passes > PASSES_MAX) {
		die(EXIT_BAD, "the script's loops have gone round %d times", PASSES_MAX);
	}
	return i + 1;
}

int script_run(struct script *s, struct kernels *k, struct tr_err *err)
{
	int rc = 1;

	s->kernels = k;
	for (unsigned i = 0; rc >= 0 && i < s->n;) {
		error_place(s->path, s->lines[i].number);
		i = step(s, i, &rc, err);
	}
	if (rc >= 0)
		error_place(NULL, 0);
	return rc;
}
