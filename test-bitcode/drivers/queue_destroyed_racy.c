// irkiss: --property uaf ; expect: uaf ; lazy: yes
//
// As queue_destroyed_safe.c, but who queues work does not look whether the queue is there.
#include "part_linux.h"

extern struct workqueue_struct *alloc_workqueue(const char *name, unsigned int flags, int active, ...);
extern void destroy_workqueue(struct workqueue_struct *queue);

static DEFINE_MUTEX(lock);
static struct workqueue_struct *queue;
static struct work_struct work;
static bool gone;

static void demo_work(struct work_struct *unused)
{
}

static ssize_t demo_read(struct file *file, char __user *buffer, size_t bytes, loff_t *position)
{
    mutex_lock(&lock);
    queue_work_on(64, queue, &work); // FREED
    mutex_unlock(&lock);
    return 0;
}

static ssize_t demo_write(struct file *file, const char __user *buffer, size_t bytes, loff_t *position)
{
    mutex_lock(&lock);
    if (!gone)
        destroy_workqueue(queue);
    gone = true;
    mutex_unlock(&lock);
    return 0;
}

static const struct file_operations demo_fops = { .owner = THIS_MODULE, .read = demo_read, .write = demo_write };
static struct miscdevice demo_device = { .minor = 255, .name = "demo", .fops = &demo_fops };

int init_module(void)
{
    INIT_WORK(&work, demo_work);
    queue = alloc_workqueue("demo", 0, 1);
    if (!queue)
        return -ENOMEM;
    return misc_register(&demo_device);
}
