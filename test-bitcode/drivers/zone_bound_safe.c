// irkiss: ; expect: none ; lazy: yes
//
// Cooling devices are bound to thermal zones, and taken off them, one at a time.
#include "part_linux.h"

struct thermal_zone_device { int id; void *devdata; struct mutex lock; };
struct thermal_zone_device_ops { int (*bind)(struct thermal_zone_device *zone, void *cooling); int (*unbind)(struct thermal_zone_device *zone, void *cooling); int (*get_temp)(struct thermal_zone_device *zone, int *temperature); };
extern struct thermal_zone_device *thermal_zone_device_register(const char *type, int trips, int mask, void *data, struct thermal_zone_device_ops *ops, const void *params, int passive, int polling);

static struct thermal_zone_device *zone;
int last;

static int demo_bind(struct thermal_zone_device *of, void *cooling)
{
	last = 0; // NORACE
	return 0;
}

static int demo_unbind(struct thermal_zone_device *of, void *cooling)
{
	last++; // NORACE
	return 0;
}
static struct thermal_zone_device_ops demo_ops = { .bind = demo_bind, .unbind = demo_unbind };

static int demo_probe(struct platform_device *pdev)
{
	zone = thermal_zone_device_register("demo", 0, 0, NULL, &demo_ops, NULL, 0, 1000);
	if (IS_ERR(zone))
		return PTR_ERR(zone);
	return 0;
}

static struct platform_driver demo_driver = { .probe = demo_probe, .driver = { .name = "demo" } };

int init_module(void)
{
	return platform_driver_register(&demo_driver);
}
