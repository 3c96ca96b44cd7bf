// irkiss: ; expect: race ; golden: yes ; lazy: yes
//
// What is found where initialisation has gone on with an answer that nobody was shown to give says so.
#include "part_linux.h"

static struct completion told;
int result, count;

static void demo_work(struct work_struct *work)
{
    WRITE_ONCE(result, 1);
    complete(&told);
}
static struct work_struct item = { .func = demo_work };

static ssize_t demo_read(struct file *file, char __user *buffer, size_t bytes, loff_t *position)
{
    return count++; // RACE
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
