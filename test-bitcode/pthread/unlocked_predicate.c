// irkiss:  ; expect: race ; forms: nopass ; lazy: yes
//
// The flag is set without the mutex, only the broadcast is inside
#include <pthread.h>
#include <stdbool.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static bool open_now;
static void *opener(void *arg)
{
	open_now = true; // RACE
	pthread_mutex_lock(&m);
	pthread_cond_broadcast(&c);
	pthread_mutex_unlock(&m);
	return arg;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, opener, 0);
	pthread_mutex_lock(&m);
	while (!open_now) // RACE
		pthread_cond_wait(&c, &m);
	pthread_mutex_unlock(&m);
	pthread_join(t, 0);
	return 0;
}
