// irkiss: ; expect: unknown ; reason: demo_work is not shown to reach any visible instruction
//
// What initialisation has waited for has come: the work item that brings it has run, is queued no longer, and nobody queues it again.
#include "part_linux.h"

static struct completion told;
int result;

static void demo_work(struct work_struct *work)
{
    result = 1; // NORACE
    complete(&told);
}
static struct work_struct item = { .func = demo_work };

static ssize_t demo_read(struct file *file, char __user *buffer, size_t bytes, loff_t *position)
{
    return READ_ONCE(result) + result; // NORACE
}

static const struct file_operations demo_fops = { .owner = THIS_MODULE, .read = demo_read };
static struct miscdevice demo_device = { .minor = MISC_DYNAMIC_MINOR, .name = "demo", .fops = &demo_fops };

int init_module(void)
{
    init_completion(&told);
    queue_work_on(0, NULL, &item);
    if (wait_for_completion_timeout(&told, HZ) == 0)
        return -ETIMEDOUT;
    return misc_register(&demo_device);
}
