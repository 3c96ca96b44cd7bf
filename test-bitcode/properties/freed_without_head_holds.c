// irkiss: --property lock-misuse ; expect: none
//
// What is freed after a grace period without a head may have to wait for one itself (kernel/rcu/tree.c: kvfree_call_rcu).
#include "../drivers/kernel.h"

struct item {
    long value;
    struct { void *next; void *function; } head;
};
extern void kvfree_call_rcu(void *head, void *function);
static DEFINE_SPINLOCK(table);
static struct item *last;

static ssize_t demo_write(struct file *file, const char __user *buffer, size_t size, loff_t *position)
{
    struct item *item;

    spin_lock(&table);
    item = last;
    last = NULL;
    spin_unlock(&table);
    if (item)
        kvfree_call_rcu(NULL, item);
    return size;
}

static const struct file_operations demo_fops = { .owner = THIS_MODULE, .write = demo_write };
static struct miscdevice demo_device = { .minor = MISC_DYNAMIC_MINOR, .name = "demo", .fops = &demo_fops };

static int demo_init(void)
{
    last = __kmalloc(sizeof(*last), GFP_KERNEL);
    return misc_register(&demo_device);
}

module_init(demo_init)
