// irkiss: ; expect: unknown ; reason: contexts of the program's own ; forms: nopass ; lazy: yes
//
// Where a thread goes on in a context of its own is not followed.
#define _GNU_SOURCE
#include <ucontext.h>
#include <pthread.h>

static int value;
static ucontext_t here, there;

static void *work(void *argument)
{
    swapcontext(&here, &there);
    value++;
    return argument;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
