// irkiss: ; expect: race
//
// A block device leads to the disk that the driver has made, also where it makes that itself.
#include "kernel.h"

struct gendisk;
struct block_device {
    struct gendisk *bd_disk;
};
struct block_device_operations {
    int (*open)(struct block_device *, unsigned int);
    int (*ioctl)(struct block_device *, unsigned int, unsigned int, unsigned long);
};
struct gendisk {
    int major;
    const struct block_device_operations *fops;
    void *private_data;
};
extern struct gendisk *__blk_alloc_disk(int node, void *key);
extern int device_add_disk(void *parent, struct gendisk *disk, void *groups);

struct drive {
    int users;
};
static struct drive drive;

static int disk_open(struct block_device *device, unsigned int mode)
{
    struct drive *d = device->bd_disk->private_data;
    d->users++; // RACE
    return 0;
}

static int disk_ioctl(struct block_device *device, unsigned int mode, unsigned int command, unsigned long argument)
{
    struct drive *d = device->bd_disk->private_data;
    d->users = 0; // RACE
    return 0;
}

static const struct block_device_operations disk_ops = {
    .open = disk_open,
    .ioctl = disk_ioctl,
};

static int demo_init(void)
{
    struct gendisk *disk = __blk_alloc_disk(0, NULL);
    if (!disk)
        return -ENOMEM;
    disk->fops = &disk_ops;
    disk->private_data = &drive;
    return device_add_disk(NULL, disk, NULL);
}

module_init(demo_init)
