// irkiss: --property uaf ; expect: none ; lazy: yes
//
// debugfs_remove takes away what is in a directory, and in one that is in it, and waits for who is in the functions of these files.
#include "../drivers/part_linux.h"

struct seq_file { char *buf; size_t size; void *private; };
struct dentry;
extern struct dentry *debugfs_create_dir(const char *name, struct dentry *parent);
extern struct dentry *debugfs_create_file(const char *name, umode_t mode, struct dentry *parent, void *data, const struct file_operations *fops);
extern void debugfs_remove(struct dentry *dentry);
extern int simple_open(struct inode *inode, struct file *file);
extern int single_open(struct file *file, int (*show)(struct seq_file *, void *), void *data);
extern void seq_printf(struct seq_file *file, const char *format, ...);

struct chip { struct dentry *directory; int value; };

static ssize_t chip_write(struct file *file, const char *buffer, size_t count, loff_t *position)
{
	struct chip *chip = file->private_data;

	return chip->value;
}

static int chip_show(struct seq_file *file, void *unused)
{
	struct chip *chip = file->private;

	seq_printf(file, "%d", chip->value);
	return 0;
}

static int chip_open(struct inode *inode, struct file *file)
{
	return single_open(file, chip_show, inode->i_private);
}

static const struct file_operations write_operations = { .owner = THIS_MODULE, .open = simple_open, .write = chip_write };
static const struct file_operations show_operations = { .owner = THIS_MODULE, .open = chip_open };

static int chip_probe(struct platform_device *pdev)
{
	struct chip *chip = kzalloc(sizeof(*chip), GFP_KERNEL);

	if (!chip)
		return -ENOMEM;
	platform_set_drvdata(pdev, chip);
	chip->directory = debugfs_create_dir("chip", NULL);
	debugfs_create_file("set", 0200, chip->directory, chip, &write_operations);
	debugfs_create_file("show", 0400, debugfs_create_dir("inner", chip->directory), chip, &show_operations);
	return 0;
}

static int chip_remove(struct platform_device *pdev)
{
	struct chip *chip = platform_get_drvdata(pdev);

	debugfs_remove(chip->directory);
	kfree(chip);
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
