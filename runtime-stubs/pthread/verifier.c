/* SV-COMP's names and the C library's ways to end a program. */
#include "irkiss_internal.h"

_Bool __VERIFIER_nondet_bool(void) { return __irkiss_nondet_bool(); }
char __VERIFIER_nondet_char(void) { return (char)__irkiss_nondet_u8(); }
signed char __VERIFIER_nondet_schar(void) { return (signed char)__irkiss_nondet_u8(); }
unsigned char __VERIFIER_nondet_uchar(void) { return __irkiss_nondet_u8(); }
short __VERIFIER_nondet_short(void) { return (short)__irkiss_nondet_u16(); }
unsigned short __VERIFIER_nondet_ushort(void) { return __irkiss_nondet_u16(); }
int __VERIFIER_nondet_int(void) { return (int)__irkiss_nondet_u32(); }
unsigned int __VERIFIER_nondet_uint(void) { return __irkiss_nondet_u32(); }
unsigned int __VERIFIER_nondet_unsigned(void) { return __irkiss_nondet_u32(); }
unsigned char __VERIFIER_nondet_u8(void) { return __irkiss_nondet_u8(); }
unsigned short __VERIFIER_nondet_u16(void) { return __irkiss_nondet_u16(); }
unsigned int __VERIFIER_nondet_u32(void) { return __irkiss_nondet_u32(); }
long __VERIFIER_nondet_long(void) { return (long)__irkiss_nondet_u64(); }
unsigned long __VERIFIER_nondet_ulong(void) { return (unsigned long)__irkiss_nondet_u64(); }
long long __VERIFIER_nondet_longlong(void) { return (long long)__irkiss_nondet_u64(); }
unsigned long long __VERIFIER_nondet_ulonglong(void) { return __irkiss_nondet_u64(); }
usize __VERIFIER_nondet_size_t(void) { return (usize)__irkiss_nondet_u64(); }
void *__VERIFIER_nondet_pointer(void) { return __irkiss_nondet_ptr(); }

void __VERIFIER_assume(int condition)
{
    __irkiss_assume(condition != 0);
}

void __VERIFIER_assert(int condition)
{
    __irkiss_assert(condition != 0, "__VERIFIER_assert");
}

void __VERIFIER_atomic_begin(void)
{
    __irkiss_atomic_begin();
}

void __VERIFIER_atomic_end(void)
{
    __irkiss_atomic_end();
}

/* What must not be reached: a failing assertion. */
__attribute__((noreturn)) void reach_error(void)
{
    __irkiss_assert(0, "reach_error is called");
    __irkiss_stop();
}

__attribute__((noreturn)) void __VERIFIER_error(void)
{
    __irkiss_assert(0, "__VERIFIER_error is called");
    __irkiss_stop();
}

/* assert() of glibc, musl and the BSDs. */
__attribute__((noreturn)) void __assert_fail(const char *expression, const char *file, unsigned line, const char *function)
{
    (void)file, (void)line, (void)function;
    __irkiss_assert(0, expression);
    __irkiss_stop();
}

__attribute__((noreturn)) void __assert(const char *function, const char *file, int line, const char *expression)
{
    (void)file, (void)line, (void)function;
    __irkiss_assert(0, expression);
    __irkiss_stop();
}
