// irkiss: ; expect: none
//
// disable_work_sync() (Linux 6.10) keeps an item from being queued and waits for a running one; enable_work() takes that back.
#include "kernel.h"

struct work_struct {
    unsigned long data;
    struct list_head entry;
    void (*func)(struct work_struct *);
};
extern _Bool queue_work_on(int cpu, void *queue, struct work_struct *work);
extern _Bool disable_work_sync(struct work_struct *work), enable_work(struct work_struct *work);
extern _Bool cancel_work_sync(struct work_struct *work);

int shared;
static DEFINE_MUTEX(lock);

static void demo_work(struct work_struct *work)
{
    shared = 2; // NORACE
}

static struct work_struct work = { .func = demo_work };

static ssize_t demo_write(struct file *file, const char __user *buffer, size_t bytes, loff_t *position)
{
    mutex_lock(&lock);
    disable_work_sync(&work);
    queue_work_on(0, NULL, &work);
    shared = 1; // NORACE
    enable_work(&work);
    mutex_unlock(&lock);
    return 0;
}

static const struct file_operations demo_fops = { .owner = THIS_MODULE, .write = demo_write };
static struct miscdevice demo_device = { .minor = 255, .name = "demo", .fops = &demo_fops };

static int demo_init(void)
{
    queue_work_on(0, NULL, &work);
    return misc_register(&demo_device);
}

module_init(demo_init)
