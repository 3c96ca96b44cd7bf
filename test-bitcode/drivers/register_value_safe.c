// irkiss: ; expect: unknown ; reason: is not shown to reach its access ; lazy: yes
//
// A function without a model is given a pointer to what is constant: what was zero before is zero after, and the counter would be
// written only where it is not.
#include "part_linux.h"

struct bus;
extern int bus_read_value(struct bus *bus, unsigned int where, const u32 *value);
extern int kstrtouint(const char *s, unsigned int base, unsigned int *res);
extern int device_create_file(struct device *dev, const struct device_attribute *attr);
extern void device_remove_file(struct device *dev, const struct device_attribute *attr);

struct meter {
    struct bus *bus;
    int seen;
};

static ssize_t meter_show(struct device *dev, struct device_attribute *attr, char *buf)
{
    struct meter *meter = dev_get_drvdata(dev);
    u32 value = 0;

    if (bus_read_value(meter->bus, 4, &value) < 0)
        return -EIO;
    if (value & 1)
        meter->seen++;
    return sysfs_emit(buf, "%u\n", value);
}

static struct device_attribute dev_attr_meter = { { "meter", 0444 }, meter_show, NULL };

static int meter_probe(struct platform_device *pdev)
{
    struct meter *meter = devm_kzalloc(&pdev->dev, sizeof(*meter), GFP_KERNEL);

    if (!meter)
        return -ENOMEM;
    platform_set_drvdata(pdev, meter);
    return device_create_file(&pdev->dev, &dev_attr_meter);
}

static int meter_remove(struct platform_device *pdev)
{
    device_remove_file(&pdev->dev, &dev_attr_meter);
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
