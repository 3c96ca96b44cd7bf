// irkiss: ; expect: none
// irkiss: --tier coverability ; expect: none ; by: coverability
//
// As net_open_safe.c, as the kernel's clear_bit does it: the byte of the word in which the bit is.
#include "kernel.h"

static unsigned long in_use;
int place;

static int demo_open(struct inode *inode, struct file *file)
{
    if (__atomic_fetch_or(&in_use, 1, __ATOMIC_SEQ_CST) & 1)
        return -EBUSY;
    place = 0;
    return 0;
}

static int demo_release(struct inode *inode, struct file *file)
{
    place = -1;
    __atomic_fetch_and((unsigned char *)&in_use, 0xfe, __ATOMIC_SEQ_CST);
    return 0;
}

static const struct file_operations demo_fops = { .owner = THIS_MODULE, .open = demo_open, .release = demo_release };
static struct miscdevice demo_device = { .minor = MISC_DYNAMIC_MINOR, .name = "demo", .fops = &demo_fops };

static int demo_init(void)
{
    return misc_register(&demo_device);
}

module_init(demo_init)
