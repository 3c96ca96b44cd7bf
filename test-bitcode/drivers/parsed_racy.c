// irkiss: ; expect: race ; lazy: yes
//
// As parsed_safe.c, but the reader does not take the lock.
#include "kernel.h"

extern int kstrtoint(const char *, unsigned int, void *);
extern int kstrtoull(const char *, unsigned int, void *);
extern int kstrtoll(const char *, unsigned int, void *);
extern int _kstrtoul(const char *, unsigned int, void *);
extern int _kstrtol(const char *, unsigned int, void *);
extern int kstrtou8(const char *, unsigned int, void *);
extern int kstrtou16(const char *, unsigned int, void *);
extern int kstrtobool(const char *, void *);

static long shared[8][8];
static DEFINE_MUTEX(writers);

static ssize_t demo_read(struct file *file, char __user *buffer, size_t bytes, loff_t *position)
{
    long sum = 0;
    sum += READ_ONCE(*(char *)shared[0]); // RACE
    sum += READ_ONCE(*(char *)shared[1]); // RACE
    sum += READ_ONCE(*(char *)shared[2]); // RACE
    sum += READ_ONCE(*(char *)shared[3]); // RACE
    sum += READ_ONCE(*(char *)shared[4]); // RACE
    sum += READ_ONCE(*(char *)shared[5]); // RACE
    sum += READ_ONCE(*(char *)shared[6]); // RACE
    sum += READ_ONCE(*(char *)shared[7]); // RACE
    return sum;
}

static ssize_t demo_write(struct file *file, const char __user *buffer, size_t bytes, loff_t *position)
{
    mutex_lock(&writers);
    kstrtoint("1", 10, shared[0]); // RACE
    kstrtoull("1", 10, shared[1]); // RACE
    kstrtoll("1", 10, shared[2]); // RACE
    _kstrtoul("1", 10, shared[3]); // RACE
    _kstrtol("1", 10, shared[4]); // RACE
    kstrtou8("1", 10, shared[5]); // RACE
    kstrtou16("1", 10, shared[6]); // RACE
    kstrtobool("1", shared[7]); // RACE
    mutex_unlock(&writers);
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
