// irkiss: --property removed ; expect: finds
//
// A watchdog that runs goes on as it is unregistered: nobody has asked to stop it.
#include "../drivers/part_linux.h"

struct watchdog_device;
struct watchdog_ops {
	struct module *owner;
	int (*start)(struct watchdog_device *wdd);
	int (*stop)(struct watchdog_device *wdd);
};
struct watchdog_device {
	const struct watchdog_ops *ops;
	void *driver_data;
	unsigned long status;
};
extern int devm_watchdog_register_device(struct device *dev, struct watchdog_device *wdd);
#define WDOG_STOP_ON_UNREGISTER 4

struct demo {
	struct watchdog_device wdd;
	struct timer_list timer;
};

static void demo_kick(struct timer_list *timer)
{
	mod_timer(timer, jiffies + 100); // FINDS:use-after-removal
}

static int demo_start(struct watchdog_device *wdd)
{
	struct demo *demo = wdd->driver_data;

	mod_timer(&demo->timer, jiffies + 100);
	return 0;
}

static int demo_stop(struct watchdog_device *wdd)
{
	struct demo *demo = wdd->driver_data;

	del_timer_sync(&demo->timer);
	return 0;
}

static const struct watchdog_ops demo_ops = { .owner = THIS_MODULE, .start = demo_start, .stop = demo_stop };

static int demo_probe(struct platform_device *pdev)
{
	struct demo *demo = devm_kzalloc(&pdev->dev, sizeof(*demo), GFP_KERNEL);

	if (!demo)
		return -ENOMEM;
	timer_setup(&demo->timer, demo_kick, 0);
	demo->wdd.ops = &demo_ops;
	demo->wdd.driver_data = demo;
	return devm_watchdog_register_device(&pdev->dev, &demo->wdd);
}

static struct platform_driver demo_driver = { .probe = demo_probe, .driver = { .name = "demo" } };

int init_module(void)
{
	return platform_driver_register(&demo_driver);
}

void cleanup_module(void)
{
	platform_driver_unregister(&demo_driver); // FINDS:use-after-removal
}
