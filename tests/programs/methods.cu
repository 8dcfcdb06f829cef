/*
 * Virtual functions that call virtual functions, held against the same on the CPU: prices of shapes
 * call other functions of the shape and nothing calls itself; expressions are trees, whose values
 * are sums and products of others' values or numbers; and a function is given either.
 */
#include <cstdio>
#include <cstdlib>

#define BOTH __host__ __device__

struct shape {
	BOTH virtual float area() const = 0;
	BOTH virtual float price(float each) const = 0;
};
struct square : shape {
	float side;
	BOTH square(float s) : side(s) {}
	BOTH float area() const override { return side * side; }
	BOTH float price(float each) const override { return each * area(); }
};
struct ticket : shape {
	float cost;
	BOTH ticket(float c) : cost(c) {}
	BOTH float area() const override { return 1; }
	BOTH float price(float) const override { return cost; }
};
struct framed : shape {
	const shape *of;
	BOTH framed(const shape *s) : of(s) {}
	BOTH float area() const override { return of->area() + 2; }
	BOTH float price(float each) const override { return of->price(each) + each * area(); }
};

/* Values in several words, of which some are smaller than a word. */
struct value {
	long long n;
	int depth;
	unsigned char leaves;
};

struct node {
	BOTH virtual value of(value x) const = 0;
};
struct number : node {
	int v;
	BOTH number(int n) : v(n) {}
	BOTH value of(value x) const override
	{
		value r = {v + x.n, 1, 1};
		return r;
	}
};
struct two : node {
	const node *a, *b;
	BOTH two(const node *p, const node *q) : a(p), b(q) {}
	BOTH static value joined(long long n, value l, value r)
	{
		value v = {n, (l.depth > r.depth ? l.depth : r.depth) + 1,
			(unsigned char)(l.leaves + r.leaves)};
		return v;
	}
};
struct plus : two {
	BOTH plus(const node *p, const node *q) : two(p, q) {}
	BOTH value of(value x) const override
	{
		const value l = a->of(x);
		x.n += l.depth;
		const value r = b->of(x);
		return joined(l.n + r.n, l, r);
	}
};
struct times : two {
	BOTH times(const node *p, const node *q) : two(p, q) {}
	BOTH value of(value x) const override
	{
		int kept[4];
		for (int i = 0; i < 4; i++)
			kept[i] = (int)x.n * i + 1;
		const value r = b->of(x), l = a->of(x);
		return joined(l.n * r.n % 1000003 + kept[r.leaves & 3], l, r);
	}
};

BOTH float prices(int t)
{
	square s(t + 1);
	ticket c(100 + t);
	framed f(&s), g(&c), h(&g);
	const shape *all[] = {&s, &c, &f, &g, &h};
	return all[t % 5]->price(2) + all[t % 3]->area();
}

BOTH long long trees(int t)
{
	number one(10), other(t), third(-7);
	plus p(&one, &other), pp(&p, &third);
	times m(&p, &other), mp(&pp, &m);
	plus top(&mp, &p);
	const node *all[] = {&one, &p, &m, &pp, &mp, &top, &other};
	value x = {t, 0, 0};
	const value v = all[t % 7]->of(x), w = all[(t + 3) % 7]->of(v);
	return w.n * 1000 + w.depth * 100 + w.leaves + v.n;
}

typedef int (*function)(int);

BOTH int twice(int n)
{
	return 2 * n;
}

BOTH int sum(int n)
{
	return n <= 0 ? 1000 : sum(n - 1) * 3 % 1009 + n;
}

BOTH int other_sum(int n)
{
	return n <= 1 ? 7 : other_sum(n - 2) + other_sum(n - 1) % 10;
}

BOTH int chosen(int t)
{
	const function all[] = {twice, sum, other_sum};
	return all[t % 3](t % 11) + all[(t + 1) % 3](t % 5);
}

__global__ void run(float *f, long long *n, int *c)
{
	const int t = threadIdx.x;
	f[t] = prices(t);
	n[t] = trees(t);
	c[t] = chosen(t);
}

int main()
{
	enum { N = 96 };
	float *f;
	long long *n;
	int *c, bad = 0;
	cudaMallocManaged(&f, N * sizeof *f);
	cudaMallocManaged(&n, N * sizeof *n);
	cudaMallocManaged(&c, N * sizeof *c);
	cudaDeviceSetLimit(cudaLimitStackSize, 16384);
	run<<<1, N>>>(f, n, c);
	if (cudaDeviceSynchronize() != cudaSuccess)
		return 1;
	for (int t = 0; t < N; t++)
		bad += f[t] != prices(t) || n[t] != trees(t) || c[t] != chosen(t);
	puts(bad ? "FAILED" : "PASSED");
	return bad != 0;
}
