// irkiss: ; expect: race ; lazy: yes
//
// As property_member_safe.c, but two numbers are read: the second one goes to the member behind.
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
    return demo.half + demo.used; // RACE
}

static ssize_t demo_write(struct file *file, const char __user *buffer, size_t bytes, loff_t *position)
{
    mutex_lock(&lock);
    of_property_read_variable_u32_array(NULL, "delay", &demo.delay, 1, 0); // NORACE
    device_property_read_u32_array(NULL, "width", &demo.width, 2); // RACE
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
