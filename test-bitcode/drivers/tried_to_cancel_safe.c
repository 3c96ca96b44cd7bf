// irkiss: ; expect: none ; lazy: yes
//
// A timer is stopped by trying until its function does not run, in one step with finding that out; work in an interrupt is waited for.
// After that, until they are started again, neither runs.
#include "part_linux.h"

struct __call_single_node { void *next; unsigned int flags; unsigned short from, to; };
struct irq_work { struct __call_single_node node; void (*func)(struct irq_work *); };
extern bool irq_work_queue(struct irq_work *work);
extern bool irq_work_queue_on(struct irq_work *work, int cpu);
extern void irq_work_sync(struct irq_work *work);
extern int try_to_del_timer_sync(struct timer_list *timer);

struct part {
    struct mutex lock;
    struct timer_list timer;
    struct irq_work work, other;
    int ticks, calls, others;
};
static struct part part;

static void part_timer(struct timer_list *timer)
{
    part.ticks++;
}

static void part_work(struct irq_work *work)
{
    part.calls++;
}

static void part_other(struct irq_work *work)
{
    part.others++;
}

static ssize_t part_store(struct device *dev, struct device_attribute *attr, const char *buf, size_t count)
{
    mutex_lock(&part.lock);
    while (try_to_del_timer_sync(&part.timer) < 0)
        ;
    irq_work_sync(&part.work);
    irq_work_sync(&part.other);
    part.ticks = 0;
    part.calls = 0;
    part.others = 0;
    mod_timer(&part.timer, 10);
    irq_work_queue(&part.work);
    irq_work_queue_on(&part.other, 1);
    mutex_unlock(&part.lock);
    return count;
}

static struct device_attribute dev_attr_part = { { "part", 0644 }, NULL, part_store };
extern int device_create_file(struct device *dev, const struct device_attribute *attr);
extern void device_remove_file(struct device *dev, const struct device_attribute *attr);

static int part_probe(struct platform_device *pdev)
{
    mutex_init(&part.lock);
    part.work.func = part_work;
    part.other.func = part_other;
    timer_setup(&part.timer, part_timer, 0);
    mod_timer(&part.timer, 10);
    return device_create_file(&pdev->dev, &dev_attr_part);
}

static int part_remove(struct platform_device *pdev)
{
    device_remove_file(&pdev->dev, &dev_attr_part);
    del_timer_sync(&part.timer);
    return 0;
}

static struct platform_driver part_driver = { .probe = part_probe, .remove = part_remove, .driver = { .name = "part" } };

int init_module(void)
{
    return platform_driver_register(&part_driver);
}

void cleanup_module(void)
{
    platform_driver_unregister(&part_driver);
}
