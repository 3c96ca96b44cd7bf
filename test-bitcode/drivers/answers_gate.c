// irkiss: --config drivers/answers_gate.toml --ts 1 ; expect: none ; lazy: yes
//
// Rules of one's own (answers_gate.toml): what waits until it is started. An operation that starts it is run before a pair with it only
// where initialisation has not. (That read, the event and the operation meet is three threads' business, or an earlier call's: --ts 1 tries none.)
#include <irkiss.h>

#include "kernel.h"

struct demo_bus_ops {
    void (*event)(void *);
};
extern int demo_bus_register(const struct demo_bus_ops *);
extern void demo_bus_start(const struct demo_bus_ops *);

static int reading, started_again;

static void demo_event(void *data)
{
    if (READ_ONCE(reading))
        __irkiss_assert(!READ_ONCE(started_again), "nobody had to start it");
}

static const struct demo_bus_ops demo_ops = { .event = demo_event };

static ssize_t demo_read(struct file *file, char __user *buffer, size_t bytes, loff_t *position)
{
    WRITE_ONCE(reading, 1);
    return 0;
}

static ssize_t demo_write(struct file *file, const char __user *buffer, size_t bytes, loff_t *position)
{
    WRITE_ONCE(started_again, 1);
    demo_bus_start(&demo_ops);
    return 0;
}

static const struct file_operations demo_fops = { .owner = THIS_MODULE, .read = demo_read, .write = demo_write };
static struct miscdevice demo_device = { .minor = MISC_DYNAMIC_MINOR, .name = "demo", .fops = &demo_fops };

static int demo_init(void)
{
    int error = demo_bus_register(&demo_ops);
    if (error)
        return error;
    demo_bus_start(&demo_ops);
    return misc_register(&demo_device);
}

module_init(demo_init)
