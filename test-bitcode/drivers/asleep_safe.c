// irkiss: ; expect: none
//
// One function stands in suspend_noirq, freeze_noirq and poweroff_noirq, as SET_NOIRQ_SYSTEM_SLEEP_PM_OPS has it: the system does one
// of these at a time.
#include "net.h"

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
    asleep++; // NORACE
    return 0;
}

static int demo_resume(struct device *dev)
{
    asleep--; // NORACE
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
