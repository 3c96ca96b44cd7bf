// irkiss:  ; expect: race ; forms: nopass ; lazy: yes
//
// Localtime returns the address of one structure for all threads; both read it after their own call
#include <pthread.h>
#include <time.h>
static void *hour(void *arg)
{
	time_t now = time(0);
	struct tm *t = localtime(&now); // RACE
	return (void *)(long)t->tm_hour;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, 0, hour, 0);
	pthread_create(&b, 0, hour, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return 0;
}
