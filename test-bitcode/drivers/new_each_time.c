// irkiss: ; expect: unknown ; reason: they were not seen to access one object ; forms: nopass
//
// Who writes makes an object of its own each time, and fills it in under a lock: the lock keeps nothing apart, for there is nothing that
// two of them have in common.
#include "kernel.h"

struct item {
    long id, uses;
};
extern int idr_alloc(void *table, void *object, int start, int end, unsigned int flags);

static long table[16];
static DEFINE_MUTEX(table_lock);

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
    .write = demo_write,
};

static struct miscdevice demo_device = { .minor = 255, .name = "demo", .fops = &demo_fops };

static int demo_init(void)
{
    return misc_register(&demo_device);
}

module_init(demo_init)
