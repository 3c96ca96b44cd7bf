// irkiss: --pair raise_work,lower_work,demo_read ; expect: race ; lazy: yes
//
// The second item of an ordered queue runs after the first, beside who reads the file.
#include "kernel.h"

struct work_struct {
    unsigned long data;
    struct list_head entry;
    void (*func)(struct work_struct *);
};
extern _Bool queue_work_on(int cpu, void *queue, struct work_struct *work);
extern void *alloc_workqueue(const char *format, unsigned int flags, int active, ...);

static DEFINE_MUTEX(lock);
static int ready, level;

static void raise_work(struct work_struct *work)
{
    WRITE_ONCE(ready, 1);
}

static void lower_work(struct work_struct *work)
{
    if (!READ_ONCE(ready))
        return;
    level--; // RACE
}

static struct work_struct up = { .func = raise_work }, down = { .func = lower_work };

static ssize_t demo_read(struct file *file, char __user *buffer, size_t size, loff_t *position)
{
    int now = level; // RACE
    return now;
}

static const struct file_operations demo_fops = {
    .owner = THIS_MODULE,
    .read = demo_read,
};

static struct miscdevice demo_device = {
    .minor = MISC_DYNAMIC_MINOR,
    .name = "demo",
    .fops = &demo_fops,
};

static int demo_init(void)
{
    void *queue = alloc_workqueue("demo", (1u << 1 | 1u << 17 | 1u << 19), 1);
    if (!queue)
        return -ENOMEM;
    queue_work_on(0, queue, &up);
    queue_work_on(0, queue, &down);
    return misc_register(&demo_device);
}

module_init(demo_init)
