// irkiss: ; expect: race ; lazy: yes
// irkiss: --tier coverability --tier kiss ; expect: race ; lazy: yes
//
// Whether the lock is taken depends on what initialisation came by, and so did how it went on: the two are not told apart where it
// leaves its loop.
#include "kernel.h"

static DEFINE_SPINLOCK(lock);
static int shared;
static int steps[2];
static int transferred;

static ssize_t demo_write(struct file *file, const char __user *buffer, size_t bytes, loff_t *position)
{
    int alone = !shared;
    if (alone)
        spin_lock(&lock);
    transferred = transferred + (int)bytes; // RACE
    if (alone)
        spin_unlock(&lock);
    return 0;
}

static const struct file_operations demo_fops = { .owner = THIS_MODULE, .write = demo_write };
static struct miscdevice demo_device = { .minor = MISC_DYNAMIC_MINOR, .name = "demo", .fops = &demo_fops };

static int demo_init(void)
{
    int *seed = __kmalloc(sizeof *seed, GFP_KERNEL);
    int i;
    if (!seed)
        return -ENOMEM;
    if (*(volatile int *)seed)
        shared = 1;
    for (i = 0; i < 2 && *(volatile int *)seed; i++)
        steps[i] = i + 1;
    return misc_register(&demo_device);
}

module_init(demo_init)
