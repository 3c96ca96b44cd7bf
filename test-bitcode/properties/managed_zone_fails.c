// irkiss: --property uaf ; expect: uaf
//
// The thermal zone was registered before the memory that it uses: devres frees the memory first.
#include "../drivers/part_linux.h"

struct thermal_zone_device;
struct thermal_zone_device_ops { int (*get_temp)(struct thermal_zone_device *zone, int *temp); };
extern struct thermal_zone_device *devm_thermal_of_zone_register(struct device *dev, int id, void *data, const struct thermal_zone_device_ops *ops);

struct heat { int last; };
static struct heat *the_heat;

static int heat_get_temp(struct thermal_zone_device *zone, int *temp)
{
	struct heat *heat = the_heat;

	if (heat)
		heat->last = 1; // FREED
	return 0;
}

static const struct thermal_zone_device_ops heat_ops = { .get_temp = heat_get_temp };

static int heat_probe(struct platform_device *pdev)
{
	struct thermal_zone_device *zone;

	zone = devm_thermal_of_zone_register(&pdev->dev, 0, NULL, &heat_ops);
	if (IS_ERR(zone))
		return PTR_ERR(zone);
	the_heat = devm_kzalloc(&pdev->dev, sizeof(*the_heat), GFP_KERNEL);
	if (!the_heat)
		return -ENOMEM;
	return 0;
}

static struct platform_driver heat_driver = { .probe = heat_probe, .driver = { .name = "heat" } };

int init_module(void)
{
	return platform_driver_register(&heat_driver);
}

void cleanup_module(void)
{
	platform_driver_unregister(&heat_driver);
}
