// irkiss: ; expect: none
//
// The writer takes the object away, waits for a grace period and only then writes to it: no reader can hold it any more.
#include "kernel.h"

extern void __rcu_read_lock(void);
extern void __rcu_read_unlock(void);
extern void synchronize_rcu(void);

struct item {
    long state, value;
};
static struct item first;
static struct item *current_item = &first;
static DEFINE_MUTEX(writers);

static ssize_t demo_read(struct file *file, char __user *buffer, size_t bytes, loff_t *position)
{
    struct item *item;
    long value = 0;
    __rcu_read_lock();
    item = READ_ONCE(current_item);
    if (item)
        value = item->value; // NORACE
    __rcu_read_unlock();
    return value;
}

static ssize_t demo_write(struct file *file, const char __user *buffer, size_t bytes, loff_t *position)
{
    struct item *item;
    mutex_lock(&writers);
    item = current_item;
    WRITE_ONCE(current_item, NULL);
    synchronize_rcu();
    if (item)
        item->value = 1; // NORACE
    mutex_unlock(&writers);
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
