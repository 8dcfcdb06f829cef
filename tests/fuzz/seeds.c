/*
 * A fuzz target without its fuzzer, so that every run of the tests builds each target and holds it
 * to what is in tests/fuzz/seeds, to some changes of it where the target makes its own, and to
 * made bytes that tell nothing: one test a file, and one of the made bytes.
 *
 *   usage: fuzz_X FILE...
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIZE_MAX_CHANGED 65536u
#define CHANGES 8u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
	__attribute__((weak));

static uint64_t state = 88172645463325252u;

/* A fixed xorshift. */
static uint32_t next(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)(state >> 32);
}

/* What libFuzzer would bring: here one bit is flipped. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max)
{
	(void)max;
	if (size)
		data[next() % size] ^= (uint8_t)(1u << next() % 8);
	return size;
}

/* A failed assertion of a target ends the process: its number is missing then. */
static void passed(int n, const char *what)
{
	printf("ok %d %s\n", n, what);
	fflush(stdout);
}

static void run_changed(const uint8_t *data, size_t size)
{
	static uint8_t changed[SIZE_MAX_CHANGED];

	if (size > sizeof(changed))
		return;
	for (uint32_t i = 0; i < CHANGES; i++) {
		memcpy(changed, data, size);
		LLVMFuzzerTestOneInput(
			changed, LLVMFuzzerCustomMutator(changed, size, sizeof(changed), next()));
	}
}

static void run_file(const char *path)
{
	uint8_t *data = NULL;
	size_t size = 0, n;
	FILE *f = fopen(path, "rb");

	if (!f) {
		perror(path);
		exit(1);
	}
	do {
		data = realloc(data, size + BUFSIZ);
		if (!data)
			abort();
		n = fread(data + size, 1, BUFSIZ, f);
		size += n;
	} while (n);
	if (ferror(f)) { /* a folder, say: nothing would be tried */
		perror(path);
		exit(1);
	}
	fclose(f);
	LLVMFuzzerTestOneInput(data, size);
	if (LLVMFuzzerCustomMutator)
		run_changed(data, size);
	free(data);
}

/* 100 inputs of up to 400 bytes, the first of them empty. */
static void run_made(void)
{
	uint8_t data[400] = {0};

	for (size_t size = 0; size < sizeof(data); size += 4) {
		for (size_t i = 0; i < size; i++)
			data[i] = (uint8_t)next();
		LLVMFuzzerTestOneInput(data, size);
	}
}

int main(int argc, char **argv)
{
	printf("1..%d\n", argc);
	for (int i = 1; i < argc; i++) {
		run_file(argv[i]);
		passed(i, argv[i]);
	}
	run_made();
	passed(argc, "made bytes");
	return 0;
}
