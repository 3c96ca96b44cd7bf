// irkiss: ; expect: race ; lazy: yes
//
// As parts_bound_safe.c, but nobody says which lock there is.
#include "part_linux.h"

struct component_ops {
	int (*bind)(struct device *dev, struct device *whole, void *data);
	void (*unbind)(struct device *dev, struct device *whole, void *data);
};
extern int component_add(struct device *dev, const struct component_ops *ops);
extern void component_del(struct device *dev, const struct component_ops *ops);

static struct mutex *lock;
static int reads;

static ssize_t part_read(struct file *file, char __user *buffer, size_t bytes, loff_t *position)
{
	if (lock)
		mutex_lock(lock);
	reads++; // RACE
	if (lock)
		mutex_unlock(lock);
	return 0;
}
static const struct file_operations part_fops = { .owner = THIS_MODULE, .read = part_read };
static struct miscdevice part_misc = { .minor = 255, .name = "part", .fops = &part_fops };

static int part_bind(struct device *dev, struct device *whole, void *data)
{
	return misc_register(&part_misc);
}

static void part_unbind(struct device *dev, struct device *whole, void *data)
{
	misc_deregister(&part_misc);
}
static const struct component_ops part_ops = { .bind = part_bind, .unbind = part_unbind };

static int part_probe(struct platform_device *pdev)
{
	return component_add(&pdev->dev, &part_ops);
}

static int part_remove(struct platform_device *pdev)
{
	component_del(&pdev->dev, &part_ops);
	return 0;
}
static struct platform_driver part_driver = { .probe = part_probe, .remove = part_remove, .driver = { .name = "part" } };

int init_module(void)
{
	return platform_driver_register(&part_driver);
}

void cleanup_module(void)
{
	platform_driver_unregister(&part_driver);
}
