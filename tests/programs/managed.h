/* What managed.cu and managed_other.cu know of each other. */
enum { WORDS = 64 };

extern __managed__ int count;
extern __managed__ double table[WORDS];
__device__ void note(int i);
bool other_sees(int n);
void other_adds(int n);
