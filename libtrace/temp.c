/* Temporary files; see temp.h. */
#include "temp.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *temp_folder(void)
{
	const char *folder = getenv("TMPDIR");

	return folder && *folder ? folder : "/tmp";
}

/* For file systems whose files have names: it has one while no signal can end the program. */
static int open_and_unlink(const char *folder)
{
	char name[PATH_MAX];
	sigset_t all, before;
	int fd = -1, bad = ENAMETOOLONG;

	if (snprintf(name, sizeof(name), "%s/warptrace-XXXXXX", folder) < (int)sizeof(name)) {
		sigfillset(&all);
		pthread_sigmask(SIG_SETMASK, &all, &before);
		fd = mkostemp(name, O_CLOEXEC);
		bad = errno;
		if (fd >= 0)
			unlink(name);
		pthread_sigmask(SIG_SETMASK, &before, NULL);
	}
	errno = bad;
	return fd;
}

int tr_temp_open(FILE **f, struct tr_err *err)
{
	const char *folder = temp_folder();
	int fd = open(folder, O_TMPFILE | O_RDWR | O_EXCL | O_CLOEXEC, 0600), bad;

	if (fd < 0)
		fd = open_and_unlink(folder);
	*f = fd < 0 ? NULL : fdopen(fd, "w+b");
	if (*f)
		return 1;
	bad = errno;
	if (fd >= 0)
		close(fd);
	return tr_fail(
		err, TR_EIO, 0, "cannot make a temporary file in '%s': %s", folder, strerror(bad));
}

void tr_temp_drop(FILE *f)
{
	if (!f)
		return;
	__fpurge(f);
	fclose(f);
}

int tr_temp_failed(struct tr_err *err)
{
	return tr_fail(err, TR_EIO, 0, "cannot use a temporary file in '%s': %s", temp_folder(),
		strerror(errno));
}
