/*
 * Any bytes as the text of a machine file, and as KEY=VALUE lines for --set: refused with a
 * sentence, or a machine each of whose keys is within its bounds and is set again by what it
 * prints.
 */
#include "must.h"
#include "sim/base/words.h"

static void check_keys(const struct sim_config *c)
{
	struct sim_config again = *c;
	struct sim_key key;
	struct tr_err err = {0};

	for (unsigned i = 0; sim_config_key(c, i, &key); i++)
		if (sim_config_set(&again, key.name, key.value, &err) < 0)
			fail_msg("%s=%s: %s", key.name, key.value, err.msg);
	assert_memory_equal(&again, c, sizeof(*c));
}

static void check_file(const char *text)
{
	struct sim_config c;
	struct tr_err err = {0};
	char base[64];
	int rc;

	memset(&c, 0, sizeof(c)); /* gaps between its fields are compared, too */
	sim_config_default(&c);
	rc = sim_config_base(text, base, sizeof(base));
	assert_true(rc <= 0 || strlen(base) < sizeof(base));
	rc = sim_config_read(&c, text, "fuzz.ini", &err);
	if (rc < 0) {
		assert_true(rc == err.code && *err.msg);
		return;
	}
	check_keys(&c);
	rc = sim_config_check(&c, &err);
	assert_true(rc == 1 || (rc == TR_EUSAGE && *err.msg));
}

static void check_sets(char *text)
{
	struct sim_config c;
	char *save = NULL;
	unsigned left = 8; /* of unknown keys, each of which is compared with all */

	memset(&c, 0, sizeof(c));
	sim_config_default(&c);
	for (char *s = strtok_r(text, "\n", &save); s && left; s = strtok_r(NULL, "\n", &save)) {
		const struct sim_config before = c;
		char *value = strchr(s, '=');
		struct tr_err err = {0};
		int rc;

		if (!value)
			continue;
		*value++ = 0;
		rc = sim_config_set(&c, s, value, &err);
		assert_true(rc == 1 || (rc == TR_EUSAGE && *err.msg));
		if (rc < 0) {
			assert_memory_equal(&c, &before, sizeof(c));
			left--;
		}
	}
	check_keys(&c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	assert_non_null(text);
	if (size)
		memcpy(text, data, size);
	text[size] = 0;
	check_file(text);
	check_sets(text);
	free(text);
	return 0;
}
