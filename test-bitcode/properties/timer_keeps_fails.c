// irkiss: --property removed ; expect: finds
//
// As timer_keeps_holds.c, but who starts the clock takes no reference.
#include "../drivers/kernel.h"

struct hrtimer {
    unsigned long parent_color;
    void *right, *left;
    long long expires, softexpires;
    int (*function)(struct hrtimer *);
    void *base;
};
extern void hrtimer_init(struct hrtimer *, int, int), hrtimer_start_range_ns(struct hrtimer *, long long, unsigned long long, int);

static struct hrtimer alarm;
int rings, quiet;

static int alarm_rings(struct hrtimer *timer)
{
    WRITE_ONCE(rings, 1); // FINDS:use-after-removal
    if (READ_ONCE(quiet))
        WRITE_ONCE(rings, 0);
    return 0;
}

static ssize_t alarm_write(struct file *file, const char __user *buffer, size_t size, loff_t *position)
{
    hrtimer_start_range_ns(&alarm, 1000, 0, 1);
    return size;
}

static const struct file_operations alarm_fops = { .owner = THIS_MODULE, .write = alarm_write };
static struct miscdevice alarm_device = { .minor = MISC_DYNAMIC_MINOR, .name = "alarm", .fops = &alarm_fops };

static int alarm_init(void)
{
    hrtimer_init(&alarm, 1, 1);
    alarm.function = alarm_rings;
    return misc_register(&alarm_device);
}

static void alarm_exit(void) // FINDS:use-after-removal
{
    misc_deregister(&alarm_device);
}

module_init(alarm_init)
module_exit(alarm_exit)
