// irkiss: --property deadlock ; expect: finds
//
// Main does not wake the other thread of C11, which waits for ever if it came first; one that waits until some time does not.
#include <threads.h>
#include <time.h>

static mtx_t lock;
static cnd_t changed;
static int asked;

static int answers(void *unused)
{
    struct timespec second = { 1, 0 };

    (void)unused;
    mtx_lock(&lock);
    if (!asked)
        cnd_timedwait(&changed, &lock, &second);
    while (!asked)
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
    mtx_lock(&lock);
    asked = 1;
    mtx_unlock(&lock);
    thrd_join(a, 0); // FINDS:deadlock
    return 0;
}
