// irkiss: ; expect: none ; forms: nopass
//
// Who reads says that the race is meant.
#include "kernel.h"

// include/linux/kcsan-checks.h, compiler.h; at -O2 nothing is left of them.
static inline void __kcsan_disable_current(void)
{
}
static inline void __kcsan_enable_current(void)
{
}
#define data_race(expr) \
    ({ \
        __typeof__(expr) __v = ({ \
            __kcsan_disable_current(); \
            expr; \
        }); \
        __kcsan_enable_current(); \
        __v; \
    })

static long count;

static ssize_t demo_read(struct file *file, char __user *buffer, size_t bytes, loff_t *position)
{
    return data_race(count);
}

static ssize_t demo_write(struct file *file, const char __user *buffer, size_t bytes, loff_t *position)
{
    WRITE_ONCE(count, 1);
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
