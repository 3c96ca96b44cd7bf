// irkiss: ; expect: assert ; forms: nopass
//
// SV-COMP's older name for what must not be reached.
#include <pthread.h>

extern void __VERIFIER_error(void);
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
        __VERIFIER_error(); // ASSERT-FAILS
    return 0;
}
