// irkiss: --property removed ; expect: finds
//
// As tasklet_kill_holds.c, but nobody waits for the tasklet.
#include "../drivers/kernel.h"

struct tasklet_struct {
    struct tasklet_struct *next;
    unsigned long state;
    int count;
    _Bool use_callback;
    union {
        void (*func)(unsigned long);
        void (*callback)(struct tasklet_struct *);
    };
    unsigned long data;
};
extern void __tasklet_schedule(struct tasklet_struct *), tasklet_kill(struct tasklet_struct *);

int steps;

static void step_run(unsigned long data)
{
    WRITE_ONCE(steps, 1); // FINDS:use-after-removal
}

static struct tasklet_struct step = { .func = step_run };

static ssize_t step_write(struct file *file, const char __user *buffer, size_t size, loff_t *position)
{
    __tasklet_schedule(&step);
    return size;
}

static const struct file_operations step_fops = { .owner = THIS_MODULE, .write = step_write };
static struct miscdevice step_device = { .minor = MISC_DYNAMIC_MINOR, .name = "step", .fops = &step_fops };

static int step_init(void)
{
    __tasklet_schedule(&step);
    return misc_register(&step_device);
}

static void step_exit(void) // FINDS:use-after-removal
{
    misc_deregister(&step_device);
}

module_init(step_init)
module_exit(step_exit)
