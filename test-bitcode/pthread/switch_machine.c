// irkiss: --work 400k ; expect: none ; forms: nopass ; lazy: yes
//
// A door with states, changed by switch under the lock of its structure
#include <assert.h>
#include <pthread.h>
enum state { CLOSED, OPEN, LOCKED };
struct door { pthread_mutex_t m; enum state s; int opened, closed; };
static struct door front = {PTHREAD_MUTEX_INITIALIZER, CLOSED, 0, 0};
static void push(struct door *d)
{
	pthread_mutex_lock(&d->m);
	switch (d->s) {
	case CLOSED: d->s = OPEN; d->opened++; break;
	case OPEN: d->s = CLOSED; d->closed++; break;
	case LOCKED: break;
	}
	assert(d->opened - d->closed == (d->s == OPEN));
	pthread_mutex_unlock(&d->m);
}
static void *person(void *arg) { push(arg); push(arg); return 0; }
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, 0, person, &front);
	pthread_create(&b, 0, person, &front);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return 0;
}
