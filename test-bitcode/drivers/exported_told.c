// irkiss: ; expect: none ; golden: yes ; forms: nopass
//
// What other modules call is no entry point, since nothing here tells when they do: the report says which functions these are.
#include "platform.h"

#define EXPORT_SYMBOL(function) \
    static void *__attribute__((used, section(".discard.addressable"))) __UNIQUE_ID___addressable_##function##1 = (void *)&function;

static DEFINE_MUTEX(lock);
static int count;

static ssize_t demo_write(struct file *file, const char __user *buffer, size_t size, loff_t *position)
{
    mutex_lock(&lock);
    count++;
    mutex_unlock(&lock);
    return size;
}

void demo_event(int number)
{
    count += number;
}
EXPORT_SYMBOL(demo_event)

void demo_reset(void)
{
    count = 0;
}
EXPORT_SYMBOL(demo_reset)

static const struct file_operations demo_fops = { .owner = THIS_MODULE, .write = demo_write };
static struct miscdevice demo_device = { .minor = MISC_DYNAMIC_MINOR, .name = "demo", .fops = &demo_fops };

static int demo_probe(struct platform_device *pdev)
{
    return misc_register(&demo_device);
}

static int demo_remove(struct platform_device *pdev)
{
    misc_deregister(&demo_device);
    return 0;
}

static struct platform_driver demo_driver = { .probe = demo_probe, .remove = demo_remove, .driver = { .name = "demo" } };

PLATFORM_MODULE(demo_driver)
