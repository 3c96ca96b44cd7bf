/* Modes of industrial I/O devices (drivers/iio/industrialio-core.c). Who has claimed direct mode holds mlock, and no buffer is on or is
 * turned on; who has claimed buffer mode, too, and the one that is on stays.
 */
#include "irkiss_linux.h"

u64 __irkiss_offsetof__iio_dev__mlock(void);
#define UNKNOWN (~0ull)

/* Later versions have mlock in a struct of the core's own: then the device stands for it. */
static void *lock_of(void *device)
{
    u64 at = __irkiss_offsetof__iio_dev__mlock();
    return at == UNKNOWN ? device : (char *)device + at;
}

static int claim(void *device)
{
    irkiss_lock(lock_of(device));
    if (!__irkiss_nondet_bool())
        return 0;
    irkiss_unlock(lock_of(device));
    return -EBUSY;
}

int iio_device_claim_direct_mode(void *device)
{
    return claim(device);
}

void iio_device_release_direct_mode(void *device)
{
    irkiss_unlock(lock_of(device));
}

int iio_device_claim_buffer_mode(void *device)
{
    return claim(device);
}

void iio_device_release_buffer_mode(void *device)
{
    irkiss_unlock(lock_of(device));
}

/* include/linux/iio/buffer.h: iio_push_to_buffers_with_timestamp writes the time behind the values, where a size that the core computes
 * (iio_compute_scan_bytes) says, and hands both over. That size is not known here. */
IRKISS_ASSUMES("scans-fit")
int irkiss_model__iio_push_to_buffers_with_timestamp(void *, void *, long long)
{
    return (int)__irkiss_nondet_u32();
}
