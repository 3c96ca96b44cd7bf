// irkiss: ; expect: none ; forms: nopass ; lazy: yes
//
// Bit operations of the kernel by name, in words beyond the first as well; bits that are found and counted. (As answers_atomics.c:
// the bodies here are not what they do.)
#include "answers.h"

#define INLINE static __attribute__((noinline))
static unsigned long word[2];

#define CHANGES(set, clear, change) \
    INLINE void set(long nr, volatile unsigned long *at) { } \
    INLINE void clear(long nr, volatile unsigned long *at) { } \
    INLINE void change(long nr, volatile unsigned long *at) { } \
    static void check_##set(void) \
    { \
        word[0] = word[1] = 0; \
        set(65, word); \
        CHECK(word[0] == 0 && word[1] == 2); \
        change(64, word); \
        CHECK(word[1] == 3); \
        clear(65, word); \
        CHECK(word[1] == 1); \
    }
CHANGES(arch_set_bit, arch_clear_bit, arch_change_bit)
CHANGES(set_bit, clear_bit, change_bit)
CHANGES(arch___set_bit, arch___clear_bit, arch___change_bit)

#define TESTS(set, clear) \
    INLINE _Bool set(long nr, volatile unsigned long *at) { return 0; } \
    INLINE _Bool clear(long nr, volatile unsigned long *at) { return 0; } \
    static void check_##set(void) \
    { \
        word[0] = word[1] = 0; \
        CHECK(!set(66, word)); \
        CHECK(word[0] == 0 && word[1] == 4); \
        CHECK(set(66, word)); \
        CHECK(clear(66, word)); \
        CHECK(word[1] == 0); \
        CHECK(!clear(66, word)); \
    }
TESTS(arch_test_and_set_bit, arch_test_and_clear_bit)
TESTS(test_and_set_bit, test_and_clear_bit)
TESTS(arch___test_and_set_bit, arch___test_and_clear_bit)

INLINE _Bool arch_test_and_change_bit(long nr, volatile unsigned long *at) { return 0; }
INLINE _Bool test_and_change_bit(long nr, volatile unsigned long *at) { return 0; }
INLINE _Bool arch_test_and_set_bit_lock(long nr, volatile unsigned long *at) { return 0; }
INLINE _Bool test_and_set_bit_lock(long nr, volatile unsigned long *at) { return 0; }
INLINE void arch_clear_bit_unlock(long nr, volatile unsigned long *at) { }
INLINE _Bool variable_test_bit(long nr, volatile const unsigned long *at) { return 0; }
INLINE _Bool constant_test_bit(long nr, const volatile unsigned long *at) { return 0; }
INLINE _Bool constant_test_bit_acquire(long nr, const volatile unsigned long *at) { return 0; }

static void bits(void)
{
    word[0] = word[1] = 0;
    CHECK(!arch_test_and_change_bit(3, word) && word[0] == 8);
    CHECK(test_and_change_bit(3, word) && word[0] == 0);
    CHECK(!arch_test_and_set_bit_lock(1, word) && arch_test_and_set_bit_lock(1, word));
    arch_clear_bit_unlock(1, word);
    CHECK(word[0] == 0);
    CHECK(!test_and_set_bit_lock(64, word) && test_and_set_bit_lock(64, word));
    CHECK(variable_test_bit(64, word) && !variable_test_bit(1, word));
    CHECK(constant_test_bit(64, word) && !constant_test_bit(1, word));
    CHECK(constant_test_bit_acquire(64, word) && !constant_test_bit_acquire(1, word));
}

INLINE unsigned long variable__ffs(unsigned long w) { return 99; }
INLINE unsigned long variable_ffz(unsigned long w) { return 99; }
INLINE int variable_ffs(int w) { return 99; }
INLINE int fls(unsigned int w) { return 99; }
INLINE int fls64(unsigned long long w) { return 99; }
INLINE unsigned long __fls(unsigned long w) { return 99; }
INLINE unsigned int __arch_hweight32(unsigned int w) { return 99; }
INLINE unsigned long __arch_hweight64(unsigned long long w) { return 99; }
INLINE unsigned long array_index_mask_nospec(unsigned long index, unsigned long size) { return 5; }
INLINE void bit_spin_lock(int bit, unsigned long *at) { }
INLINE int bit_spin_trylock(int bit, unsigned long *at) { return 5; }
INLINE void bit_spin_unlock(int bit, unsigned long *at) { }

static void numbers(void)
{
    CHECK(variable__ffs(12) == 2 && variable_ffz(3) == 2);
    CHECK(variable_ffs(0) == 0 && variable_ffs(12) == 3);
    CHECK(fls(0) == 0 && fls(12) == 4 && fls64(0) == 0 && fls64(1ull << 40) == 41 && __fls(12) == 3);
    CHECK(__arch_hweight32(7) == 3 && __arch_hweight64(15) == 4);
    CHECK(array_index_mask_nospec(3, 4) == ~0ul && array_index_mask_nospec(4, 4) == 0);
    word[0] = 0;
    bit_spin_lock(2, word);
    CHECK(word[0] == 4 && !bit_spin_trylock(2, word));
    bit_spin_unlock(2, word);
    CHECK(word[0] == 0 && bit_spin_trylock(2, word) && word[0] == 4);
}

static void answers(void)
{
    check_arch_set_bit();
    check_set_bit();
    check_arch___set_bit();
    check_arch_test_and_set_bit();
    check_test_and_set_bit();
    check_arch___test_and_set_bit();
    bits();
    numbers();
}
