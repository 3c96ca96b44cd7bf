// irkiss: --property removed ; forms: nopass ; expect: finds
//
// `remove` turns the clock off while the file is there: devres takes it back when `remove` has returned.
#include "../drivers/part_linux.h"

struct clk;
extern struct clk *devm_clk_get(struct device *dev, const char *id);
extern int clk_enable(struct clk *clk);
extern void clk_disable(struct clk *clk);
extern unsigned int readl(const volatile void *address);
extern void writel(unsigned int value, volatile void *address);

struct meter { struct clk *clk; void *base; };

static ssize_t value_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct meter *meter = dev_get_drvdata(dev);

	return sysfs_emit(buf, "%u\n", readl(meter->base)); // FINDS:use-after-removal
}

static struct device_attribute dev_attr_value = { { "value", 0444 }, value_show, NULL };
static struct attribute *meter_attrs[] = { &dev_attr_value.attr, NULL };
static const struct attribute_group meter_group = { .attrs = meter_attrs };

static void meter_off(void *data)
{
	struct meter *meter = data;

	writel(0, meter->base);
	clk_disable(meter->clk); // FINDS:use-after-removal
}

static int meter_probe(struct platform_device *pdev)
{
	struct meter *meter = devm_kzalloc(&pdev->dev, sizeof(*meter), GFP_KERNEL);
	int error;

	if (!meter)
		return -ENOMEM;
	meter->clk = devm_clk_get(&pdev->dev, NULL);
	if (IS_ERR(meter->clk))
		return PTR_ERR(meter->clk);
	error = clk_enable(meter->clk);
	if (error)
		return error;
	platform_set_drvdata(pdev, meter);
	return devm_device_add_group(&pdev->dev, &meter_group);
}

static int meter_remove(struct platform_device *pdev)
{
	meter_off(platform_get_drvdata(pdev));
	return 0;
}

static struct platform_driver meter_driver = { .probe = meter_probe, .remove = meter_remove, .driver = { .name = "meter" } };

int init_module(void)
{
	return platform_driver_register(&meter_driver);
}

void cleanup_module(void)
{
	platform_driver_unregister(&meter_driver);
}
