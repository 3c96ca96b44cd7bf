// irkiss: ; expect: race ; lazy: yes
//
// As summed_safe.c, but who changes the data does not take the lock.
#include "kernel.h"

extern unsigned int crc32_be(unsigned int, const void *, size_t);
extern unsigned int __crc32c_le(unsigned int, const void *, size_t);
extern unsigned short crc16(unsigned short, const void *, size_t);
extern unsigned short crc_ccitt(unsigned short, const void *, size_t);
extern unsigned short crc_itu_t(unsigned short, const void *, size_t);
extern void print_hex_dump(const char *, const char *, int, int, int, const void *, size_t, _Bool);
extern void dev_addr_mod(void *, unsigned int, const void *, size_t);
extern int tty_insert_flip_string_fixed_flag(void *, const void *, char, size_t);
extern int tty_insert_flip_string_flags(void *, const void *, const char *, size_t);
extern int usb_control_msg_send(void *, unsigned char, unsigned char, unsigned char, unsigned short, unsigned short, const void *, unsigned short, int, unsigned int);
extern int i2c_smbus_write_i2c_block_data(const void *, unsigned char, unsigned char, const void *);
extern ssize_t simple_read_from_buffer(void *, size_t, loff_t *, const void *, size_t);
extern unsigned long simple_strtoul(const char *, char **, unsigned int);

static long shared[13][8];
static DEFINE_MUTEX(writers);

static ssize_t demo_read(struct file *file, char __user *buffer, size_t bytes, loff_t *position)
{
    long value = 1;
    WRITE_ONCE(*(char *)shared[0], value); // RACE
    WRITE_ONCE(*(char *)shared[1], value); // RACE
    WRITE_ONCE(*(char *)shared[2], value); // RACE
    WRITE_ONCE(*(char *)shared[3], value); // RACE
    WRITE_ONCE(*(char *)shared[4], value); // RACE
    WRITE_ONCE(*(char *)shared[5], value); // RACE
    WRITE_ONCE(*(char *)shared[6], value); // RACE
    WRITE_ONCE(*(char *)shared[7], value); // RACE
    WRITE_ONCE(*(char *)shared[8], value); // RACE
    WRITE_ONCE(*(char *)shared[9], value); // RACE
    WRITE_ONCE(*(char *)shared[10], value); // RACE
    WRITE_ONCE(*(char *)shared[11], value); // RACE
    WRITE_ONCE(*(char *)shared[12], value); // RACE
    return value;
}

static ssize_t demo_write(struct file *file, const char __user *buffer, size_t bytes, loff_t *position)
{
    mutex_lock(&writers);
    crc32_be(0, shared[0], 4); // RACE
    __crc32c_le(0, shared[1], 4); // RACE
    crc16(0, shared[2], 4); // RACE
    crc_ccitt(0, shared[3], 4); // RACE
    crc_itu_t(0, shared[4], 4); // RACE
    print_hex_dump(NULL, NULL, 0, 0, 0, shared[5], 4, 0); // RACE
    dev_addr_mod(NULL, 0, shared[6], 4); // RACE
    tty_insert_flip_string_fixed_flag(NULL, shared[7], 0, 4); // RACE
    tty_insert_flip_string_flags(NULL, shared[8], "abc", 4); // RACE
    usb_control_msg_send(NULL, 0, 0, 0, 0, 0, shared[9], 4, 0, 0); // RACE
    i2c_smbus_write_i2c_block_data(NULL, 0, 4, shared[10]); // RACE
    simple_read_from_buffer(NULL, 4, &(loff_t){ 0 }, shared[11], 4); // RACE
    simple_strtoul((char *)shared[12], NULL, 10); // RACE
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
