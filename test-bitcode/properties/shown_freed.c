// irkiss: --property uaf ; forms: nopass ; expect: none ; lazy: yes
//
// Nobody reads a number that debugfs shows once its directory is removed.
#include "../drivers/part_linux.h"

struct dentry;
extern struct dentry *debugfs_create_dir(const char *name, struct dentry *parent);
extern void debugfs_create_u32(const char *name, umode_t mode, struct dentry *parent, u32 *value);
extern void debugfs_remove(struct dentry *dentry);

struct meter {
	struct dentry *directory;
	u32 level, limit;
};

static int meter_probe(struct platform_device *pdev)
{
	struct meter *meter = kzalloc(sizeof(*meter), GFP_KERNEL);

	if (!meter)
		return -ENOMEM;
	meter->directory = debugfs_create_dir("meter", NULL);
	debugfs_create_u32("level", 0444, meter->directory, &meter->level);
	debugfs_create_u32("limit", 0644, meter->directory, &meter->limit);
	pdev->dev.driver_data = meter;
	return 0;
}

static int meter_remove(struct platform_device *pdev)
{
	struct meter *meter = pdev->dev.driver_data;

	debugfs_remove(meter->directory);
	kfree(meter);
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
