// irkiss: ; expect: none
//
// Exit code disables runtime power management, which waits for a callback under way, before it touches what that uses.
#include "net.h"

struct dev_pm_ops {
    int (*runtime_suspend)(struct device *dev);
    int (*runtime_resume)(struct device *dev);
};
extern void pm_runtime_enable(struct device *dev);
extern void __pm_runtime_disable(struct device *dev, _Bool check);

static struct device *device;
int users;

static int demo_suspend(struct device *dev)
{
    users++; // NORACE
    return 0;
}

static int demo_resume(struct device *dev)
{
    users--; // NORACE
    return 0;
}
const struct dev_pm_ops demo_pm = { .runtime_suspend = demo_suspend, .runtime_resume = demo_resume };

static int demo_init(void)
{
    pm_runtime_enable(device);
    return 0;
}

static void demo_exit(void)
{
    __pm_runtime_disable(device, 1);
    users = 0; // NORACE
}

module_init(demo_init)
module_exit(demo_exit)
