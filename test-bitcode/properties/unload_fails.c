// irkiss: --property removed ; expect: finds
// irkiss: --property removed --scenario lifecycle --ts 2 ; expect: finds
//
// A timer goes on after module exit has returned: it was taken back, but not waited for.
#include "../drivers/kernel.h"

static struct timer_list tick;
int ticks, limit;

static void tick_expired(struct timer_list *timer)
{
    WRITE_ONCE(ticks, 1); // FINDS:use-after-removal
    if (READ_ONCE(limit))
        WRITE_ONCE(ticks, 0);
}

static ssize_t tick_write(struct file *file, const char __user *buffer, size_t size, loff_t *position)
{
    mod_timer(&tick, 100);
    return size;
}

static const struct file_operations tick_fops = { .owner = THIS_MODULE, .write = tick_write };
static struct miscdevice tick_device = { .minor = MISC_DYNAMIC_MINOR, .name = "tick", .fops = &tick_fops };

static int tick_init(void)
{
    timer_setup(&tick, tick_expired, 0);
    mod_timer(&tick, 100);
    return misc_register(&tick_device);
}

static void tick_exit(void)
{
    misc_deregister(&tick_device);
    del_timer(&tick); // FINDS:use-after-removal
}

module_init(tick_init)
module_exit(tick_exit)
