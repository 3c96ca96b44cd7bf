// irkiss:  ; expect: race ; forms: nopass ; lazy: yes
//
// Jobs are reached by a table of functions; one of them forgets the lock
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int load;
struct job { void (*run)(int); int amount; };
static void careful(int n)
{
	pthread_mutex_lock(&m);
	load += n; // RACE
	pthread_mutex_unlock(&m);
}
static void hasty(int n) { load -= n; } // RACE
static const struct job jobs[] = {{careful, 2}, {hasty, 1}};
static void *runner(void *arg)
{
	const struct job *j = &jobs[(long)arg];
	j->run(j->amount);
	return 0;
}
int main(void)
{
	pthread_t t[2];
	for (long i = 0; i < 2; i++)
		pthread_create(&t[i], 0, runner, (void *)i);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], 0);
	return 0;
}
