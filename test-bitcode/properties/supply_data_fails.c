// irkiss: --property removed ; forms: nopass ; expect: finds ; lazy: yes
//
// Reading a property queues a work item, which goes on when the device is gone.
#include "../drivers/part_linux.h"

struct power_supply { const void *desc; char **supplied_to; void *drv_data; struct device dev; };
struct power_supply_config { void *of_node, *fwnode, *drv_data; };
union power_supply_propval { int intval; const char *strval; };
struct power_supply_desc {
	const char *name;
	int type;
	int (*get_property)(struct power_supply *, int, union power_supply_propval *);
};
extern struct power_supply *power_supply_register(struct device *, const struct power_supply_desc *, const struct power_supply_config *);
extern void power_supply_unregister(struct power_supply *);
extern void *power_supply_get_drvdata(struct power_supply *);
extern unsigned int readl(const volatile void *address);

struct cell { struct power_supply *supply; struct work_struct work; void *base; unsigned int level; };

static void cell_work(struct work_struct *work)
{
	struct cell *cell = container_of(work, struct cell, work);

	WRITE_ONCE(cell->level, readl(cell->base)); // FINDS:use-after-removal
}

static int cell_get(struct power_supply *supply, int property, union power_supply_propval *value)
{
	struct cell *cell = power_supply_get_drvdata(supply);

	schedule_work(&cell->work);
	value->intval = READ_ONCE(cell->level);
	return 0;
}

static const struct power_supply_desc cell_desc = { .name = "cell", .get_property = cell_get };

static int cell_probe(struct platform_device *pdev)
{
	struct power_supply_config config = { };
	struct cell *cell = devm_kzalloc(&pdev->dev, sizeof(*cell), GFP_KERNEL);

	if (!cell)
		return -ENOMEM;
	INIT_WORK(&cell->work, cell_work);
	config.drv_data = cell;
	platform_set_drvdata(pdev, cell);
	cell->supply = power_supply_register(&pdev->dev, &cell_desc, &config);
	if (IS_ERR(cell->supply))
		return PTR_ERR(cell->supply);
	return 0;
}

static int cell_remove(struct platform_device *pdev)
{
	struct cell *cell = platform_get_drvdata(pdev);

	power_supply_unregister(cell->supply);
	WRITE_ONCE(cell->level, 0); // FINDS:use-after-removal
	return 0;
}

static struct platform_driver cell_driver = { .probe = cell_probe, .remove = cell_remove, .driver = { .name = "cell" } };

int init_module(void)
{
	return platform_driver_register(&cell_driver);
}

void cleanup_module(void)
{
	platform_driver_unregister(&cell_driver);
}
