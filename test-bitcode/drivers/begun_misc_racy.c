// irkiss: ; expect: race ; lazy: yes ; forms: nopass
// irkiss: --scenario lifecycle ; expect: race ; forms: nopass
//
// Probing registers the device, which can be opened from then on, and makes the buffer afterwards.
#include "platform.h"

static struct {
    char *buffer;
    int limit;
} state;

static ssize_t demo_read(struct file *file, char __user *buffer, size_t size, loff_t *position)
{
    if (size > state.limit) // RACE
        return 0;
    return state.buffer != NULL; // RACE
}

static const struct file_operations demo_fops = { .owner = THIS_MODULE, .read = demo_read };
static struct miscdevice demo_device = { .minor = MISC_DYNAMIC_MINOR, .name = "demo", .fops = &demo_fops };

static int demo_probe(struct platform_device *pdev)
{
    int error = misc_register(&demo_device);

    if (error)
        return error;
    state.limit = 5; // RACE
    state.buffer = __kmalloc(64, GFP_KERNEL); // RACE
    return 0;
}

static int demo_remove(struct platform_device *pdev)
{
    misc_deregister(&demo_device);
    return 0;
}

static struct platform_driver demo_driver = { .probe = demo_probe, .remove = demo_remove, .driver = { .name = "demo" } };

PLATFORM_MODULE(demo_driver)
