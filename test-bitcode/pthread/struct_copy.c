// irkiss:  ; expect: race ; forms: nopass ; lazy: yes
//
// A structure is copied as a whole while one of its fields is written under the lock
#include <pthread.h>
struct stats { int in, out; long bytes[6]; };
static struct stats now;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *count(void *arg)
{
	pthread_mutex_lock(&m);
	now.bytes[4]++; // RACE
	pthread_mutex_unlock(&m);
	return arg;
}
int main(void)
{
	pthread_t t;
	struct stats snapshot;
	pthread_create(&t, 0, count, 0);
	snapshot = now; // RACE
	pthread_join(t, 0);
	return snapshot.in;
}
