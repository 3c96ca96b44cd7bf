// irkiss: ; expect: none ; suppressed: data_race ; forms: nopass
//
// A counter is written under a lock, plainly, and read without it within data_race(): the race is meant. So it is where an inline
// function reads.
#include "kcsan.h"

static DEFINE_SPINLOCK(lock);
static long count, total;

static inline long read_total(void)
{
    return total;
}

static ssize_t demo_read(struct file *file, char __user *buffer, size_t bytes, loff_t *position)
{
    return data_race(count) + data_race(read_total());
}

static ssize_t demo_write(struct file *file, const char __user *buffer, size_t bytes, loff_t *position)
{
    spin_lock(&lock);
    count++;
    total += bytes;
    spin_unlock(&lock);
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
