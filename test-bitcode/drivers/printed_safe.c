// irkiss: ; expect: none ; lazy: yes
//
// Functions that print into a buffer: each writes memory that both share.
#include "kernel.h"

extern int sprintf(char *, const char *, ...);
extern int sysfs_emit(char *, const char *, ...);
extern int snprintf(char *, size_t, const char *, ...);
extern int scnprintf(char *, size_t, const char *, ...);

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
    sprintf((char *)shared[0], "%d", 1);
    sysfs_emit((char *)shared[1], "%d", 1);
    snprintf((char *)shared[2], 4, "%d", 1);
    scnprintf((char *)shared[3], 4, "%d", 1);
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
