// irkiss: --property lock-misuse ; expect: none
//
// As sleep_fails.c, mended.
#include "../drivers/kernel.h"

#define GFP_ATOMIC 0xa20u
extern void __udelay(unsigned long us);

static DEFINE_SPINLOCK(room_lock);
static DEFINE_SPINLOCK(table_lock);
static struct timer_list tick;
static void *room;
static int cookie;

static irqreturn_t demo_interrupt(int irq, void *device)
{
    spin_lock(&table_lock);
    spin_unlock(&table_lock);
    return IRQ_HANDLED;
}

static void tick_expired(struct timer_list *timer)
{
    __udelay(1);
}

static ssize_t demo_read(struct file *file, char __user *buffer, size_t size, loff_t *position)
{
    unsigned long flags;
    void *now;

    mod_timer(&tick, 100);
    spin_lock_irqsave(&room_lock, flags);
    now = room;
    spin_unlock_irqrestore(&room_lock, flags);
    if (now && _copy_to_user(buffer, now, 8))
        size = 0;
    return size;
}

static const struct file_operations demo_fops = { .owner = THIS_MODULE, .read = demo_read };
static struct miscdevice demo_device = { .minor = MISC_DYNAMIC_MINOR, .name = "demo", .fops = &demo_fops };

static int demo_init(void)
{
    timer_setup(&tick, tick_expired, 0);
    if (request_threaded_irq(5, demo_interrupt, NULL, 0, "demo", &cookie))
        return -EBUSY;
    spin_lock(&room_lock);
    room = __kmalloc(8, GFP_ATOMIC);
    spin_unlock(&room_lock);
    return misc_register(&demo_device);
}

module_init(demo_init)
