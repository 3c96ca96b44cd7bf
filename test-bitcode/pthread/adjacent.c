// irkiss: --work 400k ; expect: none ; forms: nopass ; lazy: yes
//
// Two threads fill neighbouring elements; every call is checked and ends in abort
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
static unsigned long pair[2];
static void *left(void *a) { pair[0] = 1; return a; }
static void *right(void *a) { pair[1] = 1; return a; }
int main(int argc, char *argv[])
{
	pthread_t l, r;
	if (pthread_create(&l, NULL, left, NULL)) abort();
	if (pthread_create(&r, NULL, right, NULL)) abort();
	if (pthread_join(l, NULL)) abort();
	if (pthread_join(r, NULL)) abort();
	assert(pair[0] == 1);
	assert(pair[1] == 1);
	return 0;
}
