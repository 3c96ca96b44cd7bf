// irkiss: ; expect: none
//
// On the only processor, who disables interrupts is alone.
#define raw_spinlock spinlock_of_other_kernels
#include "kernel.h"
#undef raw_spinlock

// A kernel for one processor without lock debugging (include/linux/spinlock_types_up.h): a spin lock is an empty struct, and what
// keeps the interrupt handler away is that interrupts are disabled (arch/x86/include/asm/irqflags.h).
struct raw_spinlock {
    struct {
    } raw_lock;
};
static struct raw_spinlock lock __attribute__((used));

static inline unsigned long native_save_fl(void)
{
    unsigned long flags;
    __asm__ __volatile__("# __raw_save_flags\n\tpushf ; pop %0" : "=rm"(flags) : : "memory");
    return flags;
}
static inline void native_irq_disable(void)
{
    __asm__ __volatile__("cli" : : : "memory");
}
static inline void native_irq_enable(void)
{
    __asm__ __volatile__("sti" : : : "memory");
}
static inline void spin_lock_up(struct raw_spinlock *lock)
{
}

static long count;

static ssize_t demo_read(struct file *file, char __user *buffer, size_t bytes, loff_t *position)
{
    unsigned long flags = native_save_fl();
    long value;
    native_irq_disable();
    spin_lock_up(&lock);
    value = count;
    if (flags & 0x200)
        native_irq_enable();
    return value;
}

static irqreturn_t demo_interrupt(int irq, void *device)
{
    count++;
    return IRQ_HANDLED;
}

static const struct file_operations demo_fops = {
    .owner = THIS_MODULE,
    .read = demo_read,
};

static struct miscdevice demo_device = { .minor = 255, .name = "demo", .fops = &demo_fops };

static int demo_init(void)
{
    int error = request_threaded_irq(5, demo_interrupt, NULL, 0, "demo", &count);
    return error ? error : misc_register(&demo_device);
}

module_init(demo_init)
