/* The kernel's own handlers of numbers and strings in /proc/sys (kernel/sysctl.c): they work on what the table's `data` leads to, with
 * no lock. Numbers are read and written whole and marked (READ_ONCE, WRITE_ONCE), strings and bool are not.
 */
#include "irkiss_linux.h"

/* struct ctl_table: procname, data, maxlen; extra1 and extra2 are the least and the largest number. */
u64 __irkiss_offsetof__ctl_table__extra1(void);
u64 __irkiss_offsetof__ctl_table__extra2(void);

static void *data_of(const void *table)
{
    return irkiss_field(table, sizeof(void *));
}

static u32 bytes_of(const void *table)
{
    return *(const volatile u32 *)((const char *)table + 2 * sizeof(void *));
}

static const void *limit_of(const void *table, u64 at)
{
    return at == IRKISS_NO_OFFSET ? NULL : irkiss_field(table, at);
}

/* Which number of several; the first where there is one. */
static u32 which(const void *table, u32 size)
{
    u32 count = bytes_of(table) / size;
    return count > 1 ? __irkiss_nondet_u32() % count : 0;
}

#define VECTOR(name, type, least, most) \
    int name(void *table, int write, void *, usize *, s64 *) \
    { \
        volatile type *data = data_of(table); \
        const volatile type *smallest = (least), *largest = (most); \
        type value = (type)__irkiss_nondet_u64(); \
        if (!data || bytes_of(table) < sizeof(type)) \
            return 0; \
        data += which(table, sizeof(type)); \
        if (!write) { \
            (void)*data; \
            return 0; \
        } \
        if (__irkiss_nondet_bool() || (smallest && value < *smallest) || (largest && value > *largest)) \
            return -EINVAL; \
        *data = value; \
        return 0; \
    }
#define LEAST limit_of(table, __irkiss_offsetof__ctl_table__extra1())
#define MOST limit_of(table, __irkiss_offsetof__ctl_table__extra2())

VECTOR(proc_dointvec, s32, NULL, NULL)
VECTOR(proc_douintvec, u32, NULL, NULL)
VECTOR(proc_dointvec_jiffies, s32, NULL, NULL)
VECTOR(proc_dointvec_ms_jiffies, s32, NULL, NULL)
VECTOR(proc_dointvec_minmax, s32, LEAST, MOST)
VECTOR(proc_douintvec_minmax, u32, LEAST, MOST)
VECTOR(proc_dou8vec_minmax, u8, LEAST, MOST)
VECTOR(proc_doulongvec_minmax, unsigned long, LEAST, MOST)
VECTOR(proc_doulongvec_ms_jiffies_minmax, unsigned long, LEAST, MOST)

/* do_proc_dointvec_userhz_jiffies_conv, do_proc_dobool_conv: plain. */
int proc_dointvec_userhz_jiffies(void *table, int write, void *, usize *, s64 *)
{
    s32 *data = data_of(table);
    if (!data || bytes_of(table) < sizeof(s32))
        return 0;
    if (!write) {
        __irkiss_touch(data, sizeof(s32));
        return 0;
    }
    if (__irkiss_nondet_bool())
        return -EINVAL;
    __irkiss_havoc(data, sizeof(s32));
    return 0;
}

int proc_dobool(void *table, int write, void *, usize *, s64 *)
{
    u8 *data = data_of(table);
    if (!data)
        return 0;
    if (!write) {
        __irkiss_touch(data, 1);
        return 0;
    }
    if (__irkiss_nondet_bool())
        return -EINVAL;
    *data = __irkiss_nondet_bool();
    return 0;
}

/* _proc_do_string: what is written ends within the buffer. */
int proc_dostring(void *table, int write, void *, usize *, s64 *)
{
    char *data = data_of(table);
    u32 bytes = bytes_of(table);
    if (!data || bytes == 0)
        return 0;
    if (!write) {
        __irkiss_touch(data, 1);
        return 0;
    }
    __irkiss_havoc(data, bytes);
    data[bytes - 1] = 0;
    return 0;
}
