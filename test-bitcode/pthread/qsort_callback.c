// irkiss:  ; expect: race ; forms: nopass ; lazy: yes
//
// Two threads sort their own arrays; the comparison counts itself in a global
#include <pthread.h>
#include <stdlib.h>
static int compared;
static int by_value(const void *a, const void *b)
{
	compared++; // RACE
	return *(const int *)a - *(const int *)b;
}
static void *sorter(void *arg)
{
	int own[3] = {3, 1, 2};
	qsort(own, 3, sizeof own[0], by_value);
	return arg;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, 0, sorter, 0);
	pthread_create(&b, 0, sorter, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return 0;
}
