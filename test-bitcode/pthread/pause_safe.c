// irkiss: ; expect: none ; lazy: yes
//
// A lock that is spun on with a hint to the processor.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int taken;
static int n;

static void *work(void *unused)
{
	while (atomic_exchange(&taken, 1))
		__builtin_ia32_pause();
	n++;
	atomic_store(&taken, 0);
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
