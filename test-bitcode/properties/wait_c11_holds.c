// irkiss: --property deadlock ; expect: none
//
// The condition variables of C11: both sides wait for the other one in turn, and are woken.
#include <threads.h>

static mtx_t lock;
static cnd_t changed;
static int asked, answered;

static int answers(void *unused)
{
    (void)unused;
    mtx_lock(&lock);
    while (!asked)
        cnd_wait(&changed, &lock);
    answered = 1;
    cnd_signal(&changed);
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
    cnd_broadcast(&changed);
    while (!answered)
        cnd_wait(&changed, &lock);
    mtx_unlock(&lock);
    thrd_join(a, 0);
    return 0;
}
