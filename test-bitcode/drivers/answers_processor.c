// irkiss: ; expect: assert ; forms: nopass ; lazy: yes
//
// On the only processor: interrupts are disabled until they are enabled again, or until the handler has returned. (The bodies here are not what the functions do.)
#define raw_spinlock spinlock_of_other_kernels
#include "answers.h"
#undef raw_spinlock

struct raw_spinlock {
    struct {
    } raw_lock;
};
static struct raw_spinlock lock __attribute__((used));

#define INLINE static __attribute__((noinline))
#define INTERRUPTS 0x200ul

INLINE unsigned long native_save_fl(void) { return 7; }
INLINE unsigned long arch_local_irq_save(void) { return 7; }
INLINE void arch_local_irq_restore(unsigned long flags) { }
INLINE void native_irq_disable(void) { }
INLINE void native_irq_enable(void) { }

static int interrupted;

static irqreturn_t demo_interrupt(int irq, void *device)
{
    WRITE_ONCE(interrupted, 1);
    return IRQ_HANDLED;
}

// When the handler has returned, whoever was interrupted goes on.
static ssize_t other_read(struct file *file, char __user *buffer, size_t bytes, loff_t *position)
{
    native_irq_disable();
    __irkiss_assert(!READ_ONCE(interrupted), "it had run"); // ASSERT-FAILS
    native_irq_enable();
    return 0;
}

static const struct file_operations other_fops = { .owner = THIS_MODULE, .read = other_read };
static struct miscdevice other_device = { .minor = MISC_DYNAMIC_MINOR, .name = "other", .fops = &other_fops };

static void answers(void)
{
    unsigned long flags = native_save_fl();
    CHECK(flags == INTERRUPTS);
    CHECK(arch_local_irq_save() == INTERRUPTS && native_save_fl() == 0);
    CHECK(arch_local_irq_save() == 0 && native_save_fl() == 0);
    arch_local_irq_restore(0);
    CHECK(native_save_fl() == 0);
    arch_local_irq_restore(flags);
    CHECK(native_save_fl() == INTERRUPTS);
    native_irq_disable();
    CHECK(native_save_fl() == 0);
    native_irq_enable();
    CHECK(native_save_fl() == INTERRUPTS);
    if (!request_threaded_irq(5, demo_interrupt, NULL, 0, "demo", &interrupted))
        misc_register(&other_device);
}
