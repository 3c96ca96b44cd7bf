// irkiss: ; expect: unknown ; reason: is not shown to reach its access ; forms: nopass ; externals: demo_report
// irkiss: --tier coverability ; expect: unknown ; reason: a candidate ; forms: nopass ; externals: demo_report
//
// As net_outside_other.c, but the function that has no model is given the flag, and may set it. Searches take it to write no struct.
#include "kernel.h"

struct flag { int set; };
int demo_report(struct flag *where);

static struct flag broken;

static int count;

static ssize_t demo_write(struct file *file, const char __user *buffer, size_t bytes, loff_t *position)
{
    demo_report(&broken);
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
