// irkiss: ; expect: none ; lazy: yes
//
// A number that was given is nobody else's until it is given back (ida_free).
#include "kernel.h"

struct ida { long table[4]; };
extern int ida_alloc_range(struct ida *, unsigned int, unsigned int, unsigned int);
extern void ida_free(struct ida *, unsigned int);

static struct ida numbers;
static int slots[2];

static ssize_t demo_read(struct file *file, char __user *buffer, size_t bytes, loff_t *position)
{
    int number = ida_alloc_range(&numbers, 0, 1, GFP_KERNEL);
    if (number < 0)
        return number;
    slots[number]++;
    ida_free(&numbers, number);
    return 0;
}

static const struct file_operations demo_fops = { .owner = THIS_MODULE, .read = demo_read };
static struct miscdevice demo_device = { .minor = 255, .name = "demo", .fops = &demo_fops };

static int demo_init(void)
{
    return misc_register(&demo_device);
}

module_init(demo_init)
