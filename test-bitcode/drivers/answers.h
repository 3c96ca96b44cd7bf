// A driver whose initialisation asks models what they answer, in answers() of the case. If anything is not as it must be, the
// assertion of whoever reads fails, or initialisation never succeeds.
#ifndef ANSWERS_H
#define ANSWERS_H

#include <irkiss.h>

#include "kernel.h"

#define CHECK(condition) \
    do { \
        if (!asked && !(condition)) \
            failed = __LINE__; \
    } while (0)
#define EIO 5
#define EINTR 4
#define EINVAL 22
#define IS_ERR(pointer) ((unsigned long)(pointer) >= -4095ul)

static void answers(void);
static int value, failed, asked;
static DEFINE_MUTEX(value_lock);

static ssize_t demo_read(struct file *file, char __user *buffer, size_t bytes, loff_t *position)
{
    int read;
    __irkiss_assert(!failed, "an answer is not as it must be");
    mutex_lock(&value_lock);
    read = value;
    mutex_unlock(&value_lock);
    return read;
}

static ssize_t demo_write(struct file *file, const char __user *buffer, size_t bytes, loff_t *position)
{
    mutex_lock(&value_lock);
    value = 1;
    mutex_unlock(&value_lock);
    return 0;
}

static const struct file_operations demo_fops = {
    .owner = THIS_MODULE,
    .read = demo_read,
    .write = demo_write,
};

static struct miscdevice demo_device = { .minor = MISC_DYNAMIC_MINOR, .name = "demo", .fops = &demo_fops };

static int demo_init(void)
{
    answers();
    asked = 1;
    return misc_register(&demo_device);
}

module_init(demo_init)

#endif
