// irkiss: --tier contexts --contexts 1 ; expect: unknown ; forms: nopass ; lazy: yes
//
// As many workers as the command line says, each with a slot of its own; the sum is made after all joins
#include <pthread.h>
#include <stdlib.h>
#include <stdio.h>
struct slot { int number; long sum; };
static void *worker(void *arg)
{
	struct slot *s = arg;
	for (int i = 0; i <= s->number; i++)
		s->sum += i;
	return 0;
}
int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 2;
	if (n < 1 || n > 16)
		return 1;
	pthread_t *handle = malloc(n * sizeof *handle);
	struct slot *slot = calloc(n, sizeof *slot);
	if (!handle || !slot)
		return 1;
	for (int i = 0; i < n; i++) {
		slot[i].number = i;
		pthread_create(&handle[i], 0, worker, &slot[i]);
	}
	long all = 0;
	for (int i = 0; i < n; i++)
		pthread_join(handle[i], 0);
	for (int i = 0; i < n; i++)
		all += slot[i].sum;
	printf("%ld\n", all);
	free(slot);
	free(handle);
	return 0;
}
