// irkiss: --property race ; expect: none ; forms: nopass
// irkiss: --property race ; expect: none ; forms: o2 ; todo: -O2 inlines the function, and the step that its name makes is gone
//
// A function named __VERIFIER_atomic_… is one step also where it is inlined; only the debug information still names it there.
#include <pthread.h>
#include <stddef.h>

int count;

static void __VERIFIER_atomic_add(int n)
{
    count = count + n;
}

static void *worker(void *argument)
{
    __VERIFIER_atomic_add(1);
    return argument;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    __VERIFIER_atomic_add(1);
    pthread_join(thread, NULL);
    return 0;
}
