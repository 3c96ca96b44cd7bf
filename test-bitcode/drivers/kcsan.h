// What a kernel without KCSAN leaves of its words for races: include/linux/kcsan-checks.h, compiler.h; at -O2 nothing.
#include "kernel.h"

static inline void __kcsan_disable_current(void)
{
}
static inline void __kcsan_enable_current(void)
{
}
static inline void __kcsan_check_access(const volatile void *ptr, size_t size, int type)
{
}
static inline void kcsan_set_access_mask(unsigned long mask)
{
}

struct kcsan_scoped_access {
};
static inline struct kcsan_scoped_access *kcsan_begin_scoped_access(const volatile void *ptr, size_t size, int type,
                                                                    struct kcsan_scoped_access *sa)
{
    return sa;
}
static inline void kcsan_end_scoped_access(struct kcsan_scoped_access *sa)
{
}

#define data_race(expr) \
    ({ \
        __typeof__(expr) __v = ({ \
            __kcsan_disable_current(); \
            expr; \
        }); \
        __kcsan_enable_current(); \
        __v; \
    })

#define ASSERT_EXCLUSIVE_WRITER(var) __kcsan_check_access(&(var), sizeof(var), 1 << 3)
#define ASSERT_EXCLUSIVE_ACCESS(var) __kcsan_check_access(&(var), sizeof(var), 1 << 3 | 1 << 0)
#define ASSERT_EXCLUSIVE_BITS(var, mask) \
    do { \
        kcsan_set_access_mask(mask); \
        __kcsan_check_access(&(var), sizeof(var), 1 << 3); \
        kcsan_set_access_mask(0); \
    } while (0)
#define ASSERT_EXCLUSIVE_WRITER_SCOPED(var) \
    struct kcsan_scoped_access scope __attribute__((__cleanup__(end_scope))); \
    kcsan_begin_scoped_access(&(var), sizeof(var), 1 << 4 | 1 << 3, &scope)
static inline void end_scope(struct kcsan_scoped_access *sa)
{
    kcsan_end_scoped_access(sa);
}
