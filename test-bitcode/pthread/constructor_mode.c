// irkiss:  ; expect: race ; forms: nopass ; lazy: yes
//
// A constructor chooses the mode without a lock before main
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int fast, n;
__attribute__((constructor)) static void choose(void) { fast = 1; }
static void *work(void *arg)
{
	if (!fast)
		pthread_mutex_lock(&m);
	n++; // RACE
	if (!fast)
		pthread_mutex_unlock(&m);
	return arg;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, work, 0);
	work(0);
	pthread_join(t, 0);
	return 0;
}
