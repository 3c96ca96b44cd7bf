/* What programs in C++ call of libstdc++ and libc++abi beside the C library (Itanium C++ ABI; names as its compilers mangle them):
 * threads, condition variables, allocation, variables that are initialised once. Mutexes and locks are inline there, over pthread's.
 *
 * Exceptions are not followed: where one is thrown an execution ends, and what lies behind is unknown. */
#include "irkiss_pthread.h"

void __irkiss_program_ends(void);
int pthread_cond_signal(void *cond);
int pthread_cond_broadcast(void *cond);

/* ---- std::thread: its only member is the pthread_t. What it runs is an object of a class with virtual functions: the two destructors,
 * then _M_run. ---- */
enum { DELETE = 1, RUN = 2 };

static void *run(void *object)
{
    void (**functions)(void *) = *(void (***)(void *))object;
    functions[RUN](object);
    functions[DELETE](object);
    return NULL;
}

/* std::thread::_M_start_thread(std::unique_ptr<_State>, void (*)()): the thread has the object from here on. */
IRKISS_ASSUMES("threads-start")
void _ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE(irkiss_thread *thread, void **state,
                                                                                            void (*unused)(void))
{
    void *object = *state;
    (void)unused;
    *state = NULL;
    irkiss_start_thread(thread, run, object);
}

/* std::thread::join() */
void _ZNSt6thread4joinEv(irkiss_thread *thread)
{
    if (*thread == 0)
        __irkiss_unsupported("a C++ exception");
    pthread_join(*thread, NULL);
    *thread = 0;
}

/* std::thread::detach() */
void _ZNSt6thread6detachEv(irkiss_thread *thread) { *thread = 0; }
/* std::thread::hardware_concurrency() */
u32 _ZNSt6thread20hardware_concurrencyEv(void) { return __irkiss_nondet_u32(); }
/* std::thread::_State::~_State() */
void _ZNSt6thread6_StateD2Ev(void *state) { (void)state; }
void _ZNSt6thread6_StateD1Ev(void *state) { (void)state; }
void _ZNSt6thread6_StateD0Ev(void *state) { __irkiss_free(state); }

/* ---- std::condition_variable, around a pthread_cond_t; a std::unique_lock has the address of the mutex first. ---- */
void _ZNSt18condition_variableC1Ev(void *cond) { pthread_cond_init(cond, NULL); }
void _ZNSt18condition_variableC2Ev(void *cond) { pthread_cond_init(cond, NULL); }
void _ZNSt18condition_variableD1Ev(void *cond) { (void)cond; }
void _ZNSt18condition_variableD2Ev(void *cond) { (void)cond; }
void _ZNSt18condition_variable10notify_oneEv(void *cond) { pthread_cond_signal(cond); }
void _ZNSt18condition_variable10notify_allEv(void *cond) { pthread_cond_broadcast(cond); }
/* std::condition_variable::wait(std::unique_lock<std::mutex> &) */
void _ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE(void *cond, void **lock) { pthread_cond_wait(cond, *lock); }

/* ---- What futures wait with: until the word is no longer that value, or for a while. ---- */
_Bool _ZNSt28__atomic_futex_unsigned_base19_M_futex_wait_untilEPjjbNSt6chrono8durationIlSt5ratioILl1ELl1EEEENS2_IlS3_ILl1ELl1000000000EEEE(
    void *futex, const u32 *word, u32 value, _Bool has_end, long seconds, long parts)
{
    (void)futex, (void)seconds, (void)parts;
    if (has_end) {
        if (__irkiss_nondet_bool())
            return 0;
    } else {
        IRKISS_MAY_STAY(word, IRKISS_AWAITS_EVENT, *word == value);
    }
    IRKISS_ATOMIC(__irkiss_assume(*word != value));
    return 1;
}

_Bool _ZNSt28__atomic_futex_unsigned_base26_M_futex_wait_until_steadyEPjjbNSt6chrono8durationIlSt5ratioILl1ELl1EEEENS2_IlS3_ILl1ELl1000000000EEEE(
    void *futex, const u32 *word, u32 value, _Bool has_end, long seconds, long parts)
{
    return _ZNSt28__atomic_futex_unsigned_base19_M_futex_wait_untilEPjjbNSt6chrono8durationIlSt5ratioILl1ELl1EEEENS2_IlS3_ILl1ELl1000000000EEEE(
        futex, word, value, has_end, seconds, parts);
}

/* Who changes the word does not tell unless somebody waits. */
void _ZNSt28__atomic_futex_unsigned_base19_M_futex_notify_allEPj(u32 *word) { IRKISS_ATOMIC(irkiss_event(word)); }

/* std::__future_base::_Result_base: virtual functions, an exception. What a result of some type has beyond sets its own constructor. */
void _ZNSt13__future_base12_Result_baseC2Ev(void **result) { result[1] = NULL; }
void _ZNSt13__future_base12_Result_baseD2Ev(void *result) { (void)result; }

/* std::__exception_ptr::exception_ptr: there is none. */
void _ZNSt15__exception_ptr13exception_ptr9_M_addrefEv(void *pointer) { (void)pointer; }
void _ZNSt15__exception_ptr13exception_ptr10_M_releaseEv(void *pointer) { (void)pointer; }

/* ---- std::_Sp_locker, by which the functions for atomic access to a std::shared_ptr keep each other apart (C++17 util.smartptr.shared.atomic):
 * one mutex of 16, by the address. Here it is one for all: within it nobody does anything but copy a pointer and count. ---- */
static u8 lock_of_pointers[64] __attribute__((aligned(8)));

static void lock_pointers(void) { pthread_mutex_lock(lock_of_pointers); }
void _ZNSt10_Sp_lockerC1EPKv(void *locker, const void *pointer) { (void)locker, (void)pointer; lock_pointers(); }
void _ZNSt10_Sp_lockerC1EPKvS1_(void *locker, const void *pointer, const void *other)
{
    (void)locker, (void)pointer, (void)other;
    lock_pointers();
}
void _ZNSt10_Sp_lockerD1Ev(void *locker) { (void)locker; pthread_mutex_unlock(lock_of_pointers); }

/* A destructor sets where the virtual functions of its class are: where this stands already, nothing is written
 * (frontend/close/vtables.rs). */
void irkiss_set_virtual_functions(void **object, void *functions)
{
    if (*object != functions)
        *object = functions;
}

/* ---- operator new and delete. ---- */
IRKISS_ASSUMES("allocation-succeeds")
void *_Znwm(usize size) { return irkiss_allocate(size, 0); }
IRKISS_ASSUMES("allocation-succeeds")
void *_Znam(usize size) { return irkiss_allocate(size, 0); }
IRKISS_ASSUMES("allocation-succeeds")
void *_ZnwmSt11align_val_t(usize size, usize alignment) { (void)alignment; return irkiss_allocate(size, 0); }
IRKISS_ASSUMES("allocation-succeeds")
void *_ZnamSt11align_val_t(usize size, usize alignment) { (void)alignment; return irkiss_allocate(size, 0); }
void *_ZnwmRKSt9nothrow_t(usize size, const void *unused)
{
    (void)unused;
    return __irkiss_nondet_bool() ? NULL : irkiss_allocate(size, 0);
}
void *_ZnamRKSt9nothrow_t(usize size, const void *unused) { return _ZnwmRKSt9nothrow_t(size, unused); }
void _ZdlPv(void *object) { __irkiss_free(object); }
void _ZdaPv(void *object) { __irkiss_free(object); }
void _ZdlPvm(void *object, usize size) { (void)size; __irkiss_free(object); }
void _ZdaPvm(void *object, usize size) { (void)size; __irkiss_free(object); }
void _ZdlPvSt11align_val_t(void *object, usize alignment) { (void)alignment; __irkiss_free(object); }
void _ZdaPvSt11align_val_t(void *object, usize alignment) { (void)alignment; __irkiss_free(object); }
void _ZdlPvmSt11align_val_t(void *object, usize size, usize alignment) { (void)size, (void)alignment; __irkiss_free(object); }
void _ZdaPvmSt11align_val_t(void *object, usize size, usize alignment) { (void)size, (void)alignment; __irkiss_free(object); }

/* ---- Variables that the first to come initialises (Itanium C++ ABI, 3.3.3): the first byte of a guard says that it is done. ---- */
enum { GUARD_KEY = IRKISS_GHOST_PTHREAD + 2, RUNNING = 1 };

int __cxa_guard_acquire(u8 *guard)
{
    _Bool first;
    IRKISS_MAY_STAY(guard, IRKISS_AWAITS_EVENT, __irkiss_ghost_get(guard, GUARD_KEY) == RUNNING);
    __irkiss_atomic_begin();
    __irkiss_assume(__irkiss_ghost_get(guard, GUARD_KEY) != RUNNING);
    first = *guard == 0;
    if (first)
        __irkiss_ghost_set(guard, GUARD_KEY, RUNNING);
    __irkiss_atomic_end();
    return first;
}

static void leave(u8 *guard, u8 done)
{
    __irkiss_atomic_begin();
    *guard = done;
    __irkiss_ghost_set(guard, GUARD_KEY, 0);
    irkiss_event(guard);
    __irkiss_atomic_end();
}

void __cxa_guard_release(u8 *guard) { leave(guard, 1); }
void __cxa_guard_abort(u8 *guard) { leave(guard, 0); }

/* ---- std::call_once: pthread_once of a function that calls what the thread has put down. ---- */
__thread void *_ZSt15__once_callable;
__thread void (*_ZSt11__once_call)(void);
void __once_proxy(void) { _ZSt11__once_call(); }

/* ---- Ends and exceptions. ---- */
void *__cxa_allocate_exception(usize size) { return irkiss_allocate(size, 0); }
void __cxa_free_exception(void *object) { __irkiss_free(object); }
__attribute__((noreturn)) void _ZSt9terminatev(void) { __irkiss_program_ends(); __irkiss_stop(); }
__attribute__((noreturn)) void __cxa_pure_virtual(void) { __irkiss_program_ends(); __irkiss_stop(); }
__attribute__((noreturn)) void __cxa_throw(void *object, void *type, void *destructor)
{
    (void)object, (void)type, (void)destructor;
    __irkiss_unsupported("a C++ exception");
}
__attribute__((noreturn)) void __cxa_rethrow(void) { __irkiss_unsupported("a C++ exception"); }
__attribute__((noreturn)) void _Unwind_Resume(void *object) { (void)object; __irkiss_unsupported("a C++ exception"); }

/* std::chrono::_V2::steady_clock::now() and system_clock::now(): see time.c. */
long time(long *out);
long clock(void);
long _ZNSt6chrono3_V212steady_clock3nowEv(void) { return clock() * 1000000000; }
long _ZNSt6chrono3_V212system_clock3nowEv(void) { return time(NULL) * 1000000000; }
