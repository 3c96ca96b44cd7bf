// irkiss: --property removed ; expect: finds
//
// As armed_by_open_holds.c, but closing the file does not wait for the timer.
#include "../drivers/kernel.h"

static struct timer_list tick;
int ticks;

static void tick_expired(struct timer_list *timer)
{
    WRITE_ONCE(ticks, 1); // FINDS:use-after-removal
}

static int demo_open(struct inode *inode, struct file *file)
{
    mod_timer(&tick, 100);
    return 0;
}

static int demo_release(struct inode *inode, struct file *file)
{
    return 0;
}

static const struct file_operations demo_fops = { .owner = THIS_MODULE, .open = demo_open, .release = demo_release };
static struct miscdevice demo_device = { .minor = MISC_DYNAMIC_MINOR, .name = "demo", .fops = &demo_fops };

static int demo_init(void)
{
    timer_setup(&tick, tick_expired, 0);
    return misc_register(&demo_device);
}

static void demo_exit(void)
{
    misc_deregister(&demo_device); // FINDS:use-after-removal
}

module_init(demo_init)
module_exit(demo_exit)
