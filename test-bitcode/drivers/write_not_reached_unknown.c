// irkiss: ; expect: unknown ; reason: is not shown to reach its access ; lazy: yes
//
// Both operations hold the lock, and what writes is behind a condition that never holds here: that two reads do not race is no proof of
// anything.
#include "kernel.h"

static DEFINE_MUTEX(lock);
static int enabled;
int level;

static ssize_t demo_read(struct file *file, char __user *buffer, size_t count, loff_t *position)
{
    int seen;
    mutex_lock(&lock);
    seen = level;
    mutex_unlock(&lock);
    return seen;
}

static ssize_t demo_write(struct file *file, const char *buffer, size_t count, loff_t *position)
{
    int seen;
    mutex_lock(&lock);
    if (READ_ONCE(enabled) == 2)
        level = count;
    seen = level;
    mutex_unlock(&lock);
    return seen;
}

static const struct file_operations demo_operations = { .owner = THIS_MODULE, .read = demo_read, .write = demo_write };
static struct miscdevice demo_misc = { .minor = MISC_DYNAMIC_MINOR, .name = "demo", .fops = &demo_operations };

static int demo_init(void)
{
    WRITE_ONCE(enabled, 1);
    return misc_register(&demo_misc);
}

module_init(demo_init)
