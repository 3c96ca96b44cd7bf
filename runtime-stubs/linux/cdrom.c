/* The core of CD-ROM drivers (drivers/cdrom/cdrom.c). It calls a driver's operations only while the driver is in one of these
 * calls, in their thread and under the locks that they are called with. Which of them depends on the disc: any of those that the
 * function may call, each at most once where it calls it. What these functions take beside the drive differs from version to
 * version. Not modelled: packets (cdrom_mode_sense and its like), whose functions call generic_packet alone; and the fields of
 * struct cdrom_device_info that the core itself writes.
 */
#include "irkiss_linux.h"

#define ENOSYS 38
#define ENOMEDIUM 123

/* CDSL_CURRENT: the disc that is in the drive. */
#define CURRENT 0x7fffffff

u64 __irkiss_offsetof__cdrom_device_info__ops(void);

/* `ops->name`, or null: the driver has none, or there is no such field. */
#define OPERATION(cdi, name) \
    ({ \
        u64 __irkiss_offsetof__cdrom_device_ops__##name(void); \
        operation(cdi, __irkiss_offsetof__cdrom_device_ops__##name()); \
    })

static void *operation(const void *cdi, u64 at)
{
    u64 ops_at = __irkiss_offsetof__cdrom_device_info__ops();
    const void *ops;
    if (at == ~0ull || ops_at == ~0ull)
        return NULL;
    ops = irkiss_field(cdi, (usize)ops_at);
    return ops ? irkiss_field(ops, (usize)at) : NULL;
}

/* Calls an operation that takes a number, if the driver has it. */
static int with_number(void *cdi, void *function, int number)
{
    return function ? ((int (*)(void *, int))function)(cdi, number) : -ENOMEDIUM;
}

/* One that is given something to read or to fill, which is the caller's own. */
static int with_answer(void *cdi, void *function)
{
    u64 answer[16];
    if (!function)
        return -ENOMEDIUM;
    __irkiss_havoc(answer, sizeof(answer));
    return ((int (*)(void *, void *))function)(cdi, answer);
}

static int audio(void *cdi)
{
    void *function = OPERATION(cdi, audio_ioctl);
    u64 answer[16];
    if (!function)
        return -ENOMEDIUM;
    __irkiss_havoc(answer, sizeof(answer));
    return ((int (*)(void *, u32, void *))function)(cdi, __irkiss_nondet_u32(), answer);
}

static void packet(void *cdi)
{
    int (*function)(void *, void *) = (int (*)(void *, void *))OPERATION(cdi, generic_packet);
    if (function && __irkiss_nondet_bool())
        (void)function(cdi, __irkiss_lazy(0, "packet_command"));
}

/* Whether there is a disc, and of what kind (open_for_data, check_for_audio_disc, cdrom_count_tracks). */
static int disc(void *cdi)
{
    (void)with_number(cdi, OPERATION(cdi, drive_status), CURRENT);
    if (__irkiss_nondet_bool())
        (void)with_number(cdi, OPERATION(cdi, tray_move), 0);
    if (__irkiss_nondet_bool())
        (void)with_number(cdi, OPERATION(cdi, drive_status), CURRENT);
    if (__irkiss_nondet_bool())
        (void)audio(cdi);
    return __irkiss_nondet_bool() ? -ENOMEDIUM : 0;
}

static void release(void *cdi)
{
    void (*function)(void *) = (void (*)(void *))OPERATION(cdi, release);
    if (function)
        function(cdi);
}

int cdrom_open(void *cdi, ...)
{
    int purpose = __irkiss_nondet_bool();
    int error = purpose ? 0 : disc(cdi);
    if (error)
        return error;
    error = with_number(cdi, OPERATION(cdi, open), purpose);
    if (error)
        return error;
    packet(cdi);
    if (__irkiss_nondet_bool())
        (void)with_number(cdi, OPERATION(cdi, drive_status), CURRENT);
    if (__irkiss_nondet_bool())
        (void)with_number(cdi, OPERATION(cdi, lock_door), 1);
    /* Of the wrong kind after all (err, err_release), or there is nothing to write on. */
    if (__irkiss_nondet_bool()) {
        if (__irkiss_nondet_bool())
            (void)with_number(cdi, OPERATION(cdi, lock_door), 0);
        release(cdi);
        return -ENOMEDIUM;
    }
    return 0;
}

void cdrom_release(void *cdi, ...)
{
    packet(cdi);
    if (__irkiss_nondet_bool())
        (void)with_number(cdi, OPERATION(cdi, lock_door), 0);
    release(cdi);
    if (__irkiss_nondet_bool())
        (void)with_number(cdi, OPERATION(cdi, tray_move), 1);
}

u32 cdrom_check_events(void *cdi, u32 clearing)
{
    u32 (*function)(void *, u32, int) = (u32 (*)(void *, u32, int))OPERATION(cdi, check_events);
    return function ? function(cdi, clearing, CURRENT) : 0;
}

/* One command, which is one operation or the two that open the tray; several of them ask for the drive's state before. */
int cdrom_ioctl(void *cdi, ...)
{
    if (__irkiss_nondet_bool())
        (void)with_number(cdi, OPERATION(cdi, drive_status), CURRENT);
    if (__irkiss_nondet_bool())
        return with_answer(cdi, OPERATION(cdi, get_last_session));
    if (__irkiss_nondet_bool()) {
        if (__irkiss_nondet_bool())
            (void)with_number(cdi, OPERATION(cdi, lock_door), 0);
        return with_number(cdi, OPERATION(cdi, tray_move), __irkiss_nondet_bool());
    }
    if (__irkiss_nondet_bool())
        return with_number(cdi, OPERATION(cdi, lock_door), __irkiss_nondet_bool());
    if (__irkiss_nondet_bool())
        return with_number(cdi, OPERATION(cdi, select_speed), (int)__irkiss_nondet_u32());
    if (__irkiss_nondet_bool())
        return with_answer(cdi, OPERATION(cdi, get_mcn));
    if (__irkiss_nondet_bool()) {
        int (*function)(void *) = (int (*)(void *))OPERATION(cdi, reset);
        return function ? function(cdi) : -ENOSYS;
    }
    if (__irkiss_nondet_bool()) {
        void *function = OPERATION(cdi, read_cdda_bpc);
        u32 (*media)(void *, u32, int) = (u32 (*)(void *, u32, int))OPERATION(cdi, check_events);
        u8 sense;
        if (function && __irkiss_nondet_bool())
            return ((int (*)(void *, void *, int, int, u8 *))function)(
                cdi, NULL, (int)__irkiss_nondet_u32(), (int)__irkiss_nondet_u32(), &sense);
        return media ? (int)media(cdi, 0, (int)__irkiss_nondet_u32()) : 0;
    }
    packet(cdi);
    return audio(cdi);
}

/* What other drivers ask of a drive (fs/isofs/inode.c: isofs_get_last_session). */
int cdrom_multisession(void *cdi, void *session)
{
    int (*function)(void *, void *) = (int (*)(void *, void *))OPERATION(cdi, get_last_session);
    return function ? function(cdi, session) : -ENOSYS;
}
