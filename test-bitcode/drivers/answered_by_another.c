// irkiss: ; expect: race ; lazy: yes
//
// As answered_unknown.c, but the wait may be over before the work item has run.
#include "part_linux.h"

static struct completion told;
int result;

static void demo_work(struct work_struct *work)
{
    result = 1; // RACE
    complete(&told);
}
static struct work_struct item = { .func = demo_work };

static ssize_t demo_read(struct file *file, char __user *buffer, size_t bytes, loff_t *position)
{
    return READ_ONCE(result) + result; // RACE
}

static const struct file_operations demo_fops = { .owner = THIS_MODULE, .read = demo_read };
static struct miscdevice demo_device = { .minor = MISC_DYNAMIC_MINOR, .name = "demo", .fops = &demo_fops };

int init_module(void)
{
    init_completion(&told);
    queue_work_on(0, NULL, &item);
    wait_for_completion_timeout(&told, HZ);
    return misc_register(&demo_device);
}
