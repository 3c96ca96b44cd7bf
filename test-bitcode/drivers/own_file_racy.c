// irkiss: ; expect: race
//
// As own_file_safe.c, but all operations of a file use it beside each other, and what files share is not theirs.
#include "kernel.h"

int opened;

static int demo_open(struct inode *inode, struct file *file)
{
    opened++; // RACE
    file->private_data = NULL;
    return 0;
}

static ssize_t demo_read(struct file *file, char __user *buffer, size_t size, loff_t *position)
{
    file->private_data = &opened; // RACE
    return 1;
}

static int demo_release(struct inode *inode, struct file *file)
{
    file->private_data = NULL;
    opened--; // RACE
    return 0;
}

static const struct file_operations demo_fops = {
    .owner = THIS_MODULE,
    .open = demo_open,
    .read = demo_read,
    .release = demo_release,
};

extern int __register_chrdev(unsigned int major, unsigned int base, unsigned int count, const char *name, const struct file_operations *fops);

static int demo_init(void)
{
    return __register_chrdev(42, 0, 256, "demo", &demo_fops);
}

module_init(demo_init)
