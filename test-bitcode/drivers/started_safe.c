// irkiss: ; expect: none ; lazy: yes
//
// What starts handlers. Each writes what nobody else touches.
#include "kernel.h"

struct tasklet_struct {
    struct tasklet_struct *next;
    unsigned long state;
    int count;
    _Bool use_callback;
    void (*callback)(struct tasklet_struct *);
    unsigned long data;
};
struct hrtimer {
    unsigned long parent_color;
    void *right, *left;
    long long expires, softexpires;
    int (*function)(struct hrtimer *);
    void *base;
};
struct callback_head {
    struct callback_head *next;
    void (*func)(struct callback_head *);
};
struct task_struct;
extern void tasklet_setup(struct tasklet_struct *, void (*)(struct tasklet_struct *));
extern void __tasklet_schedule(struct tasklet_struct *), __tasklet_hi_schedule(struct tasklet_struct *);
extern void hrtimer_init(struct hrtimer *, int, int), hrtimer_start_range_ns(struct hrtimer *, long long, unsigned long long, int);
extern void call_rcu(struct callback_head *, void (*)(struct callback_head *));
extern void call_rcu_hurry(struct callback_head *, void (*)(struct callback_head *));
extern struct task_struct *kthread_create_on_node(int (*)(void *), void *, int, const char *, ...);
extern int wake_up_process(struct task_struct *);
extern int devm_request_threaded_irq(void *, unsigned int, irq_handler_t, irq_handler_t, unsigned long, const char *, void *);
extern int request_any_context_irq(unsigned int, irq_handler_t, unsigned long, const char *, void *);

static struct tasklet_struct low, high;
static struct hrtimer timer;
static struct callback_head head, hurried;
static int shared[8];

static void run_low(struct tasklet_struct *t)
{
    shared[0] = 1;
}

static void run_high(struct tasklet_struct *t)
{
    shared[1] = 1;
}

static int ring(struct hrtimer *t)
{
    shared[2] = 1;
    return 0;
}

static void reclaim(struct callback_head *h)
{
    shared[3] = 1;
}

static void reclaim_soon(struct callback_head *h)
{
    shared[4] = 1;
}

static int work(void *data)
{
    shared[5] = 1;
    return 0;
}

static irqreturn_t interrupt(int irq, void *device)
{
    shared[6] = 1;
    return IRQ_HANDLED;
}

static irqreturn_t any_interrupt(int irq, void *device)
{
    shared[7] = 1;
    return IRQ_HANDLED;
}

static ssize_t demo_read(struct file *file, char __user *buffer, size_t bytes, loff_t *position)
{
    static long mine;
    return READ_ONCE(mine);
}

static const struct file_operations demo_fops = { .owner = THIS_MODULE, .read = demo_read };
static struct miscdevice demo_device = { .minor = 255, .name = "demo", .fops = &demo_fops };

static int demo_init(void)
{
    struct task_struct *task;
    tasklet_setup(&low, run_low);
    tasklet_setup(&high, run_high);
    hrtimer_init(&timer, 0, 0);
    timer.function = ring;
    task = kthread_create_on_node(work, NULL, -1, "demo");
    if ((unsigned long)task >= -4095ul)
        return -ENOMEM;
    if (devm_request_threaded_irq(NULL, 5, interrupt, NULL, 0, "demo", &low) || request_any_context_irq(6, any_interrupt, 0, "demo", &low) < 0)
        return -EBUSY;
    __tasklet_schedule(&low);
    __tasklet_hi_schedule(&high);
    hrtimer_start_range_ns(&timer, 5, 0, 0);
    call_rcu(&head, reclaim);
    call_rcu_hurry(&hurried, reclaim_soon);
    wake_up_process(task);
    return misc_register(&demo_device);
}

module_init(demo_init)
