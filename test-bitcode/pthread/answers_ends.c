// irkiss: ; expect: none ; forms: nopass
//
// What ends the program does not return, however it is declared; what is assumed holds from there on.
#include <pthread.h>

extern unsigned int __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assert(int), __VERIFIER_assume(int);
extern void end(int) __asm__("exit"), end_at_once(int) __asm__("_exit"), end_by_iso(int) __asm__("_Exit"), end_quickly(int) __asm__("quick_exit");
extern void give_up(void) __asm__("abort"), find_smashed(void) __asm__("__stack_chk_fail");

static void *other(void *argument)
{
    return argument;
}

int main(void)
{
    pthread_t thread;
    unsigned int way = __VERIFIER_nondet_uint();
    pthread_create(&thread, 0, other, 0);
    if (way == 1)
        end(0);
    else if (way == 2)
        end_at_once(0);
    else if (way == 3)
        end_by_iso(0);
    else if (way == 4)
        end_quickly(0);
    else if (way == 5)
        give_up();
    else if (way == 6)
        find_smashed();
    __VERIFIER_assume(way != 7);
    __VERIFIER_assert(way < 1 || way > 7);
    return 0;
}
