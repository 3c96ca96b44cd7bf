// irkiss:  ; expect: race ; forms: nopass
//
// What a cleanup handler writes when a thread ends within its part races with who holds no lock
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int n, cleaned;
static void outer(void *mutex)
{
	cleaned = cleaned * 10 + 2; // RACE?
	pthread_mutex_unlock(mutex);
}
static void inner(void *arg)
{
	(void)arg;
	cleaned = cleaned * 10 + 1; // RACE?
}
static void leave(void)
{
	if (n == 1)
		pthread_exit((void *)7);
}
static void *work(void *arg)
{
	pthread_mutex_lock(&m);
	pthread_cleanup_push(outer, &m);
	pthread_cleanup_push(inner, NULL);
	n++;
	leave();
	pthread_cleanup_pop(0);
	pthread_cleanup_pop(1);
	return arg;
}
int main(void)
{
	pthread_t t;
	void *result = NULL;
	pthread_create(&t, NULL, work, NULL);
	cleaned = 0; // RACE
	pthread_join(t, &result);
	return 0;
}
