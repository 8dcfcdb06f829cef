/* The library's use in a few lines: prints the kernel and the CTAs of each launch in a trace. */
#include <stdio.h>
#include <warptrace/warptrace.h>

int main(int argc, char **argv)
{
	FILE *f = argc > 1 ? fopen(argv[1], "rb") : stdin;
	struct tr_reader *r = NULL;
	struct tr_err err = {0};
	int event = f ? tr_reader_open(&r, f, NULL, &err) : TR_EIO;

	while (event >= 0 && (event = tr_reader_next(r, &err)) > 0)
		if (event == TR_LAUNCH)
			printf("%s %llu\n",
				tr_str(tr_reader_program(r), tr_reader_program(r)->name),
				(unsigned long long)tr_launch_ctas(tr_reader_launch(r)));
	if (event < 0)
		fprintf(stderr, "%s\n", err.msg);
	tr_reader_close(r);
	return event < 0;
}
