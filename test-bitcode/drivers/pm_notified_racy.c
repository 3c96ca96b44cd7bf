// irkiss: ; expect: race ; lazy: yes
//
// Processes still run when notifiers are told that the system is about to sleep: a file is read meanwhile.
#include "kernel.h"

struct notifier_block {
    int (*notifier_call)(struct notifier_block *block, unsigned long event, void *data);
};
extern int register_pm_notifier(struct notifier_block *block);
extern int unregister_pm_notifier(struct notifier_block *block);

static int transitions;

static int demo_notify(struct notifier_block *block, unsigned long event, void *data)
{
    transitions++; // RACE
    return 0;
}

static ssize_t demo_read(struct file *file, char __user *buffer, size_t size, loff_t *position)
{
    return transitions; // RACE
}

static const struct file_operations demo_fops = { .owner = THIS_MODULE, .read = demo_read };
static struct miscdevice demo_device = { .minor = MISC_DYNAMIC_MINOR, .name = "demo", .fops = &demo_fops };
static struct notifier_block demo_block = { .notifier_call = demo_notify };

static int demo_init(void)
{
    int error = misc_register(&demo_device);

    if (error)
        return error;
    return register_pm_notifier(&demo_block);
}

static void demo_exit(void)
{
    unregister_pm_notifier(&demo_block);
    misc_deregister(&demo_device);
}

module_init(demo_init)
module_exit(demo_exit)
