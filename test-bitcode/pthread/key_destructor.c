// irkiss:  ; expect: race ; forms: nopass ; lazy: yes
//
// The destructor of thread-specific data adds to a total without a lock
#include <pthread.h>
#include <stdlib.h>
static pthread_key_t key;
static int total;
static void collect(void *p)
{
	total += *(int *)p; // RACE
	free(p);
}
static void *work(void *arg)
{
	int *mine = malloc(sizeof *mine);
	if (!mine)
		return 0;
	*mine = 3;
	pthread_setspecific(key, mine);
	++*(int *)pthread_getspecific(key);
	return arg;
}
int main(void)
{
	pthread_t a, b;
	pthread_key_create(&key, collect);
	pthread_create(&a, 0, work, 0);
	pthread_create(&b, 0, work, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return total;
}
