// irkiss: ; expect: none
//
// An unlock that the compiler has dissolved gives the lock back: the next one takes it.
#include "kernel.h"

// A kernel without preemption and lock debugging (include/asm-generic/qspinlock.h): the store of a zero byte is what -O2 leaves.
static inline void queued_spin_unlock(raw_spinlock_t *lock)
{
    __asm__ __volatile__("" ::: "memory");
    *(volatile unsigned char *)&lock->raw_lock = 0;
}
static inline void spin_unlock_inlined(spinlock_t *lock)
{
    queued_spin_unlock(&lock->rlock);
}

static DEFINE_SPINLOCK(lock);
static long count;

static ssize_t demo_read(struct file *file, char __user *buffer, size_t bytes, loff_t *position)
{
    long value;
    spin_lock(&lock);
    value = count;
    spin_unlock_inlined(&lock);
    return value;
}

static ssize_t demo_write(struct file *file, const char __user *buffer, size_t bytes, loff_t *position)
{
    spin_lock(&lock);
    count++;
    spin_unlock_inlined(&lock);
    return 0;
}

static const struct file_operations demo_fops = {
    .owner = THIS_MODULE,
    .read = demo_read,
    .write = demo_write,
};

static struct miscdevice demo_device = { .minor = 255, .name = "demo", .fops = &demo_fops };

static int demo_init(void)
{
    return misc_register(&demo_device);
}

module_init(demo_init)
