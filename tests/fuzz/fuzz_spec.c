/*
 * Any text as what stands after --scheduler, --warp, --priority, --cache, --rule and --order:
 * refused with a sentence, or parameters within their bounds that are read again as they print.
 */
#include "must.h"
#include "sim/access/coalesce.h"
#include "sim/access/warps.h"
#include "sim/sched/table.h"
#include "sim/warp/table.h"

/* "name:a=1,b=word" of all parameters. */
static void print_spec(char *out, size_t size, const char *name, const struct sim_param *params,
	const int64_t *values)
{
	size_t n = (size_t)snprintf(out, size, "%s", name);

	for (int i = 0; i < SIM_PARAMS && params[i].name; i++) {
		char value[64];

		assert_true(values[i] >= params[i].min && values[i] <= params[i].max);
		sim_param_value(&params[i], values[i], value, sizeof(value));
		n += (size_t)snprintf(
			out + n, size - n, "%c%s=%s", i ? ',' : ':', params[i].name, value);
	}
}

static void check_refusal(int rc, const struct tr_err *err)
{
	assert_true(rc == TR_EUSAGE && err->code == rc && *err->msg);
}

static void check_sched(const char *text)
{
	const struct sim_sched *p, *same;
	int64_t values[SIM_PARAMS], again[SIM_PARAMS];
	struct tr_err err = {0};
	char spec[1024];
	const int rc = sim_sched_parse(text, &p, values, &err);

	if (rc < 0) {
		check_refusal(rc, &err);
		return;
	}
	print_spec(spec, sizeof(spec), p->name, p->params, values);
	assert_int_equal(sim_sched_parse(spec, &same, again, &err), 1);
	assert_true(same == p);
	assert_memory_equal(values, again, sizeof(values));
}

static void check_warp(const char *text)
{
	const struct sim_warp_policy *p, *same;
	int64_t values[SIM_PARAMS], again[SIM_PARAMS];
	struct sim_config c;
	struct tr_err err = {0};
	char spec[1024];
	const int rc = sim_warp_policy_parse(text, &p, values, &err);
	struct sim_shape shape;

	if (rc < 0) {
		check_refusal(rc, &err);
		return;
	}
	print_spec(spec, sizeof(spec), p->name, p->params, values);
	assert_int_equal(sim_warp_policy_parse(spec, &same, again, &err), 1);
	assert_true(same == p);
	assert_memory_equal(values, again, sizeof(values));
	sim_config_default(&c);
	if (sim_warp_policy_shape(p, &c, values, &shape, &err) > 0)
		assert_true(shape.lanes <= TR_LANES_MAX && shape.widest);
	else
		check_refusal(TR_EUSAGE, &err);
}

static void check_names(const char *text)
{
	struct sim_geometry g;
	enum sim_priority priority;
	enum sim_order order;
	enum sim_rule rule;
	struct tr_err err = {0};
	int rc = sim_geometry_parse(&g, text, &err);

	if (rc < 0)
		check_refusal(rc, &err);
	else if (g.sets)
		assert_true(
			g.ways && !(g.sets & (g.sets - 1)) && !(g.line_bytes & (g.line_bytes - 1)));
	err = (struct tr_err){0};
	rc = sim_priority_parse(text, &priority, &err);
	if (rc < 0)
		check_refusal(rc, &err);
	else
		assert_string_equal(sim_priority_name(priority), text);
	if (sim_order_parse(&order, text) > 0)
		assert_string_equal(sim_order_name(order), text);
	if (sim_rule_parse(&rule, text) > 0)
		assert_string_equal(sim_rule_name(rule), text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	assert_non_null(text);
	if (size)
		memcpy(text, data, size);
	text[size] = 0;
	check_sched(text);
	check_warp(text);
	check_names(text);
	free(text);
	return 0;
}
