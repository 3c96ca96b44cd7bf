// irkiss: ; expect: none ; lazy: yes
//
// A property of one number is read into a member: what is behind it is not written.
#include "kernel.h"

extern int of_property_read_variable_u32_array(const void *, const char *, unsigned int *, size_t, size_t);
extern int device_property_read_u32_array(const void *, const char *, unsigned int *, size_t);

struct demo {
    unsigned int delay, width;
    unsigned int half, used;
};
static struct demo demo = { .half = 1 };
static DEFINE_MUTEX(lock);

static ssize_t demo_read(struct file *file, char __user *buffer, size_t bytes, loff_t *position)
{
    return demo.half + demo.used; // NORACE
}

static ssize_t demo_write(struct file *file, const char __user *buffer, size_t bytes, loff_t *position)
{
    mutex_lock(&lock);
    of_property_read_variable_u32_array(NULL, "delay", &demo.delay, 1, 0); // NORACE
    device_property_read_u32_array(NULL, "width", &demo.width, 1); // NORACE
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
