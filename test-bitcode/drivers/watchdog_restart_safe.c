// irkiss: ; expect: none ; lazy: yes
//
// A watchdog restarts the machine when nothing else runs any more.
#include "part_linux.h"

struct watchdog_device;
struct watchdog_ops {
	struct module *owner;
	int (*start)(struct watchdog_device *wdd);
	int (*stop)(struct watchdog_device *wdd);
	int (*restart)(struct watchdog_device *wdd, unsigned long action, void *data);
};
struct watchdog_device {
	const struct watchdog_ops *ops;
	void *driver_data;
};
extern int devm_watchdog_register_device(struct device *dev, struct watchdog_device *wdd);

int running;

static int demo_start(struct watchdog_device *wdd)
{
	running = 1; // NORACE
	return 0;
}

static int demo_restart(struct watchdog_device *wdd, unsigned long action, void *data)
{
	running = 2; // NORACE
	return 0;
}

static const struct watchdog_ops demo_ops = { .owner = THIS_MODULE, .start = demo_start, .restart = demo_restart };
static struct watchdog_device demo = { .ops = &demo_ops };

static int demo_probe(struct platform_device *pdev)
{
	return devm_watchdog_register_device(&pdev->dev, &demo);
}

static struct platform_driver demo_driver = { .probe = demo_probe, .driver = { .name = "demo" } };

int init_module(void)
{
	return platform_driver_register(&demo_driver);
}

void cleanup_module(void)
{
	platform_driver_unregister(&demo_driver);
}
