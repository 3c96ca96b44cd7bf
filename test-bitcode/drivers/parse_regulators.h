// A driver of regulators that reads what the firmware says of each: the little of the kernel's interface that it needs.
#include "part_linux.h"

struct device_node;
struct regulator_dev;
struct regulator_config;
struct regulator_ops { int (*enable)(struct regulator_dev *); int (*disable)(struct regulator_dev *); };
struct regulator_desc {
	const char *name;
	int (*of_parse_cb)(struct device_node *, const struct regulator_desc *, struct regulator_config *);
	int id;
	const struct regulator_ops *ops;
};
struct regulator_config { struct device *dev; void *driver_data; };
extern struct regulator_dev *devm_regulator_register(struct device *dev, const struct regulator_desc *desc, const struct regulator_config *config);

static int limit;
static int demo_enable(struct regulator_dev *rdev);
static int demo_disable(struct regulator_dev *rdev);
static int demo_parse(struct device_node *node, const struct regulator_desc *desc, struct regulator_config *config);
static const struct regulator_ops demo_ops = { .enable = demo_enable, .disable = demo_disable };
static const struct regulator_desc demo_desc = { .name = "demo", .of_parse_cb = demo_parse, .ops = &demo_ops };

static int demo_probe(struct platform_device *pdev)
{
	struct regulator_config config = { .dev = &pdev->dev };
	struct regulator_dev *rdev;

#ifdef DEMO_IRQ
	int error = devm_request_irq(&pdev->dev, platform_get_irq(pdev, 0), DEMO_IRQ, 0, "demo", NULL);

	if (error)
		return error;
#endif
	rdev = devm_regulator_register(&pdev->dev, &demo_desc, &config);

	return IS_ERR(rdev) ? PTR_ERR(rdev) : 0;
}
static struct platform_driver demo_driver = { .probe = demo_probe, .driver = { .name = "demo" } };

int init_module(void)
{
	return platform_driver_register(&demo_driver);
}
