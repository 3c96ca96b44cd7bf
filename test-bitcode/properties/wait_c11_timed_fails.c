// irkiss: --property deadlock ; expect: finds
//
// Nobody wakes the thread, which waits for nothing else.
#include <threads.h>

static mtx_t lock;
static cnd_t changed;

static int answers(void *unused)
{
    (void)unused;
    mtx_lock(&lock);
    cnd_wait(&changed, &lock); // FINDS:deadlock
    mtx_unlock(&lock);
    return 0;
}

int main(void)
{
    thrd_t a;

    mtx_init(&lock, mtx_plain);
    cnd_init(&changed);
    thrd_create(&a, answers, 0);
    thrd_join(a, 0); // FINDS:deadlock
    return 0;
}
