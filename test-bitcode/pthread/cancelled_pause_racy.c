// irkiss: ; expect: race ; forms: nopass ; lazy: yes
//
// A thread that waits for a signal can be cancelled there; the destructor of its data runs then.
#include <pthread.h>
#include <unistd.h>

static pthread_key_t key;
static int count;

static void end(void *unused)
{
    count++; // RACE
}

static void *waits(void *unused)
{
    pthread_setspecific(key, &count);
    for (;;)
        pause();
    return unused;
}

int main(void)
{
    pthread_t a;

    pthread_key_create(&key, end);
    pthread_create(&a, 0, waits, 0);
    pthread_cancel(a);
    count++; // RACE
    pthread_join(a, 0);
    return 0;
}
