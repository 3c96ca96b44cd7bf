// irkiss: ; expect: none ; lazy: yes
//
// The same, where what is written is even, and what would change the readers is odd.
#include "kernel.h"

static DEFINE_MUTEX(lock);
static int fast;
int reads;

static ssize_t demo_read(struct file *file, char __user *buffer, size_t bytes, loff_t *position)
{
    if (READ_ONCE(fast) == 0x12345679) {
        reads++;
        return 0;
    }
    mutex_lock(&lock);
    reads++;
    mutex_unlock(&lock);
    return 0;
}

static ssize_t demo_write(struct file *file, const char __user *buffer, size_t bytes, loff_t *position)
{
    WRITE_ONCE(fast, (unsigned int)bytes * 2654435762u);
    return bytes;
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
