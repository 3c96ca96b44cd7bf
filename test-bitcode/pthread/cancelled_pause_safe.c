// irkiss: ; expect: none ; forms: nopass ; lazy: yes
//
// As cancelled_pause_racy.c; main counts when the thread has ended.
#include <pthread.h>
#include <unistd.h>

static pthread_key_t key;
static int count;

static void end(void *unused)
{
    count++; // NORACE
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
    pthread_join(a, 0);
    count++; // NORACE
    return 0;
}
