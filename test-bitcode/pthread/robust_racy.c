// irkiss: --work 400k ; expect: race ; forms: nopass
//
// A robust mutex whose owner has ended is taken over, and released too early
#include <assert.h>
#include <errno.h>
#include <pthread.h>
static pthread_mutex_t m;
static int n;
static void *dies(void *arg)
{
	pthread_mutex_lock(&m);
	n = 1;
	return arg;
}
static void *lives(void *arg)
{
	int error = pthread_mutex_lock(&m);
	if (error == EOWNERDEAD && arg)
		assert(pthread_mutex_consistent(&m) == 0);
	if (error == ENOTRECOVERABLE)
		return arg;
	pthread_mutex_unlock(&m);
	n++; // RACE
	return arg;
}
int main(void)
{
	pthread_t a, b, c;
	pthread_mutexattr_t attributes;
	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&m, &attributes);
	pthread_create(&a, NULL, dies, NULL);
	pthread_join(a, NULL);
	pthread_create(&b, NULL, lives, &n);
	pthread_create(&c, NULL, lives, &n);
	pthread_join(b, NULL);
	pthread_join(c, NULL);
	return 0;
}
