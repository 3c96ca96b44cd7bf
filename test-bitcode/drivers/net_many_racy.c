// irkiss: ; expect: race
//
// As net_many_safe.c, but the flag is looked at before the lock is taken.
#include "kernel.h"

static DEFINE_SPINLOCK(lock);
static DEFINE_MUTEX(settings);
static int busy;
static int transferred;
static _Atomic int set[12];

static ssize_t demo_write(struct file *file, const char __user *buffer, size_t bytes, loff_t *position)
{
    if (__atomic_load_n(&busy, __ATOMIC_RELAXED))
        return -EBUSY;
    spin_lock(&lock);
    __atomic_store_n(&busy, 1, __ATOMIC_RELAXED);
    spin_unlock(&lock);
    transferred = transferred + (int)bytes; // RACE
    spin_lock(&lock);
    __atomic_store_n(&busy, 0, __ATOMIC_RELAXED);
    spin_unlock(&lock);
    return 0;
}

static long demo_ioctl(struct file *file, unsigned int command, unsigned long argument)
{
    mutex_lock(&settings);
    int a = set[0], b = set[1], c = set[2], d = set[3], e = set[4], f = set[5];
    int g = set[6], h = set[7], i = set[8], j = set[9], k = set[10], l = set[11];
    if (command) {
        set[0] = 1, set[1] = 1, set[2] = 1, set[3] = 1, set[4] = 1, set[5] = 1;
        set[6] = 1, set[7] = 1, set[8] = 1, set[9] = 1, set[10] = 1, set[11] = 1;
    }
    mutex_unlock(&settings);
    if (a && b && c && d && e && f && g && h && i && j && k && l)
        return -EBUSY;
    return 0;
}

static const struct file_operations demo_fops = { .owner = THIS_MODULE, .write = demo_write, .unlocked_ioctl = demo_ioctl };
static struct miscdevice demo_device = { .minor = MISC_DYNAMIC_MINOR, .name = "demo", .fops = &demo_fops };

static int demo_init(void)
{
    return misc_register(&demo_device);
}

module_init(demo_init)
