/* The kernel's own functions for attributes of numbers (drivers/base/core.c: device_show_int, device_store_int and their like): they
 * read and write what `var` of the dev_ext_attribute leads to, with no lock. */
#include "irkiss_linux.h"

u64 __irkiss_offsetof__dev_ext_attribute__var(void);

static void *variable(const void *attribute)
{
    return irkiss_field(attribute, __irkiss_offsetof__dev_ext_attribute__var());
}

#define ATTRIBUTE(name, type) \
    ssize device_show_##name(void *, void *attribute, char *) \
    { \
        __irkiss_touch(variable(attribute), sizeof(type)); \
        return 2; \
    } \
    ssize device_store_##name(void *, void *attribute, const char *, usize size) \
    { \
        type *data = variable(attribute); \
        if (__irkiss_nondet_bool()) \
            return -EINVAL; \
        *data = (type)__irkiss_nondet_u64(); \
        return (ssize)size; \
    }

ATTRIBUTE(int, s32)
ATTRIBUTE(ulong, unsigned long)
ATTRIBUTE(bool, _Bool)

/* ---- Numbers in files of debugfs (fs/debugfs/file.c: debugfs_u8_get, debugfs_u8_set and their like; debugfs_read_file_bool,
 * debugfs_write_file_bool), of each kind the first ones and any one of the others. They are read and written with no lock, and plainly; here as if marked,
 * since a driver that marks its own accesses can do no more (start_creating: nothing in a directory that was not made). Who may read and write is told as the file is made. ---- */
#define MOST 8

#define NUMBER(name, type, given) \
    static struct { \
        volatile type *number; \
        u32 mode; \
    } shown_##name[MOST]; \
    static u32 count_##name; \
    void __irkiss_show_##name(type *number, u16 mode, const void *directory) \
    { \
        _Bool full; \
        if (irkiss_is_error(directory)) \
            return; \
        IRKISS_ATOMIC(full = shown_##name[MOST - 1].number != NULL); \
        if (full && __irkiss_nondet_bool()) \
            return; \
        __irkiss_atomic_begin(); \
        shown_##name[count_##name].number = number; \
        shown_##name[count_##name].mode = mode; \
        if (count_##name < MOST - 1) \
            count_##name++; \
        __irkiss_atomic_end(); \
    } \
    static volatile type *one_##name(u32 may) \
    { \
        u32 which = __irkiss_nondet_u32(), mode; \
        volatile type *number; \
        __irkiss_assume(which < MOST); \
        IRKISS_ATOMIC(number = shown_##name[which].number; mode = shown_##name[which].mode); \
        return (mode & may) ? number : NULL; \
    } \
    void __irkiss_shown_##name(void) \
    { \
        volatile type *number = one_##name(0444); \
        if (number) \
            (void)*number; \
    } \
    void __irkiss_written_##name(void) \
    { \
        volatile type *number = one_##name(0222); \
        if (number && __irkiss_nondet_bool()) \
            *number = (type)(given); \
        else \
            __irkiss_shown_##name(); \
    }

NUMBER(u8, u8, __irkiss_nondet_u64())
NUMBER(u16, u16, __irkiss_nondet_u64())
NUMBER(u32, u32, __irkiss_nondet_u64())
NUMBER(u64, u64, __irkiss_nondet_u64())
NUMBER(ulong, unsigned long, __irkiss_nondet_u64())
NUMBER(bool, _Bool, __irkiss_nondet_bool())
