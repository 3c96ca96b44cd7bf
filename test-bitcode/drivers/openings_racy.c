// irkiss: ; expect: race ; lazy: yes
//
// As openings_safe.c each opening has a seq_file of its own, but what registration hands over is in all of them.
#include "kernel.h"

struct seq_file {
    unsigned long seen;
    void *private;
};

extern int single_open(struct file *file, int (*show)(struct seq_file *, void *), void *data);

struct total {
    unsigned int shown;
};

static struct total total;

static int total_show(struct seq_file *file, void *at)
{
    struct total *all = file->private;

    file->seen++; // NORACE
    all->shown++; // RACE
    return 0;
}

static int total_open(struct inode *inode, struct file *file)
{
    return single_open(file, total_show, &total);
}

static const struct file_operations total_fops = {
    .owner = THIS_MODULE,
    .open = total_open,
};

static struct miscdevice total_device = {
    .minor = MISC_DYNAMIC_MINOR,
    .name = "total",
    .fops = &total_fops,
};

static int total_init(void)
{
    return misc_register(&total_device);
}

module_init(total_init)
