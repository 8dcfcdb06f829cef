/*
 * Holds a file of UTF-8 to JSON (RFC 8259) and to the rules of Chrome's trace format that Perfetto
 * reads, and says what breaks them. Prints how many events of each phase there are. For the tests.
 */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum type { OBJECT, ARRAY, STRING, NUMBER, WORD };

struct node {
	enum type type;
	char *key, *text; /* text: of a string, a number or a word */
	struct node *child, *next;
};

static const char *at, *begin;

static _Noreturn void bad(const char *fmt, ...)
{
	va_list ap;

	printf("byte %zu: ", (size_t)(at - begin));
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	exit(1);
}

/* ---- JSON ---- */

static void space(void)
{
	while (*at == ' ' || *at == '\n' || *at == '\t' || *at == '\r')
		at++;
}

static char *copy(const char *from, size_t n)
{
	char *to = calloc(n + 1, 1);

	memcpy(to, from, n);
	return to;
}

static char *string(void)
{
	const char *from = ++at;

	for (; *at != '"'; at++) {
		if ((unsigned char)*at < ' ')
			bad("a control character in a string");
		if (*at != '\\')
			continue;
		at++;
		if (*at == 'u') {
			for (int i = 1; i <= 4; i++)
				if (!isxdigit((unsigned char)at[i]))
					bad("no four digits after \\u");
			at += 4;
		} else if (!*at || !strchr("\"\\/bfnrt", *at)) {
			bad("no such escape");
		}
	}
	return copy(from, (size_t)(at++ - from));
}

static void digits(void)
{
	if (!isdigit((unsigned char)*at))
		bad("a digit is missing");
	while (isdigit((unsigned char)*at))
		at++;
}

static char *number(void)
{
	const char *from = at;

	at += *at == '-';
	if (*at == '0' && isdigit((unsigned char)at[1]))
		bad("a number begins with 0");
	digits();
	if (*at == '.') {
		at++;
		digits();
	}
	if (*at == 'e' || *at == 'E') {
		at++;
		at += *at == '+' || *at == '-';
		digits();
	}
	return copy(from, (size_t)(at - from));
}

static struct node *value(int depth);

static struct node *members(char end, int depth)
{
	struct node *first = NULL, **last = &first;

	at++;
	space();
	while (*at != end) {
		char *key = NULL;

		if (end == '}') {
			if (*at != '"')
				bad("a key is missing");
			key = string();
			for (struct node *n = first; n; n = n->next)
				if (!strcmp(n->key, key))
					bad("the key '%s' comes twice", key);
			space();
			if (*at++ != ':')
				bad("no colon");
		}
		*last = value(depth + 1);
		(*last)->key = key;
		last = &(*last)->next;
		space();
		if (*at == ',') {
			at++;
			space();
			if (*at == end)
				bad("a comma too many");
		} else if (*at != end) {
			bad("neither a comma nor an end");
		}
	}
	at++;
	return first;
}

static struct node *value(int depth)
{
	static const char *const words[] = {"true", "false", "null"};
	struct node *n = calloc(1, sizeof(*n));

	if (depth > 8)
		bad("deeper than the format goes");
	space();
	if (*at == '{' || *at == '[') {
		n->type = *at == '{' ? OBJECT : ARRAY;
		n->child = members(*at == '{' ? '}' : ']', depth);
		return n;
	}
	if (*at == '"') {
		n->type = STRING;
		n->text = string();
		return n;
	}
	n->type = WORD;
	for (int i = 0; i < 3; i++)
		if (!strncmp(at, words[i], strlen(words[i]))) {
			n->text = copy(at, strlen(words[i]));
			at += strlen(words[i]);
			return n;
		}
	n->type = NUMBER;
	n->text = number();
	return n;
}

/* ---- events ---- */

static struct node *find(const struct node *object, const char *key)
{
	for (struct node *n = object->child; n; n = n->next)
		if (!strcmp(n->key, key))
			return n;
	return NULL;
}

static unsigned long which; /* event */

static const char *want(const struct node *e, const char *key, enum type type)
{
	const struct node *n = find(e, key);

	if (!n || n->type != type)
		bad("event %lu: no %s, or of another type", which, key);
	return n->text;
}

static unsigned long long whole(const struct node *e, const char *key)
{
	const char *text = want(e, key, NUMBER);

	if (strspn(text, "0123456789") != strlen(text))
		bad("event %lu: %s is no whole number", which, key);
	return strtoull(text, NULL, 10);
}

struct slice {
	unsigned long long pid, tid, from, to;
};
static struct slice *slices;
static size_t nslices;
static char names[1 << 21]; /* "|process:pid|track:pid:tid|b:pid:id" of what was seen */
static size_t nnames;

static int by_track(const void *a, const void *b)
{
	const struct slice *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return x->from < y->from ? -1 : x->from > y->from;
}

static int has(const char *name)
{
	return strstr(names, name) != NULL;
}

static void add(const char *name)
{
	if (nnames + strlen(name) + 1 > sizeof(names))
		bad("too many names for this checker");
	nnames += (size_t)sprintf(names + nnames, "%s", name);
}

static void check(const struct node *e)
{
	static const char *const metadata[] = {
		"process_name", "process_sort_index", "thread_name", "thread_sort_index", NULL};
	const char *ph, *name;
	const struct node *args = find(e, "args");
	unsigned long long pid, tid;
	char text[256];
	int i = 0;

	if (e->type != OBJECT)
		bad("event %lu is no object", which);
	ph = want(e, "ph", STRING);
	name = want(e, "name", STRING);
	pid = whole(e, "pid");
	tid = whole(e, "tid");
	if (strlen(ph) != 1 || !strchr("XiCbeM", *ph))
		bad("event %lu: no phase '%s' is used here", which, ph);
	if (args && args->type != OBJECT)
		bad("event %lu: args is no object", which);
	if (*ph == 'M') {
		while (metadata[i] && strcmp(metadata[i], name))
			i++;
		if (!metadata[i] || !args)
			bad("event %lu: no such metadata '%s'", which, name);
		if (strstr(name, "sort"))
			whole(args, "sort_index");
		else
			want(args, "name", STRING);
		sprintf(text, i < 2 ? "|process:%llu|" : "|track:%llu:%llu|", pid, tid);
		if (!has(text))
			add(text);
		return;
	}
	sprintf(text, "|process:%llu|", pid);
	if (!has(text))
		bad("event %lu: process %llu has no name", which, pid);
	whole(e, "ts");
	if (*ph == 'C') {
		if (!args || !args->child)
			bad("event %lu: a counter without a value", which);
		for (const struct node *n = args->child; n; n = n->next)
			if (n->type != NUMBER)
				bad("event %lu: the counter %s is no number", which, n->key);
		return;
	}
	sprintf(text, "|track:%llu:%llu|", pid, tid);
	if (!has(text))
		bad("event %lu: track %llu of process %llu has no name", which, tid, pid);
	if (*ph == 'X') {
		want(e, "cat", STRING);
		if (!whole(e, "dur"))
			bad("event %lu: a slice takes no time", which);
		slices = realloc(slices, (nslices + 1) * sizeof(*slices));
		slices[nslices++] =
			(struct slice){pid, tid, whole(e, "ts"), whole(e, "ts") + whole(e, "dur")};
	} else if (*ph == 'i') {
		if (strcmp(want(e, "s", STRING), "t"))
			bad("event %lu: an instant that is not of its track", which);
	} else {
		want(e, "cat", STRING);
		snprintf(text, sizeof(text), "|%c:%llu:%s|", *ph, pid, want(e, "id", STRING));
		if (has(text))
			bad("event %lu: '%s' comes twice", which, text);
		if (*ph == 'e') {
			text[1] = 'b';
			if (!has(text))
				bad("event %lu: it ends and has not begun", which);
			text[1] = 'e';
		}
		add(text);
	}
}

int main(int argc, char **argv)
{
	unsigned long counts[128] = {0};
	FILE *f = fopen(argc == 2 ? argv[1] : "", "rb");
	const struct node *root, *events;
	size_t n = 0, cap = 1 << 16;
	char *text = malloc(cap + 1);

	if (!f)
		return 2;
	while ((n += fread(text + n, 1, cap - n, f)) == cap)
		text = realloc(text, (cap *= 2) + 1);
	fclose(f);
	text[n] = 0;
	begin = at = text;
	root = value(0);
	space();
	if (at != text + n)
		bad("something follows the end");
	if (root->type != OBJECT || !(events = find(root, "traceEvents")) || events->type != ARRAY)
		bad("no list of events");
	for (const struct node *e = events->child; e; e = e->next, which++) {
		check(e);
		counts[(unsigned char)*want(e, "ph", STRING)]++;
	}
	if (counts['b'] != counts['e'])
		bad("%lu begin, %lu end", counts['b'], counts['e']);
	if (nslices)
		qsort(slices, nslices, sizeof(*slices), by_track);
	for (size_t i = 1; i < nslices; i++)
		if (slices[i].pid == slices[i - 1].pid && slices[i].tid == slices[i - 1].tid &&
			slices[i].from < slices[i - 1].to)
			bad("two slices at a time: process %llu, track %llu, time %llu",
				slices[i].pid, slices[i].tid, slices[i].from);
	printf("X %lu i %lu C %lu b %lu M %lu\n", counts['X'], counts['i'], counts['C'],
		counts['b'], counts['M']);
	return 0;
}
