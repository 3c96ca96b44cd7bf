// irkiss: ; expect: race ; lazy: yes
//
// Attributes whose groups the driver names in the device of what it registers are of that device, not of its own (drivers/base/core.c:
// device_add_attrs); what a function makes that rules know is there as soon as it returns.
#define MORE_OF_DEVICE const struct attribute_group **groups;
#include "part_linux.h"

struct input_dev {
	const char *name;
	spinlock_t event_lock;
	struct device dev;
};
extern struct input_dev *devm_input_allocate_device(struct device *dev);
extern int input_register_device(struct input_dev *input);

struct demo {
	spinlock_t lock;
	struct timer_list timer;
	struct input_dev *input;
	int value;
};

static void demo_tick(struct timer_list *timer)
{
	struct demo *demo = container_of(timer, struct demo, timer);

	spin_lock_bh(&demo->lock);
	demo->value++; // RACE
	spin_unlock_bh(&demo->lock);
	mod_timer(timer, jiffies + 1);
}

static ssize_t value_store(struct device *dev, struct device_attribute *attr, const char *buf, size_t count)
{
	struct input_dev *input = container_of(dev, struct input_dev, dev);
	struct demo *demo = dev_get_drvdata(&input->dev);

	demo->value = 0; // RACE
	return count;
}

static struct device_attribute dev_attr_value = { { "value", 0200 }, NULL, value_store };
static struct attribute *demo_attrs[] = { &dev_attr_value.attr, NULL };
static const struct attribute_group demo_group = { .attrs = demo_attrs };
static const struct attribute_group *demo_groups[] = { &demo_group, NULL };

static int demo_probe(struct platform_device *pdev)
{
	struct demo *demo = devm_kzalloc(&pdev->dev, sizeof(*demo), GFP_KERNEL);

	if (!demo)
		return -ENOMEM;
	platform_set_drvdata(pdev, demo);
	spin_lock_init(&demo->lock);
	timer_setup(&demo->timer, demo_tick, 0);
	mod_timer(&demo->timer, jiffies + 1);
	demo->input = devm_input_allocate_device(&pdev->dev);
	if (!demo->input)
		return -ENOMEM;
	demo->input->dev.groups = demo_groups;
	dev_set_drvdata(&demo->input->dev, demo);
	return input_register_device(demo->input);
}

static int demo_remove(struct platform_device *pdev)
{
	struct demo *demo = platform_get_drvdata(pdev);

	del_timer_sync(&demo->timer);
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
