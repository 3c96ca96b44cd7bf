// irkiss: ; expect: assert ; lazy: yes
//
// Handlers from their start to their end: what they are given, what waits for them and goes on after them.
#include <irkiss.h>

#include "kernel.h"

struct callback_head {
    struct callback_head *next;
    void (*func)(struct callback_head *);
};
struct item {
    struct callback_head head;
    long value;
};
extern void disable_irq(unsigned int), enable_irq(unsigned int);
extern int kthread_stop(void *);
extern void *kthread_create_on_node(int (*)(void *), void *, int, const char *, ...);
extern void call_rcu(struct callback_head *, void (*)(struct callback_head *)), rcu_barrier(void);
extern void __rcu_read_lock(void), __rcu_read_unlock(void), synchronize_rcu(void);

static DEFINE_MUTEX(lock);
static int ran[5];
static void *task;
static long freed, masked, reclaimed;
static struct timer_list timer;
static struct callback_head last;
static struct item first, *current_item = &first;

static irqreturn_t freed_interrupt(int irq, void *device)
{
    __irkiss_assert(irq == 5 && device == &freed, "the line and what it was asked for with");
    freed = 1; // NORACE
    WRITE_ONCE(ran[0], 1);
    return IRQ_HANDLED;
}

static irqreturn_t masked_interrupt(int irq, void *device)
{
    masked = 1; // NORACE
    return IRQ_HANDLED;
}

static void ring(struct timer_list *t)
{
    WRITE_ONCE(ran[1], 1);
}

static int work(void *data)
{
    __irkiss_assert(data == &lock, "what the thread was made with");
    WRITE_ONCE(ran[4], 1);
    return 0;
}

static void ended(struct callback_head *head)
{
    reclaimed = 1; // NORACE
    WRITE_ONCE(ran[2], 1);
}

static void reclaim(struct callback_head *head)
{
    ((struct item *)head)->value = 1; // NORACE
}

// A device for each: an entry point ends at the first assertion that fails.
#define DEVICE(id, ...) \
    static ssize_t read_##id(struct file *file, char __user *buffer, size_t bytes, loff_t *position) \
    { \
        __VA_ARGS__; \
        return 0; \
    } \
    static const struct file_operations fops_##id = { .owner = THIS_MODULE, .read = read_##id }; \
    static struct miscdevice device_##id = { .minor = MISC_DYNAMIC_MINOR, .name = #id, .fops = &fops_##id };
#define ALONE(...) \
    mutex_lock(&lock); \
    __VA_ARGS__; \
    mutex_unlock(&lock)
DEVICE(free, ALONE(free_irq(5, &freed); freed = 2); __irkiss_assert(!READ_ONCE(ran[0]), "it had run")) // ASSERT-FAILS
DEVICE(mask, ALONE(disable_irq(6); masked = 2; enable_irq(6))) // NORACE
DEVICE(timer, del_timer_sync(&timer); __irkiss_assert(!READ_ONCE(ran[1]), "it had run")) // ASSERT-FAILS
DEVICE(stop, kthread_stop(task); __irkiss_assert(!READ_ONCE(ran[4]), "it had run")) // ASSERT-FAILS
DEVICE(barrier, ALONE(rcu_barrier(); reclaimed = 2); __irkiss_assert(!READ_ONCE(ran[2]), "it had run")) // ASSERT-FAILS
DEVICE(wait, if (READ_ONCE(ran[3])) { synchronize_rcu(); __irkiss_assert(0, "it had been there"); }) // ASSERT-FAILS

static ssize_t demo_read(struct file *file, char __user *buffer, size_t bytes, loff_t *position)
{
    struct item *item;
    long value = 0;
    __rcu_read_lock();
    WRITE_ONCE(ran[3], 1);
    item = READ_ONCE(current_item);
    if (item)
        value = item->value; // NORACE
    __rcu_read_unlock();
    return value;
}

static const struct file_operations demo_fops = { .owner = THIS_MODULE, .read = demo_read };
static struct miscdevice demo_device = { .minor = MISC_DYNAMIC_MINOR, .name = "demo", .fops = &demo_fops };

static ssize_t take_write(struct file *file, const char __user *buffer, size_t bytes, loff_t *position)
{
    struct item *item;
    mutex_lock(&lock);
    item = current_item;
    WRITE_ONCE(current_item, NULL);
    if (item)
        call_rcu(&item->head, reclaim);
    mutex_unlock(&lock);
    return 0;
}

static const struct file_operations take_fops = { .owner = THIS_MODULE, .write = take_write };
static struct miscdevice take_device = { .minor = MISC_DYNAMIC_MINOR, .name = "take", .fops = &take_fops };

static int demo_init(void)
{
    timer_setup(&timer, ring, 0);
    mod_timer(&timer, 5);
    call_rcu(&last, ended);
    task = kthread_create_on_node(work, &lock, -1, "demo");
    if ((unsigned long)task >= -4095ul || request_threaded_irq(5, freed_interrupt, NULL, 0, "demo", &freed) ||
        request_threaded_irq(6, masked_interrupt, NULL, 0, "demo", &masked))
        return -EBUSY;
    if (misc_register(&device_free) || misc_register(&device_mask) || misc_register(&device_timer) || misc_register(&device_barrier))
        return -EBUSY;
    return misc_register(&device_stop) || misc_register(&device_wait) || misc_register(&take_device) || misc_register(&demo_device) ? -EBUSY : 0;
}

module_init(demo_init)
