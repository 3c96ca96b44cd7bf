// irkiss: --ts 1 ; expect: none ; lazy: yes
//
// An operation that arms a handler is run before a pair with that handler only where nothing has armed it. (That read, the timer and the
// operation meet is three threads' business, or an earlier call's: --ts 1 tries none.)
#include <irkiss.h>

#include "kernel.h"

static struct timer_list timer;
static int reading, armed_again, rang;

static void ring(struct timer_list *t)
{
    WRITE_ONCE(rang, 1);
    if (READ_ONCE(reading))
        __irkiss_assert(!READ_ONCE(armed_again), "nobody had to arm it");
}

static ssize_t demo_read(struct file *file, char __user *buffer, size_t bytes, loff_t *position)
{
    WRITE_ONCE(reading, 1);
    return 0;
}

static ssize_t demo_write(struct file *file, const char __user *buffer, size_t bytes, loff_t *position)
{
    WRITE_ONCE(armed_again, 1);
    mod_timer(&timer, 5);
    return 0;
}

// Who waits for work finds it done, also where the work is no thread of the pair; nothing else has run by that.
struct work_struct {
    unsigned long data;
    struct list_head entry;
    void (*func)(struct work_struct *);
};
extern _Bool queue_work_on(int cpu, void *queue, struct work_struct *work), flush_work(struct work_struct *work);
static int done;

static void task(struct work_struct *work)
{
    WRITE_ONCE(done, 1);
}

static struct work_struct work = { .func = task };

static ssize_t flush_read(struct file *file, char __user *buffer, size_t bytes, loff_t *position)
{
    flush_work(&work);
    __irkiss_assert(READ_ONCE(done), "it is done");
    if (READ_ONCE(reading))
        __irkiss_assert(!READ_ONCE(rang), "nothing else is");
    return 0;
}

static const struct file_operations flush_fops = { .owner = THIS_MODULE, .read = flush_read };
static struct miscdevice flush_device = { .minor = MISC_DYNAMIC_MINOR, .name = "flush", .fops = &flush_fops };

static const struct file_operations demo_fops = { .owner = THIS_MODULE, .read = demo_read, .write = demo_write };
static struct miscdevice demo_device = { .minor = MISC_DYNAMIC_MINOR, .name = "demo", .fops = &demo_fops };

static int demo_init(void)
{
    timer_setup(&timer, ring, 0);
    mod_timer(&timer, 5);
    queue_work_on(0, NULL, &work);
    return misc_register(&flush_device) || misc_register(&demo_device) ? -EBUSY : 0;
}

module_init(demo_init)
