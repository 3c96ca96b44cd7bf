// irkiss:  ; expect: race ; forms: nopass ; lazy: yes
//
// Main leaves by pthread_exit, the two others go on
#include <pthread.h>
static int hits;
static void *hit(void *arg)
{
	hits++; // RACE
	return arg;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, 0, hit, 0);
	pthread_create(&b, 0, hit, 0);
	pthread_exit(0);
}
