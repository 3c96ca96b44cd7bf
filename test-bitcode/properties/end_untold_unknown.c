// irkiss: --property removed,uaf ; expect: unknown ; reason: nothing tells when it calls demo_power_on (phy_ops.power_on) for the last time ; lazy: yes
//
// No rule says what takes the functions of a phy back: devres may, when the driver is unbound.
#include "../drivers/part_linux.h"

struct phy;
struct phy_ops {
	int (*power_on)(struct phy *);
	int (*power_off)(struct phy *);
};
extern struct phy *devm_phy_create(struct device *dev, void *node, const struct phy_ops *ops);

static struct phy *demo_phy;
static int *level;

static int demo_power_on(struct phy *phy)
{
	return *level == 0;
}

static const struct phy_ops demo_ops = { .power_on = demo_power_on };

static int demo_probe(struct platform_device *pdev)
{
	level = devm_kzalloc(&pdev->dev, sizeof(*level), GFP_KERNEL);
	if (!level)
		return -ENOMEM;
	demo_phy = devm_phy_create(&pdev->dev, NULL, &demo_ops);
	return 0;
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
