// irkiss: ; expect: none ; lazy: yes
//
// As sent_safe.c, for checksums and others.
#include "kernel.h"

extern unsigned int crc32_be(unsigned int, const void *, size_t);
extern unsigned int __crc32c_le(unsigned int, const void *, size_t);
extern unsigned short crc16(unsigned short, const void *, size_t);
extern unsigned short crc_ccitt(unsigned short, const void *, size_t);

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
    crc32_be(0, shared[0], 4);
    __crc32c_le(0, shared[1], 4);
    crc16(0, shared[2], 4);
    crc_ccitt(0, shared[3], 4);
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
