// irkiss:  ; expect: race ; forms: nopass ; lazy: yes
//
// A counter of 128 bits
#include <pthread.h>
static unsigned __int128 ticks = ((unsigned __int128)1 << 64) - 1;
static void *tick(void *arg) { ticks += 1; return arg; } // RACE
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, 0, tick, 0);
	pthread_create(&b, 0, tick, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return (int)(ticks >> 64);
}
