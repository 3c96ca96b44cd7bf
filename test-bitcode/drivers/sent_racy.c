// irkiss: ; expect: race ; lazy: yes
//
// As sent_safe.c, but who changes the data does not take the lock.
#include "kernel.h"


extern unsigned long raw_copy_to_user(void *, const void *, unsigned long);
extern unsigned long _inline_copy_to_user(void *, const void *, unsigned long);
extern int regmap_raw_write(void *, unsigned int, const void *, size_t);
extern int spi_write_then_read(void *, const void *, unsigned int, void *, unsigned int);
extern int hid_hw_output_report(void *, void *, size_t);
extern long long rtc_tm_to_time64(void *);
extern int rtc_valid_tm(void *);
extern size_t _copy_to_iter(const void *, size_t, void *);
extern void memcpy_toio(volatile void *, const void *, size_t);
extern int nla_put(void *, int, int, const void *);
extern int seq_write(void *, const void *, size_t);
extern unsigned int crc32_le(unsigned int, const void *, size_t);

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
    _copy_to_user(NULL, shared[0], 4); // RACE
    raw_copy_to_user(NULL, shared[1], 4); // RACE
    _inline_copy_to_user(NULL, shared[2], 4); // RACE
    regmap_raw_write(NULL, 0, shared[3], 4); // RACE
    spi_write_then_read(NULL, shared[4], 4, &(int){ 0 }, 4); // RACE
    hid_hw_output_report(NULL, shared[5], 4); // RACE
    rtc_tm_to_time64(shared[6]); // RACE
    rtc_valid_tm(shared[7]); // RACE
    _copy_to_iter(shared[8], 4, NULL); // RACE
    memcpy_toio(NULL, shared[9], 4); // RACE
    nla_put(NULL, 0, 4, shared[10]); // RACE
    seq_write(NULL, shared[11], 4); // RACE
    crc32_le(0, shared[12], 4); // RACE
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
