/* Temporary files: where TMPDIR says, without a name, and a sentence where there can be none. */
#include "libtrace/temp.h"
#include <dirent.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static unsigned entries(const char *folder)
{
	DIR *d = opendir(folder);
	unsigned n = 0;

	assert_non_null(d);
	while (readdir(d))
		n++;
	closedir(d);
	return n;
}

static void test_folder(void **state)
{
	char folder[] = "/tmp/test-temp-XXXXXX", text[8] = "";
	struct tr_err err = {0};
	struct stat at, of;
	FILE *f;

	(void)state;
	assert_non_null(mkdtemp(folder));
	assert_int_equal(setenv("TMPDIR", folder, 1), 0);
	assert_int_equal(tr_temp_open(&f, &err), 1);
	assert_int_equal(entries(folder), 2); /* . and .. */
	assert_int_equal(stat(folder, &at), 0);
	assert_int_equal(fstat(fileno(f), &of), 0);
	assert_int_equal(at.st_dev, of.st_dev);
	assert_int_equal(of.st_nlink, 0);
	assert_int_equal(fputs("abc", f) >= 0 && !fseek(f, 0, SEEK_SET), 1);
	assert_string_equal(fgets(text, sizeof(text), f), "abc");
	fclose(f);
	assert_int_equal(rmdir(folder), 0);
	assert_int_equal(tr_temp_open(&f, &err), TR_EIO);
	assert_non_null(strstr(err.msg, "cannot make a temporary file in '/tmp/test-temp-"));
	assert_non_null(strstr(err.msg, strerror(ENOENT)));
	assert_int_equal(setenv("TMPDIR", "", 1), 0);
	assert_int_equal(tr_temp_open(&f, &err), 1);
	fclose(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_folder)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
