// irkiss: ; expect: none ; lazy: yes
//
// Functions that read what they are given: each reads memory that both share.
#include "kernel.h"


extern unsigned long raw_copy_to_user(void *, const void *, unsigned long);
extern unsigned long _inline_copy_to_user(void *, const void *, unsigned long);
extern int regmap_raw_write(void *, unsigned int, const void *, size_t);

static long shared[4][8];
static DEFINE_MUTEX(lock);

static ssize_t demo_read(struct file *file, char __user *buffer, size_t bytes, loff_t *position)
{
    long value = 1;
    mutex_lock(&lock);
    WRITE_ONCE(*(char *)shared[0], value);
    WRITE_ONCE(*(char *)shared[1], value);
    WRITE_ONCE(*(char *)shared[2], value);
    WRITE_ONCE(*(char *)shared[3], value);
    mutex_unlock(&lock);
    return value;
}

static ssize_t demo_write(struct file *file, const char __user *buffer, size_t bytes, loff_t *position)
{
    mutex_lock(&lock);
    _copy_to_user(NULL, shared[0], 4);
    raw_copy_to_user(NULL, shared[1], 4);
    _inline_copy_to_user(NULL, shared[2], 4);
    regmap_raw_write(NULL, 0, shared[3], 4);
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
