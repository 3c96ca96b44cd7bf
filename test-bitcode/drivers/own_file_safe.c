// irkiss: --tier lockset ; expect: none ; by: lockset ; lazy: yes
//
// Who opens a file or closes it is alone with it, without any lock.
#include "kernel.h"

static int demo_open(struct inode *inode, struct file *file)
{
    file->private_data = __kmalloc(4, GFP_KERNEL); // NORACE
    return file->private_data ? 0 : -ENOMEM; // NORACE
}

static ssize_t demo_read(struct file *file, char __user *buffer, size_t size, loff_t *position)
{
    return file->private_data ? 1 : 0; // NORACE
}

static int demo_release(struct inode *inode, struct file *file)
{
    file->private_data = NULL; // NORACE
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
