// irkiss:  ; expect: race ; forms: nopass ; lazy: yes
//
// The status is changed under the lock and printed with %s outside it
#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static char status[4] = "on";
static void *update(void *arg)
{
	pthread_mutex_lock(&m);
	status[0] = 'O'; // RACE
	pthread_mutex_unlock(&m);
	return arg;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, update, 0);
	printf("%s\n", status); // RACE
	pthread_join(t, 0);
	return 0;
}
