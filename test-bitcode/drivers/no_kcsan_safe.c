// irkiss: ; expect: none ; suppressed: no_kcsan
//
// Only functions that race detectors do not watch read what others write.
#include "kernel.h"

#define __no_kcsan __attribute__((disable_sanitizer_instrumentation))

static long count, total;

static __attribute__((noinline)) __no_kcsan long read_count(void)
{
    return count;
}

static __attribute__((noinline, annotate("no_kcsan"))) long read_total(void)
{
    return total;
}

static ssize_t demo_read(struct file *file, char __user *buffer, size_t bytes, loff_t *position)
{
    return read_count() + read_total();
}

static ssize_t demo_write(struct file *file, const char __user *buffer, size_t bytes, loff_t *position)
{
    WRITE_ONCE(count, 1);
    WRITE_ONCE(total, 1);
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
