// irkiss: ; expect: unknown ; forms: nopass ; lazy: yes
//
// What has no model is never silence, and who uses what was freed does not go on: of these, none returns.
#include <stddef.h>

extern unsigned int __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assert(int);
extern int save(void *) __asm__("_setjmp"), save_by_name(void *) __asm__("setjmp");
extern int save_masked(void *, int) __asm__("__sigsetjmp");
extern void jump(void *, int) __asm__("longjmp");
extern int pthread_setcanceltype(int, int *);
extern void *malloc(size_t);
extern void give_back(void *) __asm__("free"), give_back_too(void *) __asm__("cfree");

static void use_after(void (*give)(void *))
{
    volatile int *object = malloc(sizeof(int));
    give((void *)object);
    *object = 1;
}

int main(void)
{
    long buffer[64];
    unsigned int way = __VERIFIER_nondet_uint();
    switch (way) {
    /* Called so they are no jumps: 0, as the first time. */
    case 1: if (save(buffer) == 0) return 0; break;
    case 2: if (save_by_name(buffer) == 0) return 0; break;
    case 3: if (save_masked(buffer, 0) == 0) return 0; break;
    case 4: jump(buffer, 1); break;
    case 5: pthread_setcanceltype(1, NULL); break;
    case 6: use_after(give_back); break;
    case 7: use_after(give_back_too); break;
    }
    __VERIFIER_assert(way < 1 || way > 7);
    return 0;
}
