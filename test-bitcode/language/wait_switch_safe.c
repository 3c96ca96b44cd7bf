// irkiss: ; expect: none
// irkiss: --tier coverability --property race ; expect: none; by: coverability
//
// The twin of wait_switch_racy.c: without the timeout the wait ends when the other thread is done with it.
#include <irkiss.h>
#include <pthread.h>

static _Atomic int done;
int result;

static void *worker(void *argument)
{
    (void)argument;
    result = 1;
    done = 1;
    return 0;
}

static void wait(void)
{
    unsigned left = __irkiss_nondet_u32();
    unsigned next;
    int way;
    for (;;) {
        if (done) {
            way = 14;
        } else {
            next = __irkiss_nondet_u32();
            irkiss_assume(next <= left);
            left = next;
            way = 0;
        }
        switch (way) {
        case 0:
            break;
        case 14:
            goto out;
        default:
            __builtin_unreachable();
        }
    }
out:;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    wait();
    result = 2;
    return 0;
}
