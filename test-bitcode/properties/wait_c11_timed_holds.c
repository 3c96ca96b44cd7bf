// irkiss: --property deadlock --work 400k ; expect: none
//
// Nobody wakes the thread, which waits until some time.
#include <threads.h>
#include <time.h>

static mtx_t lock;
static cnd_t changed;

static int answers(void *unused)
{
    struct timespec second = { 1, 0 };

    (void)unused;
    mtx_lock(&lock);
    cnd_timedwait(&changed, &lock, &second);
    mtx_unlock(&lock);
    return 0;
}

int main(void)
{
    thrd_t a;

    mtx_init(&lock, mtx_plain);
    cnd_init(&changed);
    thrd_create(&a, answers, 0);
    thrd_join(a, 0);
    return 0;
}
