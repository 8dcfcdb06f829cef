/* Chrome's trace format; see chrome.h. */
#include "tools/chrome.h"
#include "tools/common.h"
#include <inttypes.h>
#include <string.h>

void chrome_text(struct chrome *c, const char *text)
{
	put_json(c->f, text, strlen(text));
}

void chrome_start(struct chrome *c, FILE *f, const char *provenance)
{
	*c = (struct chrome){.f = f};
	fputs("{\"displayTimeUnit\":\"ns\",\"otherData\":{", f);
	if (provenance) {
		fputs("\"provenance\":", f);
		chrome_text(c, provenance);
	}
	fputs("},\"traceEvents\":[", f);
}

void chrome_end(struct chrome *c)
{
	fputs("\n]}\n", c->f);
}

void chrome_event(struct chrome *c, char phase, const char *name, uint32_t pid, uint32_t tid)
{
	fprintf(c->f, "%s\n{\"ph\":\"%c\",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32 ",\"name\":",
		c->some ? "," : "", phase, pid, tid);
	chrome_text(c, name);
	c->some = true;
}

void chrome_at(struct chrome *c, uint64_t cycle)
{
	fprintf(c->f, ",\"ts\":%" PRIu64, cycle);
}

void chrome_field(struct chrome *c, const char *name, const char *text)
{
	fprintf(c->f, ",\"%s\":", name);
	chrome_text(c, text);
}

void chrome_args(struct chrome *c)
{
	fputs(",\"args\":{", c->f);
}

void chrome_arg(struct chrome *c, bool first, const char *name)
{
	fprintf(c->f, "%s\"%s\":", first ? "" : ",", name);
}

void chrome_close(struct chrome *c, bool args)
{
	fputs(args ? "}}" : "}", c->f);
}

static void name(struct chrome *c, const char *what, uint32_t pid, uint32_t tid, const char *text)
{
	chrome_event(c, 'M', what, pid, tid);
	chrome_args(c);
	chrome_arg(c, true, "name");
	chrome_text(c, text);
	chrome_close(c, true);
}

static void place(struct chrome *c, const char *what, uint32_t pid, uint32_t tid, uint32_t index)
{
	chrome_event(c, 'M', what, pid, tid);
	chrome_args(c);
	chrome_arg(c, true, "sort_index");
	fprintf(c->f, "%" PRIu32, index);
	chrome_close(c, true);
}

void chrome_process(struct chrome *c, uint32_t pid, const char *text)
{
	name(c, "process_name", pid, 0, text);
	place(c, "process_sort_index", pid, 0, pid);
}

void chrome_track(struct chrome *c, uint32_t pid, uint32_t tid, const char *text)
{
	name(c, "thread_name", pid, tid, text);
	place(c, "thread_sort_index", pid, tid, tid);
}

void chrome_slice(struct chrome *c, const char *text, const char *category, uint32_t pid,
	uint32_t tid, uint64_t from, uint64_t to)
{
	chrome_event(c, 'X', text, pid, tid);
	chrome_field(c, "cat", category);
	chrome_at(c, from);
	fprintf(c->f, ",\"dur\":%" PRIu64, to - from);
	chrome_args(c);
}
