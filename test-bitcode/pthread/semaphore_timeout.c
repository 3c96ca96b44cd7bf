// irkiss:  ; expect: race ; forms: nopass ; lazy: yes
//
// A slot is taken also when the wait for it timed out
#include <pthread.h>
#include <semaphore.h>
#include <time.h>
static sem_t items;
static int ring[4], head, tail;
static void *put(void *arg)
{
	ring[head] = 1; // RACE
	head = (head + 1) % 4;
	sem_post(&items);
	return arg;
}
int main(void)
{
	pthread_t t;
	struct timespec until = {0, 0};
	int got;
	sem_init(&items, 0, 0);
	pthread_create(&t, 0, put, 0);
	sem_timedwait(&items, &until);
	got = ring[tail]; // RACE
	tail = (tail + 1) % 4;
	pthread_join(t, 0);
	return got;
}
