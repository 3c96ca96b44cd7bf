// irkiss: --property removed ; expect: none
//
// Whoever starts the clock takes a reference of the module, unless it goes already, and the clock gives it back when it rings: module exit
// comes when nothing is due. A clock that rings just then is over before the code goes.
#include "../drivers/kernel.h"

struct hrtimer {
    unsigned long parent_color;
    void *right, *left;
    long long expires, softexpires;
    int (*function)(struct hrtimer *);
    void *base;
};
struct module;
extern struct module __this_module;
extern void hrtimer_init(struct hrtimer *, int, int), hrtimer_start_range_ns(struct hrtimer *, long long, unsigned long long, int);
extern _Bool hrtimer_active(const struct hrtimer *);
extern void __module_get(struct module *), module_put(struct module *);

static struct hrtimer alarm;
int rings, quiet;

static int alarm_rings(struct hrtimer *timer)
{
    module_put(&__this_module);
    WRITE_ONCE(rings, 1);
    if (READ_ONCE(quiet))
        WRITE_ONCE(rings, 0);
    return 0;
}

static ssize_t alarm_write(struct file *file, const char __user *buffer, size_t size, loff_t *position)
{
    if (!hrtimer_active(&alarm))
        __module_get(&__this_module);
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

static void alarm_exit(void)
{
    misc_deregister(&alarm_device);
}

module_init(alarm_init)
module_exit(alarm_exit)
