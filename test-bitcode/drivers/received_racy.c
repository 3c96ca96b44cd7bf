// irkiss: ; expect: race ; lazy: yes
//
// As received_safe.c, but the reader does not take the lock.
#include "kernel.h"

extern int rio_mport_read_config_32(void *, unsigned short, unsigned char, unsigned int, void *);
extern int of_property_read_variable_u32_array(const void *, const char *, void *, size_t, size_t);
extern int i2c_transfer_buffer_flags(const void *, void *, int, unsigned short);
extern int i2c_smbus_xfer(void *, unsigned short, unsigned short, char, unsigned char, int, void *);
extern int i2c_smbus_read_i2c_block_data(const void *, unsigned char, unsigned char, void *);
struct i2c_msg {
    unsigned short addr, flags, len;
    void *buf;
};
extern int i2c_transfer(void *, struct i2c_msg *, int);
extern int usb_control_msg(void *, unsigned int, unsigned char, unsigned char, unsigned short, unsigned short, void *, unsigned short, int);
extern int usb_control_msg_recv(void *, unsigned char, unsigned char, unsigned char, unsigned short, unsigned short, void *, unsigned short, int, unsigned int);
extern int usb_bulk_msg(void *, unsigned int, void *, int, int *, int);
extern int usb_interrupt_msg(void *, unsigned int, void *, int, int *, int);
extern int usb_get_descriptor(void *, unsigned char, unsigned char, void *, int);
extern int usb_string(void *, int, void *, size_t);

static long shared[12][8];
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
    sum += READ_ONCE(*(char *)shared[8]); // RACE
    sum += READ_ONCE(*(char *)shared[9]); // RACE
    sum += READ_ONCE(*(char *)shared[10]); // RACE
    sum += READ_ONCE(*(char *)shared[11]); // RACE
    return sum;
}

static ssize_t demo_write(struct file *file, const char __user *buffer, size_t bytes, loff_t *position)
{
    mutex_lock(&writers);
    rio_mport_read_config_32(NULL, 0, 0, 0, shared[0]); // RACE
    of_property_read_variable_u32_array(NULL, "", shared[1], 1, 0); // RACE
    i2c_transfer_buffer_flags(NULL, shared[2], 4, 1); // RACE
    i2c_smbus_xfer(NULL, 0, 0, 1, 0, 0, shared[3]); // RACE
    i2c_smbus_read_i2c_block_data(NULL, 0, 4, shared[4]); // RACE
    i2c_transfer(NULL, &(struct i2c_msg){ 0, 1, 4, shared[5] }, 1); // RACE
    usb_control_msg(NULL, 0x80, 0, 0, 0, 0, shared[6], 4, 0); // RACE
    usb_control_msg_recv(NULL, 0, 0, 0, 0, 0, shared[7], 4, 0, 0); // RACE
    usb_bulk_msg(NULL, 0x80, shared[8], 4, NULL, 0); // RACE
    usb_interrupt_msg(NULL, 0x80, shared[9], 4, NULL, 0); // RACE
    usb_get_descriptor(NULL, 0, 0, shared[10], 4); // RACE
    usb_string(NULL, 0, shared[11], 4); // RACE
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
