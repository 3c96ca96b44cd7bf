/* The kernel's atomic helpers (arch/x86/include/asm/{atomic,atomic64_64,bitops,cmpxchg}.h), by name. Those whose names
 * start with two underscores after arch_ are plain accesses, as in the kernel. The frontend replaces the driver's own copies
 * of these inline functions by these definitions. */
#include "irkiss_linux.h"

#define SEQ __ATOMIC_SEQ_CST
#define MODEL(name) irkiss_model__##name

/* ---- Bits. A bit is numbered from the start of the bitmap; the access is to the long that holds it. ---- */
#define BITS (8 * sizeof(long))
#define WORD(nr, address) (&((unsigned long *)(address))[(unsigned long)(nr) / BITS])
#define MASK(nr) (1ul << ((unsigned long)(nr) % BITS))

#if __GCC_ATOMIC_INT_LOCK_FREE == 2

/* ---- atomic_t, atomic64_t, atomic_long_t: one integer. ---- */
#define ATOMICS(prefix, type) \
    void MODEL(prefix##_add)(type i, type *v) \
    { \
        (void)__atomic_fetch_add(v, i, SEQ); \
    } \
    void MODEL(prefix##_sub)(type i, type *v) \
    { \
        (void)__atomic_fetch_sub(v, i, SEQ); \
    } \
    void MODEL(prefix##_inc)(type *v) \
    { \
        (void)__atomic_fetch_add(v, 1, SEQ); \
    } \
    void MODEL(prefix##_dec)(type *v) \
    { \
        (void)__atomic_fetch_sub(v, 1, SEQ); \
    } \
    _Bool MODEL(prefix##_sub_and_test)(type i, type *v) \
    { \
        return __atomic_fetch_sub(v, i, SEQ) == i; \
    } \
    _Bool MODEL(prefix##_dec_and_test)(type *v) \
    { \
        return __atomic_fetch_sub(v, 1, SEQ) == 1; \
    } \
    _Bool MODEL(prefix##_inc_and_test)(type *v) \
    { \
        return __atomic_fetch_add(v, 1, SEQ) == (type)-1; \
    } \
    _Bool MODEL(prefix##_add_negative)(type i, type *v) \
    { \
        return (type)((u64)__atomic_fetch_add(v, i, SEQ) + (u64)i) < 0; \
    } \
    type MODEL(prefix##_add_return)(type i, type *v) \
    { \
        return (type)((u64)__atomic_fetch_add(v, i, SEQ) + (u64)i); \
    } \
    type MODEL(prefix##_sub_return)(type i, type *v) \
    { \
        return (type)((u64)__atomic_fetch_sub(v, i, SEQ) - (u64)i); \
    } \
    type MODEL(prefix##_fetch_add)(type i, type *v) \
    { \
        return __atomic_fetch_add(v, i, SEQ); \
    } \
    type MODEL(prefix##_fetch_sub)(type i, type *v) \
    { \
        return __atomic_fetch_sub(v, i, SEQ); \
    } \
    void MODEL(prefix##_and)(type i, type *v) \
    { \
        (void)__atomic_fetch_and(v, i, SEQ); \
    } \
    void MODEL(prefix##_or)(type i, type *v) \
    { \
        (void)__atomic_fetch_or(v, i, SEQ); \
    } \
    void MODEL(prefix##_xor)(type i, type *v) \
    { \
        (void)__atomic_fetch_xor(v, i, SEQ); \
    } \
    type MODEL(prefix##_xchg)(type *v, type value) \
    { \
        return __atomic_exchange_n(v, value, SEQ); \
    } \
    type MODEL(prefix##_cmpxchg)(type *v, type old, type value) \
    { \
        (void)__atomic_compare_exchange_n(v, &old, value, 0, SEQ, SEQ); \
        return old; \
    } \
    _Bool MODEL(prefix##_try_cmpxchg)(type *v, type *old, type value) \
    { \
        type expected = *old; \
        _Bool swapped = __atomic_compare_exchange_n(v, &expected, value, 0, SEQ, SEQ); \
        if (!swapped) \
            *old = expected; \
        return swapped; \
    }
/* 6.x up to 6.12 spell some of them raw_. Where the target has no such instruction there is no model, and the driver's own
 * code stays. */
ATOMICS(arch_atomic, int)
ATOMICS(raw_atomic, int)
#if __GCC_ATOMIC_LLONG_LOCK_FREE == 2 && __SIZEOF_POINTER__ == 8
ATOMICS(arch_atomic64, s64)
ATOMICS(raw_atomic64, s64)
#endif

#define BIT_OPS(set, clear, change) \
    void MODEL(set)(long nr, void *address) \
    { \
        (void)__atomic_fetch_or(WORD(nr, address), MASK(nr), SEQ); \
    } \
    void MODEL(clear)(long nr, void *address) \
    { \
        (void)__atomic_fetch_and(WORD(nr, address), ~MASK(nr), SEQ); \
    } \
    void MODEL(change)(long nr, void *address) \
    { \
        (void)__atomic_fetch_xor(WORD(nr, address), MASK(nr), SEQ); \
    }
BIT_OPS(arch_set_bit, arch_clear_bit, arch_change_bit)
BIT_OPS(set_bit, clear_bit, change_bit)

void MODEL(arch_clear_bit_unlock)(long nr, void *address)
{
    (void)__atomic_fetch_and(WORD(nr, address), ~MASK(nr), SEQ);
}

#define TEST_AND(set, clear, change) \
    _Bool MODEL(set)(long nr, void *address) \
    { \
        return (__atomic_fetch_or(WORD(nr, address), MASK(nr), SEQ) & MASK(nr)) != 0; \
    } \
    _Bool MODEL(clear)(long nr, void *address) \
    { \
        return (__atomic_fetch_and(WORD(nr, address), ~MASK(nr), SEQ) & MASK(nr)) != 0; \
    } \
    _Bool MODEL(change)(long nr, void *address) \
    { \
        return (__atomic_fetch_xor(WORD(nr, address), MASK(nr), SEQ) & MASK(nr)) != 0; \
    }
TEST_AND(arch_test_and_set_bit, arch_test_and_clear_bit, arch_test_and_change_bit)
TEST_AND(test_and_set_bit, test_and_clear_bit, test_and_change_bit)

_Bool MODEL(arch_test_and_set_bit_lock)(long nr, void *address)
{
    return (__atomic_fetch_or(WORD(nr, address), MASK(nr), SEQ) & MASK(nr)) != 0;
}

_Bool MODEL(test_and_set_bit_lock)(long nr, void *address)
{
    return (__atomic_fetch_or(WORD(nr, address), MASK(nr), SEQ) & MASK(nr)) != 0;
}

/* ---- Reference counts (include/linux/refcount.h): one that is taken below 0 is saturated (refcount_warn_saturate). ---- */
_Bool MODEL(__refcount_sub_and_test)(int i, int *r, int *oldp)
{
    int old = __atomic_fetch_sub(r, i, SEQ);
    if (oldp)
        *oldp = old;
    if (old != i && (old < 0 || old < i))
        __atomic_store_n(r, IRKISS_REFCOUNT_SATURATED, SEQ);
    return old == i;
}

#endif

/* Plain: `__set_bit` and its family promise no atomicity. */
void MODEL(arch___set_bit)(long nr, void *address)
{
    *WORD(nr, address) |= MASK(nr);
}

void MODEL(arch___clear_bit)(long nr, void *address)
{
    *WORD(nr, address) &= ~MASK(nr);
}

void MODEL(arch___change_bit)(long nr, void *address)
{
    *WORD(nr, address) ^= MASK(nr);
}

_Bool MODEL(arch___test_and_set_bit)(long nr, void *address)
{
    unsigned long old = *WORD(nr, address);
    *WORD(nr, address) = old | MASK(nr);
    return (old & MASK(nr)) != 0;
}

_Bool MODEL(arch___test_and_clear_bit)(long nr, void *address)
{
    unsigned long old = *WORD(nr, address);
    *WORD(nr, address) = old & ~MASK(nr);
    return (old & MASK(nr)) != 0;
}

/* test_bit reads a volatile long: a marked access. */
_Bool MODEL(variable_test_bit)(long nr, const volatile void *address)
{
    return (*(const volatile unsigned long *)WORD(nr, address) & MASK(nr)) != 0;
}

_Bool MODEL(constant_test_bit)(long nr, const volatile void *address)
{
    return (*(const volatile unsigned long *)WORD(nr, address) & MASK(nr)) != 0;
}

_Bool MODEL(constant_test_bit_acquire)(long nr, const volatile void *address)
{
    return (*(const volatile unsigned long *)WORD(nr, address) & MASK(nr)) != 0;
}

/* ---- Finding bits: undefined for 0 where the kernel says so. ---- */
unsigned long MODEL(variable__ffs)(unsigned long word)
{
    return (unsigned long)__builtin_ctzl(word);
}

unsigned long MODEL(variable_ffz)(unsigned long word)
{
    return (unsigned long)__builtin_ctzl(~word);
}

int MODEL(variable_ffs)(int word)
{
    return word ? __builtin_ctz((unsigned int)word) + 1 : 0;
}

int MODEL(fls)(unsigned int word)
{
    return word ? 32 - __builtin_clz(word) : 0;
}

int MODEL(fls64)(u64 word)
{
    return word ? 64 - __builtin_clzll(word) : 0;
}

unsigned long MODEL(__fls)(unsigned long word)
{
    return BITS - 1 - (unsigned long)__builtin_clzl(word);
}

/* All ones if index < size: the bounds check under speculation. */
unsigned long MODEL(array_index_mask_nospec)(unsigned long index, unsigned long size)
{
    return index < size ? ~0ul : 0;
}

/* ---- Nothing to model: processor hints, preemption counts, interrupt flags. ---- */
#define NOTHING(name, ...) \
    void MODEL(name)(__VA_ARGS__) \
    { \
    }
NOTHING(rep_nop, void)
NOTHING(cpu_relax, void)
NOTHING(native_restore_fl, unsigned long)
NOTHING(slow_down_io, void)
NOTHING(kmsan_copy_to_user, void *, const void *, usize, usize)
NOTHING(kmsan_unpoison_memory, const void *, usize)
NOTHING(instrument_atomic_write, const void *, usize)
NOTHING(instrument_atomic_read_write, const void *, usize)
NOTHING(instrument_atomic_read, const void *, usize)
NOTHING(kcsan_check_access, const void *, usize, int)
NOTHING(might_fault, void)

/* include/linux/kcsan-checks.h: ASSERT_EXCLUSIVE_WRITER is a read that races with every write, ASSERT_EXCLUSIVE_ACCESS a write that
 * races with every access, however marked: both are unmarked. The write leaves what is there. A scope is checked where it begins. */
#define KCSAN_ACCESS_WRITE 1
#define KCSAN_ACCESS_ASSERT 8

static inline void check_exclusive(const volatile void *at, usize size, int type)
{
    const volatile void *same = at;

    if (!(type & KCSAN_ACCESS_ASSERT))
        return;
    if (type & KCSAN_ACCESS_WRITE) {
        /* Hidden from the compiler, which would leave out what changes nothing. */
        __asm__("" : "=r"(same) : "0"(at));
        __builtin_memmove((void *)at, (const void *)same, size);
    } else {
        __irkiss_touch((const void *)at, size);
    }
}

void MODEL(__kcsan_check_access)(const volatile void *at, usize size, int type)
{
    check_exclusive(at, size, type);
}

void *MODEL(kcsan_begin_scoped_access)(const volatile void *at, usize size, int type, void *scope)
{
    check_exclusive(at, size, type);
    return scope;
}

/* Where preemption or softirqs are off is a reader of RCU, too (Linux 5.0 and later): rcu_read_lock_sched, rcu_read_lock_bh. */
void MODEL(__preempt_count_add)(int)
{
    irkiss_stay_awake();
    __irkiss_reader_begin();
}

void MODEL(__preempt_count_sub)(int)
{
    __irkiss_reader_end();
    irkiss_may_sleep();
}

void MODEL(local_bh_disable)(void)
{
    irkiss_no_softirqs();
    __irkiss_reader_begin();
}

void MODEL(local_bh_enable)(void)
{
    __irkiss_reader_end();
    irkiss_softirqs();
}

_Bool MODEL(__preempt_count_dec_and_test)(void)
{
    __irkiss_reader_end();
    irkiss_may_sleep();
    return 0;
}

/* Every thread has a task of its own. */
static _Thread_local void *task;

void *__irkiss_current(void)
{
    void *mine;
    __irkiss_atomic_begin();
    if (!task)
        task = __irkiss_lazy(0, "task_struct");
    mine = task;
    __irkiss_atomic_end();
    return mine;
}

void *MODEL(get_current)(void)
{
    return __irkiss_current();
}

/* And a thread_info, where that is not part of the task. */
static _Thread_local void *thread_info;

void *__irkiss_thread_info(void)
{
    void *mine;
    __irkiss_atomic_begin();
    if (!thread_info)
        thread_info = __irkiss_lazy(0, "thread_info");
    mine = thread_info;
    __irkiss_atomic_end();
    return mine;
}

void __local_bh_enable_ip(unsigned long, unsigned int)
{
    __irkiss_reader_end();
    irkiss_softirqs();
}

void __local_bh_disable_ip(unsigned long, unsigned int)
{
    irkiss_no_softirqs();
    __irkiss_reader_begin();
}

void __SCT__preempt_schedule(void)
{
}

void __SCT__might_resched(void)
{
}

void preempt_schedule(void)
{
}
