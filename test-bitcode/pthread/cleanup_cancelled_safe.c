// irkiss: --work 400k ; expect: none
//
// The handler of a thread that is cancelled where it sleeps has run once the thread has been joined
#include <assert.h>
#include <pthread.h>
#include <unistd.h>
static int cleaned;
static void note(void *to) { *(int *)to = 1; }
static void *work(void *arg)
{
	pthread_cleanup_push(note, &cleaned);
	for (;;)
		sleep(1);
	pthread_cleanup_pop(0);
	return arg;
}
int main(void)
{
	pthread_t t;
	void *result;
	pthread_create(&t, NULL, work, NULL);
	pthread_cancel(t);
	pthread_join(t, &result);
	assert(result == PTHREAD_CANCELED && cleaned == 1);
	return 0;
}
