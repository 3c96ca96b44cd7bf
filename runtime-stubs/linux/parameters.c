/* The kernel's own operations of module parameters (kernel/params.c), as a driver's operations call them: on what the parameter's `arg` leads to,
 * under no lock but that of parameters, which who called the driver's holds. What is written is arbitrary, or nothing is and an error given.
 */
#include "irkiss_linux.h"

/* struct kernel_param: name, mod, ops, and three small numbers before it. */
static void *value_of(const void *parameter)
{
    return irkiss_field(parameter, 4 * sizeof(void *));
}

#define PARAMETER(name, type) \
    int param_set_##name(const char *, const void *parameter) \
    { \
        type *value = value_of(parameter); \
        if (__irkiss_nondet_bool()) \
            return -EINVAL; \
        *value = (type)__irkiss_nondet_u64(); \
        return 0; \
    } \
    int param_get_##name(char *, const void *parameter) \
    { \
        __irkiss_touch(value_of(parameter), sizeof(type)); \
        return (int)(__irkiss_nondet_u32() % 32); \
    }
PARAMETER(byte, u8)
PARAMETER(short, u16)
PARAMETER(ushort, u16)
PARAMETER(int, u32)
PARAMETER(uint, u32)
PARAMETER(hexint, u32)
PARAMETER(long, unsigned long)
PARAMETER(ulong, unsigned long)
PARAMETER(ullong, u64)

static int set_bool(const void *parameter)
{
    u8 *value = value_of(parameter);
    if (__irkiss_nondet_bool())
        return -EINVAL;
    *value = __irkiss_nondet_bool();
    return 0;
}

int param_set_bool(const char *, const void *parameter)
{
    return set_bool(parameter);
}

int param_set_invbool(const char *, const void *parameter)
{
    return set_bool(parameter);
}

int param_get_bool(char *, const void *parameter)
{
    __irkiss_touch(value_of(parameter), sizeof(u8));
    return 2;
}

int param_get_invbool(char *, const void *parameter)
{
    __irkiss_touch(value_of(parameter), sizeof(u8));
    return 2;
}
