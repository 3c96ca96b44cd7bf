// irkiss: ; expect: race ; lazy: yes ; forms: nopass
//
// As restart_alone_safe.c, but it is told before the restart, while all goes on.
#include "kernel.h"

struct notifier_block {
    int (*notifier_call)(struct notifier_block *block, unsigned long event, void *data);
};
extern int register_reboot_notifier(struct notifier_block *block);
extern int unregister_reboot_notifier(struct notifier_block *block);

struct demo {
    int level;
    struct notifier_block block;
};
static struct demo *demo;
static DEFINE_MUTEX(lock);

static int demo_restart(struct notifier_block *block, unsigned long event, void *data)
{
    demo->level = 1; // RACE
    return 0;
}

static ssize_t demo_write(struct file *file, const char __user *buffer, size_t size, loff_t *position)
{
    mutex_lock(&lock);
    demo->level = 2; // RACE
    mutex_unlock(&lock);
    return size;
}

static const struct file_operations demo_fops = { .owner = THIS_MODULE, .write = demo_write };
static struct miscdevice demo_device = { .minor = MISC_DYNAMIC_MINOR, .name = "demo", .fops = &demo_fops };

static int demo_init(void)
{
    int error;

    demo = __kmalloc(sizeof(*demo), GFP_KERNEL);
    if (!demo)
        return -ENOMEM;
    demo->block.notifier_call = demo_restart;
    error = register_reboot_notifier(&demo->block);
    if (error)
        return error;
    return misc_register(&demo_device);
}

module_init(demo_init)
