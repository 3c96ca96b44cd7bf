// irkiss: ; expect: none ; lazy: yes ; forms: nopass
// irkiss: --scenario lifecycle ; expect: none ; forms: nopass
//
// As begun_misc_racy.c, in the right order: what the device is read from is there when it is registered.
#include "platform.h"

static struct {
    char *buffer;
    int limit;
} state;

static ssize_t demo_read(struct file *file, char __user *buffer, size_t size, loff_t *position)
{
    if (size > state.limit) // NORACE
        return 0;
    return state.buffer != NULL; // NORACE
}

static const struct file_operations demo_fops = { .owner = THIS_MODULE, .read = demo_read };
static struct miscdevice demo_device = { .minor = MISC_DYNAMIC_MINOR, .name = "demo", .fops = &demo_fops };

static int demo_probe(struct platform_device *pdev)
{
    state.limit = 5; // NORACE
    state.buffer = __kmalloc(64, GFP_KERNEL); // NORACE
    return misc_register(&demo_device);
}

static int demo_remove(struct platform_device *pdev)
{
    misc_deregister(&demo_device);
    return 0;
}

static struct platform_driver demo_driver = { .probe = demo_probe, .remove = demo_remove, .driver = { .name = "demo" } };

PLATFORM_MODULE(demo_driver)
