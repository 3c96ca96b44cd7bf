// irkiss: ; expect: race
//
// As runtime_forced_safe.c, but a kernel thread uses it, which nothing freezes.
#include "platform.h"

struct task_struct;
extern struct task_struct *kthread_create_on_node(int (*thread)(void *), void *data, int node, const char *name, ...);
extern int wake_up_process(struct task_struct *task);
long awake;

static int use(void *data)
{
    long n;
    pm_runtime_get_sync(data);
    n = awake; // RACE
    pm_runtime_put_sync(data);
    return n > 0;
}

static int demo_suspend(struct device *device)
{
    awake = 0; // RACE
    return 0;
}

static int demo_resume(struct device *device)
{
    return 0;
}
static const struct dev_pm_ops demo_pm = {
    .suspend = pm_runtime_force_suspend,
    .resume = pm_runtime_force_resume,
    .runtime_suspend = demo_suspend,
    .runtime_resume = demo_resume,
};

static int demo_probe(struct platform_device *dev)
{
    pm_runtime_enable(&dev->dev);
    wake_up_process(kthread_create_on_node(use, &dev->dev, -1, "use"));
    return 0;
}

static struct platform_driver demo_driver = {
    .probe = demo_probe,
    .driver = { .name = "demo", .pm = &demo_pm },
};

PLATFORM_MODULE(demo_driver)
