// irkiss: ; expect: race ; suppressed: data_race ; forms: nopass
//
// A counter is written under a lock, plainly, and read without it. data_race() is around another read, which says nothing of this one,
// and nothing of what comes after it.
#include "kcsan.h"

static DEFINE_SPINLOCK(lock);
static long count, total;

static inline long read_total(void)
{
    return total; // RACE
}

static ssize_t demo_read(struct file *file, char __user *buffer, size_t bytes, loff_t *position)
{
    long seen = data_race(read_total());

    return seen + count + read_total(); // RACE
}

static ssize_t demo_write(struct file *file, const char __user *buffer, size_t bytes, loff_t *position)
{
    spin_lock(&lock);
    count++; // RACE
    total += bytes; // RACE
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
