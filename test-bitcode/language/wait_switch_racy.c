// irkiss: ; expect: race
//
// A wait with a timeout, as the kernel's macros compile it: the loop is left by a switch over a value that two ways merged,
// one default of which cannot be reached. It is open in each iteration whether the loop goes on, so it counts against --unwind.
#include <irkiss.h>
#include <pthread.h>

static _Atomic int done;
int result;

static void *worker(void *argument)
{
    (void)argument;
    result = 1; // RACE
    done = 1;
    return 0;
}

static void wait(void)
{
    unsigned left = __irkiss_nondet_u32();
    unsigned next;
    int way;
    for (;;) {
        if (done || left == 0) {
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
    result = 2; // RACE
    return 0;
}
