// irkiss: ; expect: none ; lazy: yes
//
// Functions that fill what they are given: each writes memory that both share.
#include "kernel.h"

extern void get_random_bytes(void *, size_t);
extern void ktime_get_real_ts64(void *);
extern void ktime_get_ts64(void *);
extern void ktime_get_coarse_real_ts64(void *);

static long shared[4][8];
static DEFINE_MUTEX(lock);

static ssize_t demo_read(struct file *file, char __user *buffer, size_t bytes, loff_t *position)
{
    long sum = 0;
    mutex_lock(&lock);
    sum += READ_ONCE(*(char *)shared[0]);
    sum += READ_ONCE(*(char *)shared[1]);
    sum += READ_ONCE(*(char *)shared[2]);
    sum += READ_ONCE(*(char *)shared[3]);
    mutex_unlock(&lock);
    return sum;
}

static ssize_t demo_write(struct file *file, const char __user *buffer, size_t bytes, loff_t *position)
{
    mutex_lock(&lock);
    get_random_bytes(shared[0], 4);
    ktime_get_real_ts64(shared[1]);
    ktime_get_ts64(shared[2]);
    ktime_get_coarse_real_ts64(shared[3]);
    mutex_unlock(&lock);
    return 0;
}

static const struct file_operations demo_fops = {
    .owner = THIS_MODULE,
    .read = demo_read,
    .write = demo_write,
};

static struct miscdevice demo_device = { .minor = 255, .name = "demo", .fops = &demo_fops };

static int demo_init(void)
{
    return misc_register(&demo_device);
}

module_init(demo_init)
