// irkiss:  ; expect: race ; forms: nopass ; lazy: yes
//
// What comes after strcmp with a word of three letters is not reached with --unwind 2
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
static int n;
static void *work(void *arg)
{
	n++; // RACE
	return arg;
}
int main(void)
{
	pthread_t a, b;
	const char *mode = getenv("MODE");
	if (!mode || strcmp(mode, "two") != 0)
		return 1;
	pthread_create(&a, 0, work, 0);
	pthread_create(&b, 0, work, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return 0;
}
