// irkiss: ; expect: none
//
// The callback of a timer asks its clock for the time, as hrtimer_cb_get_time() does; write() winds it up, with WRITE_ONCE.
#include "kernel.h"

struct hrtimer;
struct hrtimer_clock_base {
    void *cpu_base;
    unsigned int index;
    int clockid;
    unsigned int seq;
    struct hrtimer *running;
    void *active[2];
    long long (*get_time)(void);
};
struct hrtimer {
    unsigned long parent_color;
    void *right, *left;
    long long expires, softexpires;
    int (*function)(struct hrtimer *);
    struct hrtimer_clock_base *base;
};
extern void hrtimer_init(struct hrtimer *, int, int), hrtimer_start_range_ns(struct hrtimer *, long long, unsigned long long, int);

static struct hrtimer tick;
int remaining;

static int tick_expired(struct hrtimer *timer)
{
    WRITE_ONCE(remaining, timer->base->get_time() > 5); // NORACE
    return 0;
}

static ssize_t tick_write(struct file *file, const char __user *buffer, size_t size, loff_t *position)
{
    hrtimer_start_range_ns(&tick, 100, 0, 0);
    WRITE_ONCE(remaining, 10); // NORACE
    return size;
}

static const struct file_operations tick_fops = { .owner = THIS_MODULE, .write = tick_write };
static struct miscdevice tick_device = { .minor = MISC_DYNAMIC_MINOR, .name = "tick", .fops = &tick_fops };

static int tick_init(void)
{
    hrtimer_init(&tick, 0, 0);
    tick.function = tick_expired;
    return misc_register(&tick_device);
}

module_init(tick_init)
