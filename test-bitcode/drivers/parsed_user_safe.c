// irkiss: ; expect: none ; lazy: yes
//
// As parsed_safe.c, for text of user space, and sscanf.
#include "kernel.h"

extern int kstrtoull_from_user(const char *, size_t, unsigned int, void *);
extern int kstrtoul_from_user(const char *, size_t, unsigned int, void *);
extern int kstrtouint_from_user(const char *, size_t, unsigned int, void *);
extern int kstrtoint_from_user(const char *, size_t, unsigned int, void *);

static long shared[4][8];
static DEFINE_MUTEX(lock);

static ssize_t demo_read(struct file *file, char __user *buffer, size_t bytes, loff_t *position)
{
    long sum = 0;
    mutex_lock(&lock);
    sum += READ_ONCE(*(char *)shared[0]);
    sum += READ_ONCE(*(char *)shared[1]);
    sum += READ_ONCE(*(char *)shared[2]);
    sum += READ_ONCE(*(char *)shared[3]);
    mutex_unlock(&lock);
    return sum;
}

static ssize_t demo_write(struct file *file, const char __user *buffer, size_t bytes, loff_t *position)
{
    mutex_lock(&lock);
    kstrtoull_from_user(NULL, 1, 10, shared[0]);
    kstrtoul_from_user(NULL, 1, 10, shared[1]);
    kstrtouint_from_user(NULL, 1, 10, shared[2]);
    kstrtoint_from_user(NULL, 1, 10, shared[3]);
    mutex_unlock(&lock);
    return 0;
}

static const struct file_operations demo_fops = {
    .owner = THIS_MODULE,
    .read = demo_read,
    .write = demo_write,
};

static struct miscdevice demo_device = { .minor = 255, .name = "demo", .fops = &demo_fops };

static int demo_init(void)
{
    return misc_register(&demo_device);
}

module_init(demo_init)
