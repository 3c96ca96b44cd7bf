/* Modes of industrial I/O devices (drivers/iio/industrialio-core.c). Who has claimed direct mode holds mlock, and no buffer is on or is
 * turned on; who has claimed buffer mode, too, and the one that is on stays.
 *
 * The functions that a trigger calls run while a buffer is on alone (drivers/iio/industrialio-buffer.c: iio_enable_buffers,
 * iio_disable_buffers): each holds a lock of its own meanwhile (runtime-stubs/rules/hardware.toml), and where one of these is held a
 * buffer is on. Their owners stand at two members that no driver's thread writes then.
 */
#include "irkiss_linux.h"

u64 __irkiss_offsetof__iio_dev__mlock(void);
u64 __irkiss_offsetof__iio_dev__pollfunc(void);
u64 __irkiss_offsetof__iio_dev__pollfunc_event(void);

/* Later versions have mlock in a struct of the core's own: then the device stands for it. */
static void *lock_of(void *device)
{
    u64 at = __irkiss_offsetof__iio_dev__mlock();
    return at == IRKISS_NO_OFFSET ? device : (char *)device + at;
}

/* Whether a buffer is on is asked again and again: it stays so within one execution, whoever turns one on or off. So none is while direct
 * mode is claimed. */
IRKISS_ASSUMES("buffer-stays")
_Bool iio_buffer_enabled(void *device)
{
    u64 on;
    __irkiss_atomic_begin();
    on = __irkiss_ghost_get(device, IRKISS_GHOST_BUFFER);
    if (on == 0) {
        on = __irkiss_nondet_bool() ? 2 : 1;
        __irkiss_ghost_set(device, IRKISS_GHOST_BUFFER, on);
    }
    __irkiss_atomic_end();
    return on == 2;
}

/* A claim of direct mode is refused where a buffer is on, one of buffer mode where none is. */
static int claim(void *device, _Bool buffer)
{
    irkiss_lock(lock_of(device));
    if (iio_buffer_enabled(device) == buffer)
        return 0;
    irkiss_unlock(lock_of(device));
    return -EBUSY;
}

/* Keeps what a trigger calls away, unless it runs. */
static _Bool keep_away(void *device, u64 at)
{
    return at == IRKISS_NO_OFFSET || irkiss_trylock((char *)device + at);
}

static void let(void *device, u64 at)
{
    if (at != IRKISS_NO_OFFSET)
        irkiss_unlock((char *)device + at);
}

int iio_device_claim_direct_mode(void *device)
{
    if (claim(device, 0))
        return -EBUSY;
    if (keep_away(device, __irkiss_offsetof__iio_dev__pollfunc())) {
        if (keep_away(device, __irkiss_offsetof__iio_dev__pollfunc_event()))
            return 0;
        let(device, __irkiss_offsetof__iio_dev__pollfunc());
    }
    irkiss_unlock(lock_of(device));
    return -EBUSY;
}

void iio_device_release_direct_mode(void *device)
{
    let(device, __irkiss_offsetof__iio_dev__pollfunc_event());
    let(device, __irkiss_offsetof__iio_dev__pollfunc());
    irkiss_unlock(lock_of(device));
}

int iio_device_claim_buffer_mode(void *device)
{
    return claim(device, 1);
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

/* drivers/iio/industrialio-buffer.c: iio_push_to_buffers copies a scan, whose length the channels that are on decide: a byte at least. */
IRKISS_ASSUMES("part-of-whole")
int iio_push_to_buffers(void *, const void *scan)
{
    __irkiss_touch(scan, 1);
    return irkiss_may_fail(EBUSY);
}
