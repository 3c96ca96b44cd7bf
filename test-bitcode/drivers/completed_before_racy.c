// irkiss: ; expect: race ; lazy: yes
//
// A request is handed to a timer, and the answer waited for under the lock: one that came before is over with its answer, and the timer
// with it. Who does not wait has the timer still to come when the next request is made.
#include "part_linux.h"

extern void wait_for_completion(struct completion *c);

struct part {
    struct mutex lock;
    struct timer_list timer;
    struct completion answered;
    unsigned long request, answer;
};
static struct part part;

static void part_timer(struct timer_list *timer)
{
    part.answer = part.request + 1; // RACE
    complete(&part.answered);
}

static ssize_t part_store(struct device *dev, struct device_attribute *attr, const char *buf, size_t count)
{
    mutex_lock(&part.lock);
    part.request = count; // RACE
    mod_timer(&part.timer, 10);
    if (part.request == 7)
        wait_for_completion(&part.answered);
    mutex_unlock(&part.lock);
    return count;
}

static struct device_attribute dev_attr_part = { { "part", 0644 }, NULL, part_store };
extern int device_create_file(struct device *dev, const struct device_attribute *attr);
extern void device_remove_file(struct device *dev, const struct device_attribute *attr);

static int part_probe(struct platform_device *pdev)
{
    mutex_init(&part.lock);
    init_completion(&part.answered);
    timer_setup(&part.timer, part_timer, 0);
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
