// irkiss: ; expect: race ; lazy: yes
//
// As pause_safe.c, but the lock is given back too early.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int taken;
static int n;

static void *work(void *unused)
{
	while (atomic_exchange(&taken, 1))
		__builtin_ia32_pause();
	atomic_store(&taken, 0);
	n++; // RACE
	return unused;
}

int main(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, work, NULL))
		return 1;
	work(NULL);
	return pthread_join(thread, NULL);
}
