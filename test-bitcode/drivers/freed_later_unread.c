// irkiss: --property uaf ; expect: uaf
//
// As freed_later_safe.c, but who looks at the object does not read under RCU at all.
#include "part_linux.h"

extern void __rcu_read_lock(void);
extern void __rcu_read_unlock(void);
struct rcu_head { struct rcu_head *next; void (*func)(struct rcu_head *head); };
extern void kvfree_call_rcu(struct rcu_head *head, void (*func)(struct rcu_head *head));
#define kfree_rcu(p, member) kvfree_call_rcu(&(p)->member, (void (*)(struct rcu_head *))offsetof(struct limits, member))
extern int sysfs_create_group(struct device *dev, const struct attribute_group *group);

struct limits {
	int high;
	struct rcu_head rcu;
};

struct chip {
	struct mutex lock;
	struct limits *limits;
};

static ssize_t high_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct chip *chip = dev_get_drvdata(dev);

	return READ_ONCE(READ_ONCE(chip->limits)->high); // FREED
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
	mutex_unlock(&chip->lock);
	kfree_rcu(old, rcu);
	return count;
}

static struct device_attribute high_file = { { "high", 0644 }, high_show, high_store };
static struct attribute *chip_attributes[] = { &high_file.attr, NULL };
static const struct attribute_group chip_group = { .attrs = chip_attributes };

static int chip_probe(struct platform_device *pdev)
{
	struct chip *chip = devm_kzalloc(&pdev->dev, sizeof(*chip), GFP_KERNEL);

	if (!chip)
		return -ENOMEM;
	chip->limits = kzalloc(sizeof(*chip->limits), GFP_KERNEL);
	if (!chip->limits)
		return -ENOMEM;
	mutex_init(&chip->lock);
	platform_set_drvdata(pdev, chip);
	return sysfs_create_group(&pdev->dev, &chip_group);
}

static struct platform_driver chip_driver = { .probe = chip_probe, .driver = { .name = "chip" } };

int init_module(void)
{
	return platform_driver_register(&chip_driver);
}
