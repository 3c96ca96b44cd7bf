// irkiss: --property uaf ; expect: none
//
// A timer and an interrupt handler read what is replaced, without rcu_read_lock(): where they run a grace period waits for them.
#include "part_linux.h"

extern void synchronize_rcu(void);
extern int sysfs_create_group(struct device *dev, const struct attribute_group *group);

struct limits {
	int high;
};

struct chip {
	struct mutex lock;
	struct limits *limits;
	struct timer_list timer;
	int irq, seen;
};

static void chip_tick(struct timer_list *timer)
{
	struct chip *chip = container_of(timer, struct chip, timer);
	struct limits *limits = READ_ONCE(chip->limits);

	WRITE_ONCE(chip->seen, READ_ONCE(limits->high));
}

static irqreturn_t chip_interrupt(int irq, void *data)
{
	struct chip *chip = data;
	struct limits *limits = READ_ONCE(chip->limits);

	WRITE_ONCE(chip->seen, READ_ONCE(limits->high));
	return IRQ_HANDLED;
}

static ssize_t high_store(struct device *dev, struct device_attribute *attr, const char *buf, size_t count)
{
	struct chip *chip = dev_get_drvdata(dev);
	struct limits *limits = kzalloc(sizeof(*limits), GFP_KERNEL), *old;

	if (!limits)
		return -ENOMEM;
	mutex_lock(&chip->lock);
	old = chip->limits;
	WRITE_ONCE(chip->limits, limits);
	synchronize_rcu();
	mutex_unlock(&chip->lock);
	kfree(old);
	return count;
}

static struct device_attribute high_file = { { "high", 0200 }, NULL, high_store };
static struct attribute *chip_attributes[] = { &high_file.attr, NULL };
static const struct attribute_group chip_group = { .attrs = chip_attributes };

static int chip_probe(struct platform_device *pdev)
{
	struct chip *chip = devm_kzalloc(&pdev->dev, sizeof(*chip), GFP_KERNEL);
	int error;

	if (!chip)
		return -ENOMEM;
	chip->limits = kzalloc(sizeof(*chip->limits), GFP_KERNEL);
	if (!chip->limits)
		return -ENOMEM;
	mutex_init(&chip->lock);
	timer_setup(&chip->timer, chip_tick, 0);
	platform_set_drvdata(pdev, chip);
	chip->irq = platform_get_irq(pdev, 0);
	error = devm_request_irq(&pdev->dev, chip->irq, chip_interrupt, 0, "chip", chip);
	if (error)
		return error;
	mod_timer(&chip->timer, 100);
	return sysfs_create_group(&pdev->dev, &chip_group);
}

static struct platform_driver chip_driver = { .probe = chip_probe, .driver = { .name = "chip" } };

int init_module(void)
{
	return platform_driver_register(&chip_driver);
}
