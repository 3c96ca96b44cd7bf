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
