// irkiss:  ; expect: race ; lazy: yes
//
// A reading is kept for two seconds, as hwmon drivers do. It is renewed under the lock, and looked at, twice, after the lock was given
// back. To renew it again, time must have gone on: jiffies is not the same for ever.
#include "part_linux.h"

#define time_before(a, b) ((long)((a) - (b)) < 0)
extern int depth_measure(struct device *dev);

struct depth { struct mutex lock; bool valid; unsigned long updated; int value; };

static struct depth *depth_update(struct device *dev)
{
	struct depth *d = dev_get_drvdata(dev);
	unsigned long now = jiffies;
	int value;

	mutex_lock(&d->lock);
	if (d->valid && time_before(now, d->updated + 2 * HZ))
		goto out;
	value = depth_measure(dev);
	if (value < 0)
		goto fail;
	d->value = value; // RACE
	d->updated = now;
	d->valid = true;
out:
	mutex_unlock(&d->lock);
	return d;
fail:
	mutex_unlock(&d->lock);
	return NULL;
}

static ssize_t depth_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct depth *d = depth_update(dev);
	int rate = 0;

	if (!d)
		return -EIO;
	if (d->value) // RACE
		rate = 1000 / d->value; // RACE?
	return sysfs_emit(buf, "%d\n", rate);
}

static struct device_attribute dev_attr_depth = { { "depth", 0444 }, depth_show, NULL };
extern int device_create_file(struct device *dev, const struct device_attribute *attr);
extern void device_remove_file(struct device *dev, const struct device_attribute *attr);

static int depth_probe(struct platform_device *pdev)
{
	struct depth *d = kzalloc(sizeof(*d), GFP_KERNEL);
	int error;

	if (!d)
		return -ENOMEM;
	mutex_init(&d->lock);
	platform_set_drvdata(pdev, d);
	error = device_create_file(&pdev->dev, &dev_attr_depth);
	if (error)
		kfree(d);
	return error;
}

static int depth_remove(struct platform_device *pdev)
{
	device_remove_file(&pdev->dev, &dev_attr_depth);
	kfree(platform_get_drvdata(pdev));
	return 0;
}

static struct platform_driver depth_driver = { .probe = depth_probe, .remove = depth_remove, .driver = { .name = "depth" } };

int init_module(void)
{
	return platform_driver_register(&depth_driver);
}

void cleanup_module(void)
{
	platform_driver_unregister(&depth_driver);
}
