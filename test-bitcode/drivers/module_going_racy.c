// irkiss: ; expect: race
//
// As module_going_safe.c, but the reference is given back too early.
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
    module_put(THIS_MODULE);
    now = table; // RACE
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
    table = NULL; // RACE
    misc_deregister(&demo_misc);
}

module_init(demo_init)
module_exit(demo_exit)
