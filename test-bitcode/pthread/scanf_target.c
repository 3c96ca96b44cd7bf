// irkiss:  ; expect: race ; forms: nopass ; lazy: yes
//
// A limit is read from the input into a global while a thread uses it
#include <pthread.h>
#include <stdio.h>
static int limit;
static void *use(void *arg)
{
	int mine = limit; // RACE
	return arg ? arg : (void *)(long)mine;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, use, 0);
	if (scanf("%d", &limit) != 1) // RACE
		return 1;
	pthread_join(t, 0);
	return 0;
}
