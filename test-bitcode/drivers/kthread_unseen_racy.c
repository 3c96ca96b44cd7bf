// irkiss: ; expect: race
//
// As kthread_woken_safe.c, but who wakes a thread is not seen: the task goes to another module, or nobody here wakes it. It may run since it
// was made.
#include "kernel.h"

struct task_struct;
extern struct task_struct *kthread_create_on_node(int (*function)(void *), void *data, int node, const char *name, ...);
extern int wake_up_process(struct task_struct *task);
extern void demo_core_add(struct task_struct *task);

struct worker {
    struct task_struct *task;
    long number;
};

static int handed(void *data)
{
    struct worker *w = data;
    return w->number > 1; // RACE
}

static int kept(void *data)
{
    struct worker *w = data;
    return w->number > 1; // RACE
}

static ssize_t demo_read(struct file *file, char __user *buffer, size_t bytes, loff_t *position)
{
    struct worker *w = __kmalloc(sizeof(*w), GFP_KERNEL);
    struct task_struct *task;
    if (!w)
        return -ENOMEM;
    task = kthread_create_on_node(handed, w, -1, "handed");
    if ((unsigned long)task >= (unsigned long)-4095)
        return -ENOMEM;
    demo_core_add(task);
    w->number = 2; // RACE
    wake_up_process(task);
    return 0;
}

static ssize_t demo_write(struct file *file, const char __user *buffer, size_t bytes, loff_t *position)
{
    struct worker *w = __kmalloc(sizeof(*w), GFP_KERNEL);
    if (!w)
        return -ENOMEM;
    w->task = kthread_create_on_node(kept, w, -1, "kept");
    if ((unsigned long)w->task >= (unsigned long)-4095)
        return -ENOMEM;
    w->number = 2; // RACE
    return 0;
}

static const struct file_operations demo_fops = { .owner = THIS_MODULE, .read = demo_read, .write = demo_write };
static struct miscdevice demo_device = { .minor = 255, .name = "demo", .fops = &demo_fops };

static int demo_init(void)
{
    return misc_register(&demo_device);
}

module_init(demo_init)
