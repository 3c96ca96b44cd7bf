// irkiss: ; expect: race ; lazy: yes
//
// As zone_bound_safe.c, but it is asked how warm the zone is: the lock of the zone is not held while cooling devices are bound to it.
#include "part_linux.h"

struct thermal_zone_device { int id; void *devdata; struct mutex lock; };
struct thermal_zone_device_ops { int (*bind)(struct thermal_zone_device *zone, void *cooling); int (*unbind)(struct thermal_zone_device *zone, void *cooling); int (*get_temp)(struct thermal_zone_device *zone, int *temperature); };
extern struct thermal_zone_device *thermal_zone_device_register(const char *type, int trips, int mask, void *data, struct thermal_zone_device_ops *ops, const void *params, int passive, int polling);

static struct thermal_zone_device *zone;
int last;

static int demo_bind(struct thermal_zone_device *of, void *cooling)
{
	last = 0; // RACE
	return 0;
}

static int demo_temperature(struct thermal_zone_device *of, int *temperature)
{
	last++; // RACE
	*temperature = 1;
	return 0;
}
static struct thermal_zone_device_ops demo_ops = { .bind = demo_bind, .get_temp = demo_temperature };

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
