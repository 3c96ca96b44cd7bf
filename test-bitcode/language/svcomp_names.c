// irkiss: --property assert ; expect: assert
// irkiss: --property race ; expect: none ; forms: nopass
// irkiss: --property race ; expect: none ; forms: o2
//
// SV-COMP's names. A function named __VERIFIER_atomic_… is one step, so nothing races; the lost update remains.
#include <pthread.h>
#include <stddef.h>

extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern void reach_error(void);

int count;

// Not inlined: the name is all that makes it one step (see svcomp_inlined.c).
__attribute__((noinline)) static int __VERIFIER_atomic_read(void)
{
    return count;
}

static void *worker(void *argument)
{
    int n = __VERIFIER_nondet_int();
    __VERIFIER_assume(n == 1);
    __VERIFIER_atomic_begin();
    count = count + n;
    __VERIFIER_atomic_end();
    return argument;
}

int main(void)
{
    pthread_t thread;
    int old;
    pthread_create(&thread, NULL, worker, NULL);
    old = __VERIFIER_atomic_read();
    __VERIFIER_atomic_begin();
    count = old + 1;
    __VERIFIER_atomic_end();
    pthread_join(thread, NULL);
    if (__VERIFIER_atomic_read() != 2)
        reach_error(); // ASSERT-FAILS
    return 0;
}
