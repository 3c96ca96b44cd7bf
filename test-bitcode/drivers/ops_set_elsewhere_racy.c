// irkiss: ; expect: race ; lazy: yes
//
// As ops_set_elsewhere_safe.c, without the lock: a function of another module puts the operations where registering looks for them.
#include "part_linux.h"

struct watchdog_device;
struct watchdog_ops {
	int (*start)(struct watchdog_device *device);
	int (*set_timeout)(struct watchdog_device *device, unsigned int seconds);
};
struct watchdog_device {
	int id;
	const struct watchdog_ops *ops;
};
extern int watchdog_register_device(struct watchdog_device *device);
extern void library_set_up(struct watchdog_device *device, const struct watchdog_ops *ops);
extern int device_create_file(struct device *device, const struct device_attribute *attribute);

int wanted;

static int demo_set_timeout(struct watchdog_device *device, unsigned int seconds)
{
	wanted = seconds; // RACE
	return 0;
}
static const struct watchdog_ops demo_ops = { .set_timeout = demo_set_timeout };
static struct watchdog_device watchdog;

static ssize_t wanted_store(struct device *dev, struct device_attribute *attribute, const char *buffer, size_t length)
{
	wanted = 0; // RACE
	return length;
}
static struct device_attribute dev_attr_wanted = { .store = wanted_store };

static int demo_probe(struct platform_device *pdev)
{
	if (device_create_file(&pdev->dev, &dev_attr_wanted))
		return -ENOMEM;
	library_set_up(&watchdog, &demo_ops);
	return watchdog_register_device(&watchdog);
}

static struct platform_driver demo_driver = { .probe = demo_probe, .driver = { .name = "demo" } };

int init_module(void)
{
	return platform_driver_register(&demo_driver);
}
