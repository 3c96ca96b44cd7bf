/* ACPI: mutexes of the firmware (drivers/acpi/acpica/utxfmutex.c). Handle and path together name one; one of the two may be null. Where both
 * are given, the handle stands for all mutexes below it: two of them are taken for one only if their paths are one string.
 */
#include "irkiss_linux.h"

#define AE_NOT_EXIST 0x0006
#define AE_TIME 0x0011

static const void *mutex_of(const void *handle, const char *path)
{
    return path ? (const void *)path : handle;
}

/* It may not be there, and whoever has it may keep it for longer than one waits. */
u32 acpi_acquire_mutex(void *handle, const char *path, u16)
{
    if (__irkiss_nondet_bool())
        return __irkiss_nondet_bool() ? AE_NOT_EXIST : AE_TIME;
    irkiss_lock(mutex_of(handle, path));
    return 0;
}

/* drivers/acpi/acpica/evxface.c: acpi_acquire_global_lock: there is one, and who has it gets a number for giving it back. */
static const char global_lock;

u32 acpi_acquire_global_lock(u16, u32 *handle)
{
    if (__irkiss_nondet_bool())
        return AE_TIME;
    irkiss_lock(&global_lock);
    *handle = __irkiss_nondet_u32();
    return 0;
}

u32 acpi_release_global_lock(u32)
{
    irkiss_unlock(&global_lock);
    return 0;
}

u32 acpi_release_mutex(void *handle, const char *path)
{
    irkiss_unlock(mutex_of(handle, path));
    return __irkiss_nondet_bool() ? AE_NOT_EXIST : 0;
}
