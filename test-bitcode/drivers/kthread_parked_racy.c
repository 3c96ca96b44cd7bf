// irkiss: ; expect: race
//
// As kthread_parked_safe.c, but nobody parks the thread.
#include "kernel.h"

struct task_struct;
extern struct task_struct *kthread_create_on_node(int (*function)(void *), void *data, int node, const char *name, ...);
extern int wake_up_process(struct task_struct *task);
extern _Bool kthread_should_park(void);
extern void kthread_parkme(void);

static struct task_struct *task;
static long gain, sum;

static int demo_thread(void *data)
{
    if (kthread_should_park())
        kthread_parkme();
    sum += gain; // RACE
    return 0;
}

static ssize_t demo_write(struct file *file, const char __user *buffer, size_t size, loff_t *position)
{
    static DEFINE_MUTEX(lock);

    mutex_lock(&lock);
    gain = size; // RACE
    mutex_unlock(&lock);
    return size;
}

static const struct file_operations demo_fops = { .owner = THIS_MODULE, .write = demo_write };
static struct miscdevice demo_device = { .minor = MISC_DYNAMIC_MINOR, .name = "demo", .fops = &demo_fops };

static int demo_init(void)
{
    task = kthread_create_on_node(demo_thread, NULL, -1, "demo");
    if ((unsigned long)task >= (unsigned long)-4095)
        return -ENOMEM;
    wake_up_process(task);
    return misc_register(&demo_device);
}

module_init(demo_init)
