// irkiss: ; expect: race ; lazy: yes
//
// As device_lock_taken_safe.c, but the driver gives the lock back too early.
#include "part_linux.h"

struct dev_pm_ops { int (*suspend)(struct device *dev); int (*resume)(struct device *dev); };
static struct device *device;
int state;

static void demo_work(struct work_struct *work)
{
	mutex_lock(&device->mutex);
	mutex_unlock(&device->mutex);
	state++; // RACE
}
static struct work_struct work = { .func = demo_work };

static int demo_suspend(struct device *dev)
{
	state = 0; // RACE
	return 0;
}
const struct dev_pm_ops demo_pm = { .suspend = demo_suspend };

static int demo_probe(struct platform_device *pdev)
{
	device = &pdev->dev;
	schedule_work(&work);
	return 0;
}

static struct platform_driver demo_driver = { .probe = demo_probe, .driver = { .name = "demo" } };

int init_module(void)
{
	return platform_driver_register(&demo_driver);
}
