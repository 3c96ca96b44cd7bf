// irkiss: ; expect: unknown ; reason: is not shown to reach its access ; forms: nopass ; externals: demo_report
// irkiss: --tier coverability ; expect: unknown ; reason: is not shown to reach its access ; forms: nopass ; externals: demo_report
//
// Nobody sets the flag: the counter is never touched. The function that has no model is given another object.
#include "kernel.h"

struct flag { int set; };
int demo_report(struct flag *where);

static struct flag broken;
static struct flag reported;
static int count;

static ssize_t demo_write(struct file *file, const char __user *buffer, size_t bytes, loff_t *position)
{
    demo_report(&reported);
    if (broken.set)
        count = count + 1; // NORACE
    return 0;
}

static const struct file_operations demo_fops = { .owner = THIS_MODULE, .write = demo_write };
static struct miscdevice demo_device = { .minor = MISC_DYNAMIC_MINOR, .name = "demo", .fops = &demo_fops };

static int demo_init(void)
{
    broken.set = 0;
    return misc_register(&demo_device);
}

module_init(demo_init)
