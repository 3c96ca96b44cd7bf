// irkiss: --property uaf ; expect: uaf ; lazy: yes
//
// What open hands to single_open is called for the file that is open. These operations name no module, so that the file may be shown while
// module exit runs.
#include "../drivers/part_linux.h"

struct seq_file { char *buf; size_t size; void *private; };
struct dentry;
extern struct dentry *debugfs_create_file(const char *name, umode_t mode, struct dentry *parent, void *data, const struct file_operations *fops);
extern void debugfs_remove(struct dentry *dentry);
extern int single_open(struct file *file, int (*show)(struct seq_file *, void *), void *data);
extern void seq_printf(struct seq_file *file, const char *format, ...);

struct meter { int total; };
static struct meter *meter;
static struct dentry *entry;

static int meter_show(struct seq_file *file, void *unused)
{
	struct meter *shown = file->private;

	seq_printf(file, "%d", shown->total); // FREED
	return 0;
}

static int meter_open(struct inode *inode, struct file *file)
{
	return single_open(file, meter_show, inode->i_private);
}

static const struct file_operations meter_fops = { .open = meter_open };

int init_module(void)
{
	meter = kzalloc(sizeof(*meter), GFP_KERNEL);
	if (!meter)
		return -ENOMEM;
	entry = debugfs_create_file("meter", 0400, NULL, meter, &meter_fops);
	return 0;
}

void cleanup_module(void)
{
	kfree(meter);
	debugfs_remove(entry);
}
