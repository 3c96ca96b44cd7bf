// irkiss: --property deadlock ; forms: nopass ; expect: finds ; lazy: yes
//
// simple_open hands on what the file was made with (fs/libfs.c): who writes waits for the mutex that whoever removes the file holds, and waits for
// him.
#include "../drivers/part_linux.h"

struct dentry;
extern struct dentry *debugfs_create_file(const char *name, umode_t mode, struct dentry *parent, void *data, const struct file_operations *fops);
extern void debugfs_remove(struct dentry *dentry);
extern int simple_open(struct inode *inode, struct file *file);

struct chip { struct mutex lock; struct dentry *file; int value; };

static ssize_t chip_write(struct file *file, const char *buffer, size_t count, loff_t *position)
{
	struct chip *chip = file->private_data;

	mutex_lock(&chip->lock); // FINDS:deadlock
	chip->value = count;
	mutex_unlock(&chip->lock);
	return count;
}

static const struct file_operations chip_operations = { .owner = THIS_MODULE, .open = simple_open, .write = chip_write };

static int chip_probe(struct platform_device *pdev)
{
	struct chip *chip = devm_kzalloc(&pdev->dev, sizeof(*chip), GFP_KERNEL);

	if (!chip)
		return -ENOMEM;
	mutex_init(&chip->lock);
	platform_set_drvdata(pdev, chip);
	chip->file = debugfs_create_file("chip", 0600, NULL, chip, &chip_operations);
	return 0;
}

static int chip_remove(struct platform_device *pdev)
{
	struct chip *chip = platform_get_drvdata(pdev);

	mutex_lock(&chip->lock);
	debugfs_remove(chip->file); // FINDS:deadlock
	chip->value = 0;
	mutex_unlock(&chip->lock);
	return 0;
}

static struct platform_driver chip_driver = { .probe = chip_probe, .remove = chip_remove, .driver = { .name = "chip" } };

int init_module(void)
{
	return platform_driver_register(&chip_driver);
}

void cleanup_module(void)
{
	platform_driver_unregister(&chip_driver);
}
