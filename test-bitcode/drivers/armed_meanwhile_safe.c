// irkiss: --property uaf ; expect: none ; lazy: yes
//
// As armed_meanwhile_racy.c, but nobody pings any more when the timer is deleted.
#include "part_linux.h"

struct watchdog_device;
struct watchdog_ops {
	int (*start)(struct watchdog_device *device);
	int (*ping)(struct watchdog_device *device);
};
struct watchdog_device {
	int id;
	const struct watchdog_ops *ops;
};
extern int watchdog_register_device(struct watchdog_device *device);
extern void watchdog_unregister_device(struct watchdog_device *device);

struct demo {
	struct watchdog_device device;
	struct timer_list timer;
	int left;
};
#define demo_of(device) ((struct demo *)(device))

static void demo_tick(struct timer_list *timer)
{
	struct demo *demo = (struct demo *)((char *)timer - __builtin_offsetof(struct demo, timer));

	if (READ_ONCE(demo->left) > 0)
		WRITE_ONCE(demo->left, 0);
}

static int demo_ping(struct watchdog_device *device)
{
	struct demo *demo = demo_of(device);

	WRITE_ONCE(demo->left, 10);
	mod_timer(&demo->timer, jiffies + 100);
	return 0;
}
static const struct watchdog_ops demo_ops = { .start = demo_ping, .ping = demo_ping };

static int demo_probe(struct platform_device *pdev)
{
	struct demo *demo = kzalloc(sizeof(*demo), GFP_KERNEL);
	int error;

	if (!demo)
		return -ENOMEM;
	timer_setup(&demo->timer, demo_tick, 0);
	demo->device.ops = &demo_ops;
	platform_set_drvdata(pdev, demo);
	error = watchdog_register_device(&demo->device);
	if (error)
		kfree(demo);
	return error;
}

static int demo_remove(struct platform_device *pdev)
{
	struct demo *demo = platform_get_drvdata(pdev);

	watchdog_unregister_device(&demo->device);
	del_timer_sync(&demo->timer);
	kfree(demo);
	return 0;
}

static struct platform_driver demo_driver = { .probe = demo_probe, .remove = demo_remove, .driver = { .name = "demo" } };

int init_module(void)
{
	return platform_driver_register(&demo_driver);
}
