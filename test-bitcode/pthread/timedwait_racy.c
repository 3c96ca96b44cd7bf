// irkiss:  ; expect: race ; forms: nopass ; lazy: yes
//
// After the time-out the message is read as if it had come
#include <errno.h>
#include <pthread.h>
#include <time.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int full, message;
static void *sender(void *arg)
{
	message = 7; // RACE
	pthread_mutex_lock(&m);
	full = 1;
	pthread_cond_signal(&c);
	pthread_mutex_unlock(&m);
	return arg;
}
int main(void)
{
	pthread_t t;
	struct timespec until;
	int rc = 0, got;
	pthread_create(&t, 0, sender, 0);
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 2;
	pthread_mutex_lock(&m);
	while (!full && rc != ETIMEDOUT)
		rc = pthread_cond_timedwait(&c, &m, &until);
	pthread_mutex_unlock(&m);
	got = message; // RACE
	pthread_join(t, 0);
	return got;
}
