// irkiss:  ; expect: race ; forms: nopass
//
// The handler of a thread that is cancelled where it sleeps races with who does not wait for its end
#include <assert.h>
#include <pthread.h>
#include <unistd.h>
static int cleaned;
static void note(void *to) { *(int *)to = 1; } // RACE
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
	cleaned = 0; // RACE
	pthread_join(t, &result);
	return 0;
}
