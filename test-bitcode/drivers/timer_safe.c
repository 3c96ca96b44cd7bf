// irkiss: ; expect: none
//
// A timer is started and then wound up by write(), with READ_ONCE and WRITE_ONCE only.
#include "kernel.h"

static struct timer_list tick;
int remaining;

static void tick_expired(struct timer_list *timer)
{
    WRITE_ONCE(remaining, 0); // NORACE
}

static ssize_t tick_write(struct file *file, const char __user *buffer, size_t size, loff_t *position)
{
    mod_timer(&tick, 100);
    WRITE_ONCE(remaining, 10); // NORACE
    return size;
}

static const struct file_operations tick_fops = {
    .owner = THIS_MODULE,
    .write = tick_write,
};

static struct miscdevice tick_device = {
    .minor = MISC_DYNAMIC_MINOR,
    .name = "tick",
    .fops = &tick_fops,
};

static int tick_init(void)
{
    timer_setup(&tick, tick_expired, 0);
    return misc_register(&tick_device);
}

static void tick_exit(void)
{
    misc_deregister(&tick_device);
    del_timer_sync(&tick);
}

module_init(tick_init)
module_exit(tick_exit)
