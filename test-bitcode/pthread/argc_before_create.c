// irkiss:  ; expect: race ; forms: nopass ; lazy: yes
//
// The second thread is made only if there is an argument
#include <pthread.h>
static int n;
static void *work(void *arg)
{
	n++; // RACE
	return arg;
}
int main(int argc, char **argv)
{
	pthread_t a, b;
	pthread_create(&a, 0, work, 0);
	if (argc > 1)
		pthread_create(&b, 0, work, 0);
	pthread_join(a, 0);
	if (argc > 1)
		pthread_join(b, 0);
	return argv == 0;
}
