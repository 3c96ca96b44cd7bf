// irkiss: ; expect: none
//
// A tasklet set up with tasklet_init() gets the number that goes with it. It runs when the interrupt handler has scheduled it, and the
// reader keeps it away.
#include "kernel.h"

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
extern void tasklet_init(struct tasklet_struct *, void (*)(unsigned long), unsigned long);
extern void __tasklet_schedule(struct tasklet_struct *);
extern void _raw_spin_lock_bh(spinlock_t *), _raw_spin_unlock_bh(spinlock_t *);
extern int request_threaded_irq(unsigned int, irq_handler_t, irq_handler_t, unsigned long, const char *, void *);

struct drain {
    spinlock_t lock;
    int level;
    struct tasklet_struct pump;
};
static struct drain drain;

static void drain_pump(unsigned long data)
{
    struct drain *own = (struct drain *)data;

    spin_lock(&own->lock);
    own->level = 0;
    spin_unlock(&own->lock);
}

static irqreturn_t drain_interrupt(int irq, void *dev)
{
    struct drain *own = dev;

    __tasklet_schedule(&own->pump);
    return IRQ_HANDLED;
}

static ssize_t drain_read(struct file *file, char __user *buffer, size_t size, loff_t *position)
{
    int level;

    _raw_spin_lock_bh(&drain.lock);
    level = drain.level;
    _raw_spin_unlock_bh(&drain.lock);
    return level;
}

static const struct file_operations drain_fops = { .owner = THIS_MODULE, .read = drain_read };
static struct miscdevice drain_device = { .minor = MISC_DYNAMIC_MINOR, .name = "drain", .fops = &drain_fops };

static int drain_init(void)
{
    tasklet_init(&drain.pump, drain_pump, (unsigned long)&drain);
    if (request_threaded_irq(4, drain_interrupt, NULL, 0, "drain", &drain))
        return -EBUSY;
    return misc_register(&drain_device);
}

module_init(drain_init)
