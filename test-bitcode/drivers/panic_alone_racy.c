// irkiss: ; expect: race ; lazy: yes
//
// As panic_alone_safe.c, but another chain is meant, whose callers stop nobody.
#include "kernel.h"

struct notifier_block {
    int (*notifier_call)(struct notifier_block *block, unsigned long event, void *data);
};
struct atomic_notifier_head {
    void *head;
};
extern struct atomic_notifier_head keyboard_notifier_list;
extern int atomic_notifier_chain_register(struct atomic_notifier_head *chain, struct notifier_block *block);
extern int atomic_notifier_chain_unregister(struct atomic_notifier_head *chain, struct notifier_block *block);

static DEFINE_MUTEX(lock);
static int reads;

static int demo_notify(struct notifier_block *block, unsigned long event, void *data)
{
    reads = 0; // RACE
    return 0;
}

static ssize_t demo_read(struct file *file, char __user *buffer, size_t size, loff_t *position)
{
    mutex_lock(&lock);
    reads++; // RACE
    mutex_unlock(&lock);
    return 0;
}

static const struct file_operations demo_fops = { .owner = THIS_MODULE, .read = demo_read };
static struct miscdevice demo_device = { .minor = MISC_DYNAMIC_MINOR, .name = "demo", .fops = &demo_fops };
static struct notifier_block demo_block = { .notifier_call = demo_notify };

static int demo_init(void)
{
    int error = misc_register(&demo_device);

    if (error)
        return error;
    return atomic_notifier_chain_register(&keyboard_notifier_list, &demo_block);
}

static void demo_exit(void)
{
    atomic_notifier_chain_unregister(&keyboard_notifier_list, &demo_block);
    misc_deregister(&demo_device);
}

module_init(demo_init)
module_exit(demo_exit)
