// irkiss: ; expect: none ; lazy: yes
//
// Functions that receive data over I2C, USB and others: each writes memory that both share.
#include "kernel.h"

extern int rio_mport_read_config_32(void *, unsigned short, unsigned char, unsigned int, void *);
extern int of_property_read_variable_u32_array(const void *, const char *, void *, size_t, size_t);
extern int i2c_transfer_buffer_flags(const void *, void *, int, unsigned short);
extern int i2c_smbus_xfer(void *, unsigned short, unsigned short, char, unsigned char, int, void *);

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
    rio_mport_read_config_32(NULL, 0, 0, 0, shared[0]);
    of_property_read_variable_u32_array(NULL, "", shared[1], 1, 0);
    i2c_transfer_buffer_flags(NULL, shared[2], 4, 1);
    i2c_smbus_xfer(NULL, 0, 0, 1, 0, 0, shared[3]);
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
