/* The library calls that clang makes for atomic objects that the target cannot access in one instruction. Smaller ones are
 * LLVM's own atomic instructions. The names are builtins, which C may only define by assembler name. */
#include "irkiss_internal.h"

/* Before a weak compare-and-exchange in a loop (frontend/close/weak_exchanges.rs). */
IRKISS_ASSUMES("weak-exchange-succeeds")
void irkiss_weak_exchange_succeeds(void) {}

void irkiss_atomic_load(usize size, void *from, void *to, int order) __asm__("__atomic_load");
void irkiss_atomic_load(usize size, void *from, void *to, int order)
{
    (void)order;
    IRKISS_ATOMIC(__builtin_memcpy(to, from, size));
}

void irkiss_atomic_store(usize size, void *to, void *from, int order) __asm__("__atomic_store");
void irkiss_atomic_store(usize size, void *to, void *from, int order)
{
    (void)order;
    IRKISS_ATOMIC(__builtin_memcpy(to, from, size));
}

void irkiss_atomic_exchange(usize size, void *object, void *from, void *old, int order) __asm__("__atomic_exchange");
void irkiss_atomic_exchange(usize size, void *object, void *from, void *old, int order)
{
    (void)order;
    __irkiss_atomic_begin();
    __builtin_memcpy(old, object, size);
    __builtin_memcpy(object, from, size);
    __irkiss_atomic_end();
}

_Bool irkiss_atomic_compare_exchange(usize size, void *object, void *expected, void *desired, int success, int failure)
    __asm__("__atomic_compare_exchange");
_Bool irkiss_atomic_compare_exchange(usize size, void *object, void *expected, void *desired, int success, int failure)
{
    (void)success, (void)failure;
    const u8 *a = object, *b = expected;
    _Bool equal = 1;
    __irkiss_atomic_begin();
    for (usize n = 0; n < size; n++)
        equal = equal && a[n] == b[n];
    if (equal)
        __builtin_memcpy(object, desired, size);
    else
        __builtin_memcpy(expected, object, size);
    __irkiss_atomic_end();
    return equal;
}

_Bool irkiss_atomic_is_lock_free(usize size, void *object) __asm__("__atomic_is_lock_free");
_Bool irkiss_atomic_is_lock_free(usize size, void *object)
{
    (void)object;
    return size <= sizeof(void *);
}

/* Eight bytes: calls on 32-bit targets. */
u64 irkiss_load_8(u64 *object, int order) __asm__("__atomic_load_8");
u64 irkiss_load_8(u64 *object, int order)
{
    u64 value;
    (void)order;
    IRKISS_ATOMIC(value = *object);
    return value;
}

void irkiss_store_8(u64 *object, u64 value, int order) __asm__("__atomic_store_8");
void irkiss_store_8(u64 *object, u64 value, int order)
{
    (void)order;
    IRKISS_ATOMIC(*object = value);
}

_Bool irkiss_compare_exchange_8(u64 *object, u64 *expected, u64 desired, int success, int failure)
    __asm__("__atomic_compare_exchange_8");
_Bool irkiss_compare_exchange_8(u64 *object, u64 *expected, u64 desired, int success, int failure)
{
    (void)success, (void)failure;
    _Bool equal;
    u64 want = *expected, old;
    __irkiss_atomic_begin();
    old = *object;
    equal = old == want;
    if (equal)
        *object = desired;
    __irkiss_atomic_end();
    if (!equal)
        *expected = old;
    return equal;
}

#define READ_MODIFY_WRITE_8(name, expression) \
    u64 irkiss_##name##_8(u64 *object, u64 value, int order) __asm__("__atomic_" #name "_8"); \
    u64 irkiss_##name##_8(u64 *object, u64 value, int order) \
    { \
        u64 old; \
        (void)order; \
        __irkiss_atomic_begin(); \
        old = *object; \
        *object = (expression); \
        __irkiss_atomic_end(); \
        return old; \
    }

READ_MODIFY_WRITE_8(exchange, value)
READ_MODIFY_WRITE_8(fetch_add, old + value)
READ_MODIFY_WRITE_8(fetch_sub, old - value)
READ_MODIFY_WRITE_8(fetch_and, old & value)
READ_MODIFY_WRITE_8(fetch_or, old | value)
READ_MODIFY_WRITE_8(fetch_xor, old ^ value)
