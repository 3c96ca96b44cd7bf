/* Copies from and to user space. User memory is not modelled as objects: what is read from it is arbitrary each time (the
 * user may change it at will), what is written to it is lost. Any copy may fault. */
#include "irkiss_linux.h"

/* ---- The lock of the address space of a process (mm_struct.mmap_lock): there may be one process, of all threads. Nothing but
 * --property deadlock asks for it: who makes a mapping holds it for writing, and may be another process's thread; who handles the fault of a
 * copy takes it for reading (mm/memory.c: __might_fault). ---- */
static const char mmap_lock;

void __irkiss_mmap_lock(void)
{
    if (__irkiss_property(IRKISS_DEADLOCK) && __irkiss_nondet_bool())
        irkiss_lock(&mmap_lock);
}

void __irkiss_mmap_unlock(void)
{
    if (__irkiss_property(IRKISS_DEADLOCK) && __irkiss_ghost_get(&mmap_lock, IRKISS_GHOST_OWNER) == irkiss_me())
        irkiss_unlock(&mmap_lock);
}

/* Handlers have no process: what they copy does not come here. */
static void may_fault(void)
{
    if (__irkiss_property(IRKISS_DEADLOCK) && irkiss_state(IRKISS_GHOST_LEVEL) == 0)
        irkiss_may_wait(&mmap_lock, IRKISS_AWAITS_WRITERS, 0);
}

void __might_fault(const char *, int)
{
    may_fault();
}

/* Returns the number of bytes not copied. */
static unsigned long copy_to(const void *from, unsigned long n)
{
    __irkiss_touch(from, n);
    return __irkiss_nondet_bool() ? n : 0;
}

static unsigned long copy_from(void *to, unsigned long n)
{
    __irkiss_havoc(to, n);
    return __irkiss_nondet_bool() ? n : 0;
}

unsigned long _copy_to_user(void *, const void *from, unsigned long n)
{
    may_fault();
    return copy_to(from, n);
}

unsigned long _copy_from_user(void *to, const void *, unsigned long n)
{
    may_fault();
    return copy_from(to, n);
}

unsigned long _inline_copy_to_user(void *to, const void *from, unsigned long n)
{
    return _copy_to_user(to, from, n);
}

unsigned long _inline_copy_from_user(void *to, const void *from, unsigned long n)
{
    return _copy_from_user(to, from, n);
}

/* With page faults disabled, too (__copy_to_user_inatomic). */
unsigned long raw_copy_to_user(void *, const void *from, unsigned long n)
{
    return copy_to(from, n);
}

unsigned long raw_copy_from_user(void *to, const void *, unsigned long n)
{
    return copy_from(to, n);
}

unsigned long irkiss_model__copy_to_user(void *to, const void *from, unsigned long n)
{
    return _copy_to_user(to, from, n);
}

unsigned long irkiss_model__copy_from_user(void *to, const void *from, unsigned long n)
{
    return _copy_from_user(to, from, n);
}

unsigned long irkiss_model__raw_copy_to_user(void *, const void *from, unsigned long n)
{
    return copy_to(from, n);
}

unsigned long irkiss_model__raw_copy_from_user(void *to, const void *, unsigned long n)
{
    return copy_from(to, n);
}

unsigned long clear_user(void *, unsigned long n)
{
    may_fault();
    return __irkiss_nondet_bool() ? n : 0;
}

unsigned long __clear_user(void *, unsigned long n)
{
    return __irkiss_nondet_bool() ? n : 0;
}

void *memdup_user(const void *, usize size)
{
    void *copy;
    may_fault();
    if (__irkiss_nondet_bool())
        return irkiss_error_pointer(ENOMEM);
    copy = __irkiss_alloc(size, 0);
    if (__irkiss_nondet_bool()) {
        __irkiss_free(copy);
        return irkiss_error_pointer(EFAULT);
    }
    return copy;
}

void *vmemdup_user(const void *from, usize size)
{
    return memdup_user(from, size);
}

long strncpy_from_user(char *to, const char *, long n)
{
    long length = (long)(ssize)__irkiss_nondet_u64();
    may_fault();
    if (n <= 0 || length < 0 || length >= n)
        return -EFAULT;
    __irkiss_havoc(to, (u64)length + 1);
    to[length] = 0;
    return length;
}

/* Size checks of the kernel that only warn (include/linux/thread_info.h): taken as passed. */
IRKISS_ASSUMES("copies-fit")
_Bool irkiss_model__check_copy_size(const void *, usize, _Bool)
{
    return 1;
}

void __check_object_size(const void *, unsigned long, _Bool)
{
}

void __copy_overflow(int, unsigned long)
{
}

void __bad_copy_from(void)
{
}

void __bad_copy_to(void)
{
}
