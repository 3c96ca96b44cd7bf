// irkiss: --property lock-misuse ; expect: none
//
// As locks_fails.c, with the mistakes mended; and what looks like one and is none: a lock taken conditionally and given back under
// the same condition, trylock, an allocation that does not sleep, start and stop of a sequence.
#include "../drivers/kernel.h"

extern void msleep(unsigned int ms);
extern int mutex_trylock(struct mutex *lock);
#define GFP_ATOMIC 0xa20u

static DEFINE_SPINLOCK(counter_lock);
static DEFINE_MUTEX(table_lock);
static long *table;

static void reset(void)
{
    table = NULL;
}

static ssize_t demo_read(struct file *file, char __user *buffer, size_t size, loff_t *position)
{
    void *room;

    if (size > 10)
        spin_lock(&counter_lock);
    room = __kmalloc(8, size > 10 ? GFP_ATOMIC : GFP_KERNEL);
    if (size > 10)
        spin_unlock(&counter_lock);
    msleep(1);
    kfree(room);
    return 0;
}

static ssize_t demo_write(struct file *file, const char __user *buffer, size_t size, loff_t *position)
{
    if (!mutex_trylock(&table_lock))
        return -EBUSY;
    if (size > 100) {
        mutex_unlock(&table_lock);
        return -EFAULT;
    }
    if (size == 0)
        reset();
    mutex_unlock(&table_lock);
    mutex_lock(&table_lock);
    mutex_unlock(&table_lock);
    return size;
}

static const struct file_operations demo_fops = {
    .owner = THIS_MODULE,
    .read = demo_read,
    .write = demo_write,
};

static struct miscdevice demo_device = { .minor = MISC_DYNAMIC_MINOR, .name = "demo", .fops = &demo_fops };

static int demo_init(void)
{
    return misc_register(&demo_device);
}

module_init(demo_init)
