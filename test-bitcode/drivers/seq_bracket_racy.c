// irkiss: ; expect: race
//
// What start locks is held until stop, but who writes takes another lock.
#include "kernel.h"

struct seq_file {
    void *private;
};
struct seq_operations {
    void *(*start)(struct seq_file *, loff_t *);
    void (*stop)(struct seq_file *, void *);
    void *(*next)(struct seq_file *, void *, loff_t *);
    int (*show)(struct seq_file *, void *);
};
struct proc_dir_entry;
extern struct proc_dir_entry *proc_create_seq_private(const char *name, unsigned short mode, struct proc_dir_entry *parent,
                                                      const struct seq_operations *ops, unsigned int size, void *data);
extern void seq_printf(struct seq_file *file, const char *format, ...);

static DEFINE_MUTEX(list_lock);
static DEFINE_MUTEX(other_lock);
static int counts[2];

static void *list_start(struct seq_file *file, loff_t *position)
{
    mutex_lock(&list_lock);
    return *position ? NULL : &counts[0];
}

static void *list_next(struct seq_file *file, void *element, loff_t *position)
{
    ++*position;
    return element == &counts[0] ? &counts[1] : NULL;
}

static void list_stop(struct seq_file *file, void *element)
{
    mutex_unlock(&list_lock);
}

static int list_show(struct seq_file *file, void *element)
{
    seq_printf(file, "%d", *(int *)element); // RACE
    return 0;
}

static const struct seq_operations list_ops = {
    .start = list_start,
    .stop = list_stop,
    .next = list_next,
    .show = list_show,
};

static ssize_t list_write(struct file *file, const char __user *buffer, size_t size, loff_t *position)
{
    mutex_lock(&other_lock);
    counts[0]++; // RACE
    mutex_unlock(&other_lock);
    return size;
}

static const struct file_operations list_fops = {
    .owner = THIS_MODULE,
    .write = list_write,
};

static struct miscdevice list_device = {
    .minor = MISC_DYNAMIC_MINOR,
    .name = "list",
    .fops = &list_fops,
};

static int list_init(void)
{
    if (!proc_create_seq_private("list", 0444, NULL, &list_ops, 0, NULL))
        return -ENOMEM;
    return misc_register(&list_device);
}

module_init(list_init)
