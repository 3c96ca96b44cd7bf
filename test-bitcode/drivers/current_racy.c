// irkiss: ; expect: race
//
// A reader puts itself to sleep between two looks at a counter, as the kernel's loops do without wait_event. The task it writes
// into
// is the thread's own, found as arch/x86/include/asm/current.h finds it. The counter has none.
#include "kernel.h"

struct task_struct {
    unsigned long flags;
    unsigned int state;
    int pid;
};
extern struct task_struct *current_task;

static struct task_struct *get_own(void)
{
    struct task_struct *task;

    __asm__("movq %%gs:%P1, %0" : "=r"(task) : "p"(&current_task));
    return task;
}

static int users;

static ssize_t own_read(struct file *file, char __user *buffer, size_t size, loff_t *position)
{
    WRITE_ONCE(get_own()->state, 1);
    get_own()->flags = 0; // NORACE
    users += get_own()->pid; // RACE
    return 0;
}

static const struct file_operations own_fops = {
    .owner = THIS_MODULE,
    .read = own_read,
};

static struct miscdevice own_device = {
    .minor = MISC_DYNAMIC_MINOR,
    .name = "own",
    .fops = &own_fops,
};

static int own_init(void)
{
    return misc_register(&own_device);
}

static void own_exit(void)
{
    misc_deregister(&own_device);
}

module_init(own_init)
module_exit(own_exit)
