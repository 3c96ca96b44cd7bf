// irkiss: --property lock-misuse ; expect: finds
//
// Who must not sleep: initialisation under a spin lock, an interrupt handler, a timer, who has disabled interrupts.
#include "../drivers/kernel.h"

#define GFP_ATOMIC 0xa20u
extern void usleep_range_state(unsigned long min, unsigned long max, unsigned int state);

static DEFINE_SPINLOCK(room_lock);
static DEFINE_MUTEX(table_lock);
static struct timer_list tick;
static void *room;
static int cookie;

static irqreturn_t demo_interrupt(int irq, void *device)
{
    mutex_lock(&table_lock); // FINDS:sleep-in-atomic
    mutex_unlock(&table_lock);
    return IRQ_HANDLED;
}

static void tick_expired(struct timer_list *timer)
{
    usleep_range_state(1, 2, 2); // FINDS:sleep-in-atomic
}

static ssize_t demo_read(struct file *file, char __user *buffer, size_t size, loff_t *position)
{
    unsigned long flags;

    mod_timer(&tick, 100);
    spin_lock_irqsave(&room_lock, flags);
    if (room && _copy_to_user(buffer, room, 8)) // FINDS:sleep-in-atomic
        size = 0;
    spin_unlock_irqrestore(&room_lock, flags);
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
    room = __kmalloc(8, GFP_KERNEL); // FINDS:sleep-in-atomic
    spin_unlock(&room_lock);
    room = __kmalloc(8, GFP_ATOMIC);
    return misc_register(&demo_device);
}

module_init(demo_init)
