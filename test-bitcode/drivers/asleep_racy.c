// irkiss: ; expect: race
//
// As asleep_safe.c, but a work item, which nothing freezes, writes it too.
#include "net.h"
#include "work.h"

struct dev_pm_ops {
    int (*suspend_noirq)(struct device *dev);
    int (*freeze_noirq)(struct device *dev);
    int (*poweroff_noirq)(struct device *dev);
    int (*resume_noirq)(struct device *dev);
    int (*thaw_noirq)(struct device *dev);
    int (*restore_noirq)(struct device *dev);
};

static int asleep;

static int demo_suspend(struct device *dev)
{
    asleep++; // RACE
    return 0;
}

static int demo_resume(struct device *dev)
{
    asleep--; // RACE
    return 0;
}

const struct dev_pm_ops demo_pm = {
    .suspend_noirq = demo_suspend,
    .freeze_noirq = demo_suspend,
    .poweroff_noirq = demo_suspend,
    .resume_noirq = demo_resume,
    .thaw_noirq = demo_resume,
    .restore_noirq = demo_resume,
};

static void wake(struct work_struct *work)
{
    asleep = 0; // RACE
}

static struct work_struct waking = { .func = wake };

static int demo_init(void)
{
    queue_work_on(0, NULL, &waking);
    return 0;
}

module_init(demo_init)
