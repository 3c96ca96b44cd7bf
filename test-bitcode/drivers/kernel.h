// The little of the kernel's interface that the drivers here use, declared as the kernel (6.1, 64 bit) names it, so that
// they compile without kernel headers. Layouts are shortened: models know objects by address, not by layout.
#ifndef KERNEL_H
#define KERNEL_H

typedef unsigned long size_t;
typedef long ssize_t;
typedef long long loff_t;
#define NULL ((void *)0)
#define EBUSY 16
#define EFAULT 14
#define ENOMEM 12
#define __user

struct list_head {
    struct list_head *next, *prev;
};

struct module;
extern struct module __this_module;
#define THIS_MODULE (&__this_module)
#define ADDRESSABLE(symbol, id) static void *__attribute__((used)) id = (void *)&symbol;
#define module_init(function) \
    int init_module(void) __attribute__((alias(#function))); \
    ADDRESSABLE(init_module, __UNIQUE_ID___addressable_init_module100)
#define module_exit(function) \
    void cleanup_module(void) __attribute__((alias(#function))); \
    ADDRESSABLE(cleanup_module, __UNIQUE_ID___addressable_cleanup_module101)

#define READ_ONCE(x) (*(const volatile __typeof__(x) *)&(x))
#define WRITE_ONCE(x, value) (*(volatile __typeof__(x) *)&(x) = (value))

// Locks.
struct mutex {
    long owner;
    unsigned int wait_lock;
    struct list_head wait_list;
};
#define DEFINE_MUTEX(name) struct mutex name = { .wait_list = { &name.wait_list, &name.wait_list } }
extern void __mutex_init(struct mutex *lock, const char *name, void *key);
extern void mutex_lock(struct mutex *lock);
extern void mutex_unlock(struct mutex *lock);

typedef struct raw_spinlock {
    unsigned int raw_lock;
} raw_spinlock_t;
typedef struct spinlock {
    raw_spinlock_t rlock;
} spinlock_t;
#define DEFINE_SPINLOCK(name) spinlock_t name
extern void _raw_spin_lock(raw_spinlock_t *lock);
extern void _raw_spin_unlock(raw_spinlock_t *lock);
extern unsigned long _raw_spin_lock_irqsave(raw_spinlock_t *lock);
extern void _raw_spin_unlock_irqrestore(raw_spinlock_t *lock, unsigned long flags);
#define spin_lock(lock) _raw_spin_lock(&(lock)->rlock)
#define spin_unlock(lock) _raw_spin_unlock(&(lock)->rlock)
#define spin_lock_irqsave(lock, flags) ((flags) = _raw_spin_lock_irqsave(&(lock)->rlock))
#define spin_unlock_irqrestore(lock, flags) _raw_spin_unlock_irqrestore(&(lock)->rlock, (flags))

// Memory.
extern void *__kmalloc(size_t size, unsigned int flags);
extern void kfree(const void *object);
#define GFP_KERNEL 0xcc0u
extern unsigned long _copy_to_user(void __user *to, const void *from, unsigned long bytes);

// Character devices.
struct inode;
struct file {
    void *f_inode;
    void *private_data;
};
struct file_operations {
    struct module *owner;
    loff_t (*llseek)(struct file *, loff_t, int);
    ssize_t (*read)(struct file *, char __user *, size_t, loff_t *);
    ssize_t (*write)(struct file *, const char __user *, size_t, loff_t *);
    long (*unlocked_ioctl)(struct file *, unsigned int, unsigned long);
    int (*open)(struct inode *, struct file *);
    int (*release)(struct inode *, struct file *);
};
struct miscdevice {
    int minor;
    const char *name;
    const struct file_operations *fops;
};
#define MISC_DYNAMIC_MINOR 255
extern int misc_register(struct miscdevice *misc);
extern void misc_deregister(struct miscdevice *misc);

// Interrupts and timers.
typedef int irqreturn_t;
#define IRQ_HANDLED 1
typedef irqreturn_t (*irq_handler_t)(int, void *);
extern int request_threaded_irq(unsigned int irq, irq_handler_t handler, irq_handler_t thread, unsigned long flags,
                                const char *name, void *device);
extern const void *free_irq(unsigned int irq, void *device);

struct timer_list {
    struct list_head entry;
    unsigned long expires;
    void (*function)(struct timer_list *);
    unsigned int flags;
};
extern void init_timer_key(struct timer_list *timer, void (*function)(struct timer_list *), unsigned int flags,
                           const char *name, void *key);
extern int mod_timer(struct timer_list *timer, unsigned long expires);
extern int del_timer(struct timer_list *timer);
extern int del_timer_sync(struct timer_list *timer);
#define timer_setup(timer, function, flags) init_timer_key((timer), (function), (flags), NULL, NULL)

#endif
