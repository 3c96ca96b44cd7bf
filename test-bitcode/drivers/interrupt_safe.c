// irkiss: ; expect: none
//
// An interrupt handler counts events; read() takes the count under the handler's lock.
#include "kernel.h"

static DEFINE_SPINLOCK(event_lock);
static unsigned int events;
static int cookie;

static irqreturn_t event_interrupt(int irq, void *device)
{
    spin_lock(&event_lock);
    events++; // NORACE
    spin_unlock(&event_lock);
    return IRQ_HANDLED;
}

static ssize_t event_read(struct file *file, char __user *buffer, size_t size, loff_t *position)
{
    unsigned int now;
    unsigned long flags;

    spin_lock_irqsave(&event_lock, flags);
    now = events; // NORACE
    spin_unlock_irqrestore(&event_lock, flags);
    if (size < sizeof(now) || _copy_to_user(buffer, &now, sizeof(now)))
        return -EFAULT;
    return sizeof(now);
}

static const struct file_operations event_fops = {
    .owner = THIS_MODULE,
    .read = event_read,
};

static struct miscdevice event_device = {
    .minor = MISC_DYNAMIC_MINOR,
    .name = "event",
    .fops = &event_fops,
};

static int event_init(void)
{
    int ret = request_threaded_irq(5, event_interrupt, NULL, 0, "event", &cookie);

    if (ret)
        return ret;
    ret = misc_register(&event_device);
    if (ret)
        free_irq(5, &cookie);
    return ret;
}

static void event_exit(void)
{
    misc_deregister(&event_device);
    free_irq(5, &cookie);
}

module_init(event_init)
module_exit(event_exit)
