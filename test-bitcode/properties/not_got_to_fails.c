// irkiss: --property uaf --pair lamp_work,lamp_remove ; expect: uaf
//
// The work item looks into the buffer only in a state that another entry point leaves: that comes first, and the buffer is freed too early.
#include "../drivers/part_linux.h"

struct lamp { int *buffer; bool on; struct work_struct work; };

static void lamp_work(struct work_struct *work)
{
	struct lamp *lamp = container_of(work, struct lamp, work);

	if (lamp->on)
		*lamp->buffer = 1; // FREED
}

static ssize_t on_store(struct device *dev, struct device_attribute *attr, const char *buf, size_t count)
{
	struct lamp *lamp = dev_get_drvdata(dev);

	lamp->on = true;
	return count;
}
static struct device_attribute dev_attr_on = { { "on", 0200 }, NULL, on_store };
static struct attribute *lamp_attrs[] = { &dev_attr_on.attr, NULL };
static const struct attribute_group lamp_group = { .attrs = lamp_attrs };

static int lamp_probe(struct platform_device *pdev)
{
	struct lamp *lamp = devm_kzalloc(&pdev->dev, sizeof(*lamp), GFP_KERNEL);

	if (!lamp)
		return -ENOMEM;
	lamp->buffer = kzalloc(sizeof(*lamp->buffer), GFP_KERNEL);
	if (!lamp->buffer)
		return -ENOMEM;
	INIT_WORK(&lamp->work, lamp_work);
	platform_set_drvdata(pdev, lamp);
	schedule_work(&lamp->work);
	return devm_device_add_group(&pdev->dev, &lamp_group);
}

static int lamp_remove(struct platform_device *pdev)
{
	struct lamp *lamp = platform_get_drvdata(pdev);

	kfree(lamp->buffer);
	cancel_work_sync(&lamp->work);
	return 0;
}

static struct platform_driver lamp_driver = { .probe = lamp_probe, .remove = lamp_remove, .driver = { .name = "lamp" } };

int init_module(void)
{
	return platform_driver_register(&lamp_driver);
}

void cleanup_module(void)
{
	platform_driver_unregister(&lamp_driver);
}
