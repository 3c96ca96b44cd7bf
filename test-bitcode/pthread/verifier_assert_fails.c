// irkiss: ; expect: assert ; forms: nopass
//
// SV-COMP's assertion.
#include <pthread.h>

extern void __VERIFIER_assert(int);
static int reached;

static void *worker(void *argument)
{
    reached = 1;
    return argument;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    pthread_join(thread, NULL);
    if (reached)
        __VERIFIER_assert(reached == 2); // ASSERT-FAILS
    return 0;
}
