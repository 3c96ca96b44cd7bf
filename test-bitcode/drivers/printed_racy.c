// irkiss: ; expect: race ; lazy: yes
//
// As printed_safe.c, but the reader does not take the lock.
#include "kernel.h"

extern int sprintf(char *, const char *, ...);
extern int sysfs_emit(char *, const char *, ...);
extern int snprintf(char *, size_t, const char *, ...);
extern int scnprintf(char *, size_t, const char *, ...);
extern long strncpy_from_user(char *, const char *, long);
extern ssize_t simple_write_to_buffer(void *, size_t, loff_t *, const void *, size_t);
extern void ethtool_sprintf(unsigned char **, const char *, ...);

static long shared[7][8];
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
    return sum;
}

static ssize_t demo_write(struct file *file, const char __user *buffer, size_t bytes, loff_t *position)
{
    mutex_lock(&writers);
    sprintf((char *)shared[0], "%d", 1); // RACE
    sysfs_emit((char *)shared[1], "%d", 1); // RACE
    snprintf((char *)shared[2], 4, "%d", 1); // RACE
    scnprintf((char *)shared[3], 4, "%d", 1); // RACE
    strncpy_from_user((char *)shared[4], NULL, 4); // RACE
    simple_write_to_buffer(shared[5], 4, &(loff_t){ 0 }, NULL, 4); // RACE
    ethtool_sprintf(&(unsigned char *){ (unsigned char *)shared[6] }, ""); // RACE
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
