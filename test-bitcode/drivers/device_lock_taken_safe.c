// irkiss: ; expect: none ; lazy: yes
//
// The kernel holds the mutex of the device while it is put to sleep; the driver takes it in its work.
#include "part_linux.h"

struct dev_pm_ops { int (*suspend)(struct device *dev); int (*resume)(struct device *dev); };
static struct device *device;
int state;

static void demo_work(struct work_struct *work)
{
	mutex_lock(&device->mutex);
	state++; // NORACE
	mutex_unlock(&device->mutex);
}
static struct work_struct work = { .func = demo_work };

static int demo_suspend(struct device *dev)
{
	state = 0; // NORACE
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
