// irkiss: ; expect: none ; lazy: yes
//
// Initialisation gets to its end: it waits by counting, asks a device whose registers are at a fixed place, and goes on where
// nothing is found, which a function says by an error code.
#include "kernel.h"

#define REGISTER(number) (*(volatile unsigned char *)(0xa05f7000ul + (number)))
#define IS_ERR(pointer) ((unsigned long)(pointer) >= -4095ul)
extern void *find_rival(const char *name);

static int shared;
static DEFINE_MUTEX(lock);

static ssize_t demo_read(struct file *file, char __user *buffer, size_t bytes, loff_t *position)
{
    int value;
    mutex_lock(&lock);
    value = shared;
    mutex_unlock(&lock);
    return value;
}

static ssize_t demo_write(struct file *file, const char __user *buffer, size_t bytes, loff_t *position)
{
    mutex_lock(&lock);
    shared = 1;
    mutex_unlock(&lock);
    return 0;
}

static const struct file_operations demo_fops = { .owner = THIS_MODULE, .read = demo_read, .write = demo_write };
static struct miscdevice demo_device = { .minor = MISC_DYNAMIC_MINOR, .name = "demo", .fops = &demo_fops };

static int demo_init(void)
{
    unsigned long count;
    for (count = 0; count < 1000000; count++)
        ;
    for (count = 0; count < 0x200000; count += 4)
        (void)REGISTER(count);
    REGISTER(8) = 1;
    // What a device answers differs from one time to the next.
    if (REGISTER(8) != 2 || REGISTER(8) != 3)
        return -EBUSY;
    if (!IS_ERR(find_rival("demo")))
        return -EBUSY;
    return misc_register(&demo_device);
}

module_init(demo_init)
