// irkiss: --tier kiss ; expect: none ; lazy: yes
//
// Rows with a lock each, of which there are nobody knows how many.
#include "kernel.h"

struct row {
    int count;
    spinlock_t lock;
};
extern struct row *others_rows;

static ssize_t rows_read(struct file *file, char __user *buffer, size_t size, loff_t *position)
{
    struct row *row = &others_rows[size];

    spin_lock(&row->lock);
    row->count++;
    spin_unlock(&row->lock);
    return 0;
}

static ssize_t rows_write(struct file *file, const char __user *buffer, size_t size, loff_t *position)
{
    struct row *row = &others_rows[size + 1];

    spin_lock(&row->lock);
    row->count++;
    spin_unlock(&row->lock);
    return 0;
}

static const struct file_operations rows_fops = {
    .owner = THIS_MODULE,
    .read = rows_read,
    .write = rows_write,
};

static struct miscdevice rows_device = {
    .minor = MISC_DYNAMIC_MINOR,
    .name = "rows",
    .fops = &rows_fops,
};

static int rows_init(void)
{
    return misc_register(&rows_device);
}

static void rows_exit(void)
{
    misc_deregister(&rows_device);
}

module_init(rows_init)
module_exit(rows_exit)
