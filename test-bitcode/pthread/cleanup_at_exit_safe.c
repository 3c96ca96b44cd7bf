// irkiss: --work 400k ; expect: none
//
// A cleanup handler releases the lock when a thread ends within its part, the innermost comes first, and each runs once
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int n, cleaned;
static void outer(void *mutex)
{
	cleaned = cleaned * 10 + 2;
	pthread_mutex_unlock(mutex);
}
static void inner(void *arg)
{
	(void)arg;
	cleaned = cleaned * 10 + 1;
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
	pthread_join(t, &result);
	assert(result == (void *)7);
	assert(cleaned == 12);
	work(NULL);
	assert(cleaned == 122 && n == 2);
	return 0;
}
