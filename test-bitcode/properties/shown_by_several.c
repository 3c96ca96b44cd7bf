// irkiss: --property uaf ; expect: uaf ; lazy: yes
//
// Two files have one function that shows them. The operations of one of them name no module: of that one, it runs beside module exit.
#include "../drivers/part_linux.h"

struct seq_file { char *buf; size_t size; void *private; };
struct dentry;
extern struct dentry *debugfs_create_file(const char *name, umode_t mode, struct dentry *parent, void *data, const struct file_operations *fops);
extern void debugfs_remove(struct dentry *dentry);
extern int single_open(struct file *file, int (*show)(struct seq_file *, void *), void *data);
extern void seq_printf(struct seq_file *file, const char *format, ...);

struct meter { int total; };
static struct meter *meter;
static struct dentry *entries[2];

static int meter_show(struct seq_file *file, void *unused)
{
	struct meter *shown = file->private;

	seq_printf(file, "%d", shown->total); // FREED
	return 0;
}

static int first_open(struct inode *inode, struct file *file)
{
	return single_open(file, meter_show, meter);
}

static int second_open(struct inode *inode, struct file *file)
{
	return single_open(file, meter_show, meter);
}

static const struct file_operations first_fops = { .owner = THIS_MODULE, .open = first_open };
static const struct file_operations second_fops = { .open = second_open };

int init_module(void)
{
	meter = kzalloc(sizeof(*meter), GFP_KERNEL);
	if (!meter)
		return -ENOMEM;
	entries[0] = debugfs_create_file("first", 0400, NULL, NULL, &first_fops);
	entries[1] = debugfs_create_file("second", 0400, NULL, NULL, &second_fops);
	return 0;
}

void cleanup_module(void)
{
	kfree(meter);
	debugfs_remove(entries[0]);
	debugfs_remove(entries[1]);
}
