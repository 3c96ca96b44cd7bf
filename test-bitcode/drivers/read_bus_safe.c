// irkiss: ; expect: none ; lazy: yes
//
// Functions that read registers, configuration space, reports: each writes memory that both share.
#include "kernel.h"

extern int regmap_read(void *, unsigned int, void *);
extern int regmap_bulk_read(void *, unsigned int, void *, size_t);
extern int regmap_raw_read(void *, unsigned int, void *, size_t);
extern int spi_write_then_read(void *, const void *, unsigned int, void *, unsigned int);

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
    regmap_read(NULL, 0, shared[0]);
    regmap_bulk_read(NULL, 0, shared[1], 4);
    regmap_raw_read(NULL, 0, shared[2], 4);
    spi_write_then_read(NULL, "", 1, shared[3], 4);
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
