// irkiss: ; expect: none ; by: lockset ; lazy: yes
//
// The core of CD-ROM drivers calls a drive's operations under the driver's own lock, since it is the driver that calls the core.
#include "kernel.h"

struct gendisk;
struct block_device {
    struct gendisk *bd_disk;
};
struct block_device_operations {
    int (*open)(struct block_device *, unsigned int);
    void (*release)(struct gendisk *, unsigned int);
    unsigned int (*check_events)(struct gendisk *, unsigned int);
    int (*ioctl)(struct block_device *, unsigned int, unsigned int, unsigned long);
};
struct gendisk {
    int major;
    struct mutex open_mutex;
    const struct block_device_operations *fops;
};
extern struct gendisk *__blk_alloc_disk(int node, void *key);
extern int device_add_disk(void *parent, struct gendisk *disk, void *groups);

struct cdrom_device_info;
struct cdrom_multisession {
    int address;
};
struct cdrom_device_ops {
    int (*open)(struct cdrom_device_info *, int);
    void (*release)(struct cdrom_device_info *);
    unsigned int (*check_events)(struct cdrom_device_info *, unsigned int, int);
    int (*get_last_session)(struct cdrom_device_info *, struct cdrom_multisession *);
    int (*reset)(struct cdrom_device_info *);
};
struct cdrom_device_info {
    const struct cdrom_device_ops *ops;
};
extern int cdrom_open(struct cdrom_device_info *info, struct block_device *device, unsigned int mode);
extern void cdrom_release(struct cdrom_device_info *info, unsigned int mode);
extern unsigned int cdrom_check_events(struct cdrom_device_info *info, unsigned int clearing);
extern int cdrom_ioctl(struct cdrom_device_info *info, struct block_device *device, unsigned int mode, unsigned int command,
                       unsigned long argument);
extern int cdrom_multisession(struct cdrom_device_info *info, struct cdrom_multisession *session);

int opened, released, seen, sessions, asked, resets, closing, gone, cleared;
static struct cdrom_multisession kept;

static int demo_open(struct cdrom_device_info *info, int purpose)
{
    opened++; // NORACE
    closing = 1; // NORACE
    return 0;
}

static void demo_release(struct cdrom_device_info *info)
{
    released++; // NORACE
    if (closing)
        gone++; // NORACE
}

static unsigned int demo_events(struct cdrom_device_info *info, unsigned int clearing, int slot)
{
    seen++; // NORACE
    if (clearing != 1)
        cleared++; // NORACE
    return 0;
}

static int demo_session(struct cdrom_device_info *info, struct cdrom_multisession *session)
{
    sessions++; // NORACE
    if (session == &kept)
        asked++; // NORACE
    return 0;
}

static int demo_reset(struct cdrom_device_info *info)
{
    resets += opened; // NORACE
    resets += released; // NORACE
    resets += seen; // NORACE
    resets += gone; // NORACE
    resets += cleared; // NORACE
    return 0;
}

static const struct cdrom_device_ops demo_ops = {
    .open = demo_open,
    .release = demo_release,
    .check_events = demo_events,
    .get_last_session = demo_session,
    .reset = demo_reset,
};
static struct cdrom_device_info demo_info = { .ops = &demo_ops };

static DEFINE_MUTEX(demo_mutex);

static int disk_open(struct block_device *device, unsigned int mode)
{
    int error;
    mutex_lock(&demo_mutex);
    error = cdrom_open(&demo_info, device, mode);
    mutex_unlock(&demo_mutex);
    return error;
}

static void disk_release(struct gendisk *disk, unsigned int mode)
{
    mutex_lock(&demo_mutex);
    closing = 1;
    cdrom_release(&demo_info, mode);
    closing = 0;
    mutex_unlock(&demo_mutex);
}

static unsigned int disk_events(struct gendisk *disk, unsigned int clearing)
{
    unsigned int events;
    mutex_lock(&demo_mutex);
    events = cdrom_check_events(&demo_info, clearing);
    mutex_unlock(&demo_mutex);
    return events;
}

static int disk_ioctl(struct block_device *device, unsigned int mode, unsigned int command, unsigned long argument)
{
    int error;
    mutex_lock(&demo_mutex);
    error = command ? cdrom_ioctl(&demo_info, device, mode, command, argument) : cdrom_multisession(&demo_info, &kept);
    mutex_unlock(&demo_mutex);
    return error;
}

static const struct block_device_operations disk_ops = {
    .open = disk_open,
    .release = disk_release,
    .check_events = disk_events,
    .ioctl = disk_ioctl,
};

static int demo_init(void)
{
    struct gendisk *disk = __blk_alloc_disk(0, NULL);
    if (!disk)
        return -ENOMEM;
    disk->fops = &disk_ops;
    return device_add_disk(NULL, disk, NULL);
}

module_init(demo_init)
