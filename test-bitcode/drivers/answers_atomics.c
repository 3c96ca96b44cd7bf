// irkiss: ; expect: none ; forms: nopass ; lazy: yes
//
// The kernel's inline atomics are known by name: what they are given here as bodies is not what they do. (At -O2 the compiler has
// dissolved them.)
#include "answers.h"

#define INLINE static __attribute__((noinline))
typedef struct {
    int counter;
} atomic_t;
typedef struct {
    long long counter;
} atomic64_t;

#define ATOMICS(prefix, type, atomic) \
    INLINE void prefix##_add(type i, atomic *v) { } \
    INLINE void prefix##_sub(type i, atomic *v) { } \
    INLINE void prefix##_inc(atomic *v) { } \
    INLINE void prefix##_dec(atomic *v) { } \
    INLINE void prefix##_and(type i, atomic *v) { } \
    INLINE void prefix##_or(type i, atomic *v) { } \
    INLINE void prefix##_xor(type i, atomic *v) { } \
    INLINE _Bool prefix##_sub_and_test(type i, atomic *v) { return 0; } \
    INLINE _Bool prefix##_dec_and_test(atomic *v) { return 0; } \
    INLINE _Bool prefix##_inc_and_test(atomic *v) { return 0; } \
    INLINE _Bool prefix##_add_negative(type i, atomic *v) { return 0; } \
    INLINE type prefix##_add_return(type i, atomic *v) { return 0; } \
    INLINE type prefix##_sub_return(type i, atomic *v) { return 0; } \
    INLINE type prefix##_fetch_add(type i, atomic *v) { return 0; } \
    INLINE type prefix##_fetch_sub(type i, atomic *v) { return 0; } \
    INLINE type prefix##_xchg(atomic *v, type value) { return 0; } \
    INLINE type prefix##_cmpxchg(atomic *v, type old, type value) { return 0; } \
    INLINE _Bool prefix##_try_cmpxchg(atomic *v, type *old, type value) { return 0; } \
    static void check_##prefix(void) \
    { \
        atomic v = { 5 }; \
        type old = 6; \
        prefix##_add(3, &v); \
        CHECK(v.counter == 8); \
        prefix##_sub(2, &v); \
        CHECK(v.counter == 6); \
        prefix##_inc(&v); \
        CHECK(v.counter == 7); \
        prefix##_dec(&v); \
        CHECK(v.counter == 6); \
        prefix##_and(4, &v); \
        CHECK(v.counter == 4); \
        prefix##_or(3, &v); \
        CHECK(v.counter == 7); \
        prefix##_xor(1, &v); \
        CHECK(v.counter == 6); \
        CHECK(!prefix##_sub_and_test(1, &v)); \
        CHECK(prefix##_sub_and_test(5, &v) && v.counter == 0); \
        CHECK(!prefix##_dec_and_test(&v) && v.counter == -1); \
        CHECK(prefix##_inc_and_test(&v) && v.counter == 0); \
        CHECK(!prefix##_inc_and_test(&v)); \
        CHECK(prefix##_dec_and_test(&v)); \
        CHECK(prefix##_add_negative(-1, &v) && !prefix##_add_negative(1, &v)); \
        CHECK(prefix##_add_return(9, &v) == 9); \
        CHECK(prefix##_sub_return(4, &v) == 5); \
        CHECK(prefix##_fetch_add(2, &v) == 5 && v.counter == 7); \
        CHECK(prefix##_fetch_sub(1, &v) == 7 && v.counter == 6); \
        CHECK(prefix##_xchg(&v, 3) == 6 && v.counter == 3); \
        CHECK(prefix##_cmpxchg(&v, 6, 9) == 3 && v.counter == 3); \
        CHECK(prefix##_cmpxchg(&v, 3, 9) == 3 && v.counter == 9); \
        CHECK(!prefix##_try_cmpxchg(&v, &old, 1) && old == 9 && v.counter == 9); \
        CHECK(prefix##_try_cmpxchg(&v, &old, 1) && v.counter == 1); \
    }
ATOMICS(arch_atomic, int, atomic_t)
ATOMICS(raw_atomic, int, atomic_t)
ATOMICS(arch_atomic64, long long, atomic64_t)
ATOMICS(raw_atomic64, long long, atomic64_t)

typedef struct refcount_struct {
    atomic_t refs;
} refcount_t;
INLINE _Bool __refcount_sub_and_test(int i, refcount_t *r, int *oldp) { return 0; }

static void counts(void)
{
    refcount_t r = { { 2 } };
    int old = 0;
    CHECK(!__refcount_sub_and_test(1, &r, &old) && old == 2);
    CHECK(__refcount_sub_and_test(1, &r, NULL));
}

static void answers(void)
{
    check_arch_atomic();
    check_raw_atomic();
    check_arch_atomic64();
    check_raw_atomic64();
    counts();
}
