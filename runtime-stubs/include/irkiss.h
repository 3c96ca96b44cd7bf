/* What a program may say to irkiss. Include it in the program under check, or in a model given by --model.
 *
 * All names work without this header too, if declared as here; so do SV-COMP's (at the end).
 */
#ifndef IRKISS_H
#define IRKISS_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Arbitrary values: each call gives any value of its type, chosen anew. ---- */
_Bool __irkiss_nondet_bool(void);
unsigned char __irkiss_nondet_u8(void);
unsigned short __irkiss_nondet_u16(void);
unsigned int __irkiss_nondet_u32(void);
unsigned long long __irkiss_nondet_u64(void);
/* Null, or the address of a fresh object of arbitrary content. */
void *__irkiss_nondet_ptr(void);

/* ---- Waiting and checking. ---- */
/* In an atomic section: the section can be entered only in states in which the condition will hold.
 * Outside: a false condition stops the thread for ever (it was evaluated before the call). */
void __irkiss_assume(_Bool condition);
/* An error if the condition is false. */
void __irkiss_assert(_Bool condition, const char *message);

/* ---- Atomic sections: no other thread runs in between. They nest. ---- */
void __irkiss_atomic_begin(void);
void __irkiss_atomic_end(void);

/* ---- Threads. ---- */
/* Starts a thread that runs start(arg); returns its number. */
unsigned long long __irkiss_async(void (*start)(void *), void *arg);
/* Number of the current thread: 0 is the first, the others count in order of creation. */
unsigned long long __irkiss_self(void);
/* Ends the current thread here. No error. */
__attribute__((noreturn)) void __irkiss_stop(void);

/* Waits until the condition holds: it is evaluated in an atomic section, so that another thread can make it true. */
#define irkiss_assume(condition) \
    do { \
        __irkiss_atomic_begin(); \
        __irkiss_assume((condition) ? 1 : 0); \
        __irkiss_atomic_end(); \
    } while (0)
/* An error if the condition is false. The condition is evaluated by the thread as written: its accesses can race. */
#define irkiss_assert(condition) __irkiss_assert((condition) ? 1 : 0, #condition)
/* irkiss_atomic(statements): no other thread runs in between. Do not leave it by break, goto or return. */
#define irkiss_atomic(...) \
    do { \
        __irkiss_atomic_begin(); \
        __VA_ARGS__; \
        __irkiss_atomic_end(); \
    } while (0)
#define irkiss_async(start, arg) __irkiss_async((start), (arg))
#define irkiss_nondet_int() ((int)__irkiss_nondet_u32())
#define irkiss_nondet_bool() __irkiss_nondet_bool()

/* ---- SV-COMP's names. A function whose name starts with __VERIFIER_atomic_ is an atomic section as a whole. ---- */
_Bool __VERIFIER_nondet_bool(void);
char __VERIFIER_nondet_char(void);
signed char __VERIFIER_nondet_schar(void);
unsigned char __VERIFIER_nondet_uchar(void);
short __VERIFIER_nondet_short(void);
unsigned short __VERIFIER_nondet_ushort(void);
int __VERIFIER_nondet_int(void);
unsigned int __VERIFIER_nondet_uint(void);
unsigned int __VERIFIER_nondet_unsigned(void);
long __VERIFIER_nondet_long(void);
unsigned long __VERIFIER_nondet_ulong(void);
long long __VERIFIER_nondet_longlong(void);
unsigned long long __VERIFIER_nondet_ulonglong(void);
void *__VERIFIER_nondet_pointer(void);
void __VERIFIER_assume(int condition);
void __VERIFIER_assert(int condition);
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
__attribute__((noreturn)) void __VERIFIER_error(void);
__attribute__((noreturn)) void reach_error(void);

#ifdef __cplusplus
}
#endif

#endif
