// irkiss: --property uaf ; forms: nopass ; expect: uaf
//
// As attribute_directory_holds.c, but it frees what the attribute reads before it removes the directory.
#include "../drivers/part_linux.h"

struct dentry;
extern struct dentry *debugfs_create_dir(const char *name, struct dentry *parent);
extern struct dentry *debugfs_create_file(const char *name, umode_t mode, struct dentry *parent, void *data, const struct file_operations *fops);
extern struct dentry *debugfs_create_file_unsafe(const char *name, umode_t mode, struct dentry *parent, void *data, const struct file_operations *fops);
extern void debugfs_remove(struct dentry *dentry);
extern int simple_attr_open(struct inode *inode, struct file *file, int (*get)(void *, u64 *), int (*set)(void *, u64), const char *format);
extern int simple_attr_release(struct inode *inode, struct file *file);
extern ssize_t simple_attr_read(struct file *file, char __user *buf, size_t len, loff_t *ppos);
extern ssize_t debugfs_attr_read(struct file *file, char __user *buf, size_t len, loff_t *ppos);
extern ssize_t debugfs_attr_write(struct file *file, const char __user *buf, size_t len, loff_t *ppos);

struct meter {
	struct dentry *directory;
	u64 level;
};

static int level_get(void *data, u64 *value)
{
	struct meter *meter = data;

	*value = meter->level; // FREED
	return 0;
}

static int level_open(struct inode *inode, struct file *file)
{
	return simple_attr_open(inode, file, level_get, NULL, "%llu");
}
static const struct file_operations level_operations = {
	.open = level_open, .release = simple_attr_release, .read = debugfs_attr_read,
};

static int meter_probe(struct platform_device *pdev)
{
	struct meter *meter = kzalloc(sizeof(*meter), GFP_KERNEL);
	struct dentry *inner;

	if (!meter)
		return -ENOMEM;
	meter->directory = debugfs_create_dir("meter", NULL);
	inner = debugfs_create_dir("numbers", meter->directory);
	debugfs_create_file("level", 0444, inner, meter, &level_operations);
	pdev->dev.driver_data = meter;
	return 0;
}

static int meter_remove(struct platform_device *pdev)
{
	struct meter *meter = pdev->dev.driver_data;
	struct dentry *directory = meter->directory;

	kfree(meter);
	debugfs_remove(directory);
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
