// irkiss: --property deadlock ; expect: none
//
// As inversion_fails.c, with interrupts or bottom halves disabled; the handlers themselves need not, one is not run beside itself. What
// ioctl() does while the handler runs it does on another processor.
#include "../drivers/kernel.h"

extern void _raw_spin_lock_bh(raw_spinlock_t *lock);
extern void _raw_spin_unlock_bh(raw_spinlock_t *lock);

static DEFINE_SPINLOCK(event_lock);
static DEFINE_SPINLOCK(tick_lock);
static DEFINE_MUTEX(big_lock);
static struct timer_list tick;
static DEFINE_SPINLOCK(busy_lock);
static int events, ticks, cookie, busy;
int handling;

static irqreturn_t demo_interrupt(int irq, void *device)
{
    spin_lock(&event_lock);
    events++;
    spin_unlock(&event_lock);
    WRITE_ONCE(handling, 1);
    spin_lock(&busy_lock);
    busy++;
    spin_unlock(&busy_lock);
    WRITE_ONCE(handling, 0);
    return IRQ_HANDLED;
}

static void tick_expired(struct timer_list *timer)
{
    spin_lock(&tick_lock);
    ticks++;
    spin_unlock(&tick_lock);
}

static ssize_t demo_read(struct file *file, char __user *buffer, size_t size, loff_t *position)
{
    unsigned long flags;

    spin_lock_irqsave(&event_lock, flags);
    size = events;
    spin_unlock_irqrestore(&event_lock, flags);
    return size;
}

static ssize_t demo_write(struct file *file, const char __user *buffer, size_t size, loff_t *position)
{
    mod_timer(&tick, 100);
    _raw_spin_lock_bh(&tick_lock.rlock);
    size = ticks;
    _raw_spin_unlock_bh(&tick_lock.rlock);
    return size;
}

static long demo_ioctl(struct file *file, unsigned int command, unsigned long argument)
{
    mutex_lock(&big_lock);
    mutex_unlock(&big_lock);
    if (command == 3)
        mutex_lock(&big_lock);
    else
        mutex_lock(&big_lock);
    mutex_unlock(&big_lock);
    if (READ_ONCE(handling)) {
        spin_lock(&busy_lock);
        busy++;
        spin_unlock(&busy_lock);
    }
    return 0;
}

static const struct file_operations demo_fops = {
    .owner = THIS_MODULE,
    .read = demo_read,
    .write = demo_write,
    .unlocked_ioctl = demo_ioctl,
};
static struct miscdevice demo_device = { .minor = MISC_DYNAMIC_MINOR, .name = "demo", .fops = &demo_fops };

static int demo_init(void)
{
    timer_setup(&tick, tick_expired, 0);
    if (request_threaded_irq(5, demo_interrupt, NULL, 0, "demo", &cookie))
        return -EBUSY;
    return misc_register(&demo_device);
}

module_init(demo_init)
