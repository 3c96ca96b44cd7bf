// irkiss: ; expect: none
// irkiss: --scenario lifecycle ; expect: none
//
// The table is ready before the device can be opened.
#include "kernel.h"

int table_ready;

static ssize_t early_read(struct file *file, char __user *buffer, size_t size, loff_t *position)
{
    return table_ready; // NORACE
}

static const struct file_operations early_fops = {
    .owner = THIS_MODULE,
    .read = early_read,
};

static struct miscdevice early_device = {
    .minor = MISC_DYNAMIC_MINOR,
    .name = "early",
    .fops = &early_fops,
};

// The same for a device of its own (cdev_add).
extern void cdev_init(void *cdev, const struct file_operations *fops);
extern int cdev_add(void *cdev, unsigned int number, unsigned int count);
static long early_cdev[16];
int list_ready;

static ssize_t own_read(struct file *file, char __user *buffer, size_t size, loff_t *position)
{
    return list_ready; // NORACE
}

static const struct file_operations own_fops = {
    .owner = THIS_MODULE,
    .read = own_read,
};

static int own_init(void)
{
    cdev_init(early_cdev, &own_fops);
    list_ready = 1; // NORACE
    return cdev_add(early_cdev, 0, 1);
}

static int early_init(void)
{
    int failed = own_init();
    if (failed)
        return failed;
    table_ready = 1; // NORACE
    return misc_register(&early_device);
}

static void early_exit(void)
{
    misc_deregister(&early_device);
}

module_init(early_init);
module_exit(early_exit);
