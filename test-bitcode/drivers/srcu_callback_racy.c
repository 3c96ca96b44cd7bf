// irkiss: --property uaf --pair demo_read,demo_write,demo_free ; expect: uaf
//
// As srcu_callback_safe.c, but the callback comes after a grace period of another domain.
#include "kernel.h"

struct srcu_struct { void *sda; };
struct callback_head { struct callback_head *next; void (*func)(struct callback_head *); };
extern int __srcu_read_lock(struct srcu_struct *);
extern void __srcu_read_unlock(struct srcu_struct *, int);
extern void synchronize_srcu(struct srcu_struct *), synchronize_srcu_expedited(struct srcu_struct *);
extern void call_srcu(struct srcu_struct *, struct callback_head *, void (*)(struct callback_head *));

struct item {
    struct callback_head head;
    long value;
};
static struct srcu_struct domain, other;
static struct item *current_item;
static DEFINE_MUTEX(writers);

static ssize_t demo_read(struct file *file, char __user *buffer, size_t bytes, loff_t *position)
{
    int number = __srcu_read_lock(&domain);
    struct item *item = READ_ONCE(current_item);
    long value = 0;
    if (item)
        value = item->value; // FREED
    __srcu_read_unlock(&domain, number);
    return value;
}

static void demo_free(struct callback_head *head)
{
    kfree(head);
}

static ssize_t demo_write(struct file *file, const char __user *buffer, size_t bytes, loff_t *position)
{
    struct item *item;
    mutex_lock(&writers);
    item = current_item;
    WRITE_ONCE(current_item, NULL);
    if (item)
        call_srcu(&other, &item->head, demo_free);
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
    current_item = __kmalloc(sizeof(struct item), GFP_KERNEL | 0x100);
    if (!current_item)
        return -ENOMEM;
    return misc_register(&demo_device);
}

module_init(demo_init)
