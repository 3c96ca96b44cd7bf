// irkiss: --property lock-misuse ; expect: finds
//
// To sleep with preemption, bottom halves or interrupts disabled, or in a reader section of RCU. (Of the static functions only the names
// count: they stand for the inline functions of the kernel's headers.)
#include "../drivers/kernel.h"

#define INLINE static __attribute__((noinline))
INLINE void __preempt_count_add(int n) { __asm__ volatile("" : : "r"(n)); }
INLINE void __preempt_count_sub(int n) { __asm__ volatile("" : : "r"(n + 1)); }
INLINE void local_bh_disable(void) { __asm__ volatile("nop"); }
INLINE void local_bh_enable(void) { __asm__ volatile("nop\nnop"); }
INLINE void native_irq_disable(void) { __asm__ volatile("cli" ::: "memory"); }
INLINE void native_irq_enable(void) { __asm__ volatile("sti" ::: "memory"); }
extern void __local_bh_disable_ip(unsigned long ip, unsigned int count);
extern void __local_bh_enable_ip(unsigned long ip, unsigned int count);
extern void __rcu_read_lock(void);
extern void __rcu_read_unlock(void);
extern void msleep(unsigned int ms);

static ssize_t demo_read(struct file *file, char __user *buffer, size_t size, loff_t *position)
{
    __preempt_count_add(1);
    msleep(1); // FINDS:sleep-in-atomic
    __preempt_count_sub(1);
    msleep(2);
    local_bh_disable();
    msleep(3); // FINDS:sleep-in-atomic
    local_bh_enable();
    msleep(4);
    __local_bh_disable_ip(0, 0x200);
    msleep(5); // FINDS:sleep-in-atomic
    __local_bh_enable_ip(0, 0x200);
    msleep(6);
    native_irq_disable();
    msleep(7); // FINDS:sleep-in-atomic
    native_irq_enable();
    msleep(8);
    __rcu_read_lock();
    msleep(9); // FINDS:sleep-in-atomic
    __rcu_read_unlock();
    msleep(10);
    return 0;
}

static const struct file_operations demo_fops = { .owner = THIS_MODULE, .read = demo_read };
static struct miscdevice demo_device = { .minor = MISC_DYNAMIC_MINOR, .name = "demo", .fops = &demo_fops };

static int demo_init(void)
{
    return misc_register(&demo_device);
}

module_init(demo_init)
