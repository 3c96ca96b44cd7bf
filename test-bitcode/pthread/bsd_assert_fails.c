// irkiss: ; expect: assert ; forms: nopass
//
// What assert() becomes with the C library of the BSDs.
#include <pthread.h>

extern void __assert(const char *function, const char *file, int line, const char *expression);
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
        __assert("main", "file", 1, "0"); // ASSERT-FAILS
    return 0;
}
