/*
 * A program that forks while it is recorded, when bytes of its record still wait in buffers. By its
 * first argument: exits (the child launches and ends by exit), again (the child starts this program
 * anew), threads (others launch at that time, and the children launch). Or before it has called
 * anything: first (the child launches, this process never), late (it launches after the child),
 * daemon (the child goes on alone).
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <sys/wait.h>
#include <unistd.h>

enum { N = 1000, LAUNCHES = 50 };

__global__ void add(int *v)
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < N)
		v[i] += 1;
}

/* Whether that many launches on memory of its own come to what they must. */
static bool work(int launches)
{
	int *v, got[N];
	bool right = !cudaMalloc(&v, sizeof(got)) && !cudaMemset(v, 0, sizeof(got));

	for (int i = 0; i < launches; i++)
		add<<<4, 256>>>(v);
	right = right && !cudaMemcpy(got, v, sizeof(got), cudaMemcpyDeviceToHost);
	for (int i = 0; i < N; i++)
		right = right && got[i] == launches;
	return right && !cudaFree(v);
}

/* A child that works, and its status; 0 is right. */
static int child_works(char *again)
{
	int status = 0;
	const pid_t child = fork();

	if (child < 0)
		return 1;
	if (!child) {
		if (again)
			execl(again, again, "alone", (char *)NULL);
		exit(again || !work(3));
	}
	return waitpid(child, &status, 0) == child ? status : 1;
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "exits";
	bool right = true, others = true;

	if (!strcmp(how, "first") || !strcmp(how, "late"))
		right = !child_works(NULL);
	else if (!strcmp(how, "daemon"))
		right = !daemon(1, 1);
	if (!strcmp(how, "first"))
		return !right;
	right = right && work(LAUNCHES);
	if (!strcmp(how, "exits"))
		right = right && !child_works(NULL);
	else if (!strcmp(how, "again"))
		right = right && !child_works(argv[0]);
	else if (!strcmp(how, "threads")) {
		std::thread t([&] { others = work(40 * LAUNCHES); });
		for (int i = 0; i < 20; i++)
			right = right && !child_works(NULL);
		t.join();
	}
	right = right && work(LAUNCHES) && others;
	if (strcmp(how, "alone"))
		puts(right ? "PASSED" : "FAILED");
	return !right;
}
