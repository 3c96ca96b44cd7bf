// irkiss: ; expect: none
//
// The writer takes the object away, waits for a grace period and only then writes to it: no reader can hold it any more.
#include "kernel.h"

extern void __rcu_read_lock(void);
extern void __rcu_read_unlock(void);
extern void synchronize_rcu(void), synchronize_rcu_expedited(void), synchronize_net(void);

struct item {
    long state, value;
};
static struct item first, second, third;
static struct item *current_items[3] = { &first, &second, &third };
static DEFINE_MUTEX(writers);

static long value_of(int n)
{
    struct item *item;
    long value = 0;
    __rcu_read_lock();
    item = READ_ONCE(current_items[n]);
    if (item)
        value = item->value; // NORACE
    __rcu_read_unlock();
    return value;
}

static ssize_t demo_read(struct file *file, char __user *buffer, size_t bytes, loff_t *position)
{
    return value_of(0) + value_of(1) + value_of(2);
}

static void change(int n, void (*wait)(void))
{
    struct item *item;
    item = current_items[n];
    WRITE_ONCE(current_items[n], NULL);
    wait();
    if (item)
        item->value = 1; // NORACE
}

static ssize_t demo_write(struct file *file, const char __user *buffer, size_t bytes, loff_t *position)
{
    mutex_lock(&writers);
    change(0, synchronize_rcu);
    change(1, synchronize_rcu_expedited);
    change(2, synchronize_net);
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
