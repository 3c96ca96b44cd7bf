// irkiss: ; expect: none
//
// Who has a reference of the module runs neither beside its exit nor after that has begun.
#include "kernel.h"

extern _Bool try_module_get(struct module *module);
extern void module_put(struct module *module);

static long *table;
static long words;

static ssize_t demo_write(struct file *file, const char __user *buffer, size_t bytes, loff_t *position)
{
    long *now;
    if (!try_module_get(THIS_MODULE))
        return -EBUSY;
    now = table; // NORACE
    module_put(THIS_MODULE);
    return now ? (ssize_t)bytes : 0;
}

// Without an owner: an open file does not keep the module.
static const struct file_operations demo_fops = { .write = demo_write };
static struct miscdevice demo_misc = { .minor = MISC_DYNAMIC_MINOR, .name = "demo", .fops = &demo_fops };

static int demo_init(void)
{
    table = &words;
    return misc_register(&demo_misc);
}

static void demo_exit(void)
{
    table = NULL; // NORACE
    misc_deregister(&demo_misc);
}

module_init(demo_init)
module_exit(demo_exit)
