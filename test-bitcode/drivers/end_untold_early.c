// irkiss: ; expect: race ; lazy: yes
//
// No rule says what takes the functions of a phy back. Before remove has called anything that may, it is beside them.
#include "part_linux.h"

struct phy;
struct phy_ops {
	int (*power_on)(struct phy *);
	int (*power_off)(struct phy *);
};
extern struct phy *phy_create(struct device *dev, void *node, const struct phy_ops *ops);
extern void phy_destroy(struct phy *phy);

static struct phy *demo_phy;
static int level;

static int demo_power_on(struct phy *phy)
{
	return level == 0; // RACE
}

static const struct phy_ops demo_ops = { .power_on = demo_power_on };

static int demo_probe(struct platform_device *pdev)
{
	level = 1;
	demo_phy = phy_create(&pdev->dev, NULL, &demo_ops);
	return 0;
}

static int demo_remove(struct platform_device *pdev)
{
	level = 0; // RACE
	phy_destroy(demo_phy);
	return 0;
}

static struct platform_driver demo_driver = { .probe = demo_probe, .remove = demo_remove, .driver = { .name = "demo" } };

int init_module(void)
{
	return platform_driver_register(&demo_driver);
}

void cleanup_module(void)
{
	platform_driver_unregister(&demo_driver);
}
