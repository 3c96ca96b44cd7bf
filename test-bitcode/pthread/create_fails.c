// irkiss:  ; expect: race ; forms: nopass ; lazy: yes
//
// If the second thread cannot be made its work is done here, beside the first one
#include <pthread.h>
static int n;
static void *work(void *arg)
{
	n++; // RACE
	return arg;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, 0, work, 0);
	if (pthread_create(&b, 0, (void *(*)(void *))pthread_self, 0) != 0)
		work(0);
	else
		pthread_join(b, 0);
	pthread_join(a, 0);
	return n;
}
