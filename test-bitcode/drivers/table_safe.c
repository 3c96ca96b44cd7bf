// irkiss: --pair demo_read,demo_write ; expect: none
//
// What idr_find finds is the object that idr_alloc entered, not one of its own.
#include "kernel.h"

struct item {
    long id, uses;
};
extern int idr_alloc(void *table, void *object, int start, int end, unsigned int flags);
extern void *idr_find(const void *table, unsigned long number);

static struct item first;
static long table[16];
static DEFINE_MUTEX(table_lock);

static ssize_t demo_read(struct file *file, char __user *buffer, size_t bytes, loff_t *position)
{
    struct item *item;
    mutex_lock(&table_lock);
    item = idr_find(table, bytes);
    if (item)
        item->uses++; // NORACE
    mutex_unlock(&table_lock);
    return 0;
}

static ssize_t demo_write(struct file *file, const char __user *buffer, size_t bytes, loff_t *position)
{
    struct item *item = __kmalloc(sizeof(*item), GFP_KERNEL | 0x100u);
    if (!item)
        return -ENOMEM;
    mutex_lock(&table_lock);
    idr_alloc(table, item, 0, 0, GFP_KERNEL);
    item->uses = 1;
    mutex_unlock(&table_lock);
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
    if (idr_alloc(table, &first, 0, 0, GFP_KERNEL) < 0)
        return -ENOMEM;
    return misc_register(&demo_device);
}

module_init(demo_init)
