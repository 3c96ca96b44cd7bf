// irkiss: ; forms: nopass ; expect: unknown
//
// Nothing tells which file it is that this opens: another module makes it, and what it is made with may be what the timer counts.
#include "part_linux.h"

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
extern void offer_operations(struct dentry *directory, const struct file_operations *operations, void *first, void *second);

struct meter {
	struct timer_list timer;
	spinlock_t lock;
	u64 level;
};
static struct meter *meter_there;
static struct dentry *meter_directory;

static void meter_tick(struct timer_list *timer)
{
	struct meter *meter = container_of(timer, struct meter, timer);

	spin_lock(&meter->lock);
	meter->level++;
	spin_unlock(&meter->lock);
	mod_timer(timer, 250);
}

static int level_get(void *data, u64 *value)
{
	struct meter *meter = data;

	*value = meter->level;
	return 0;
}

static int level_open(struct inode *inode, struct file *file)
{
	return simple_attr_open(inode, file, level_get, NULL, "%llu");
}
static const struct file_operations level_operations = {
	.owner = THIS_MODULE, .open = level_open, .release = simple_attr_release, .read = debugfs_attr_read,
};

int init_module(void)
{
	meter_there = kzalloc(sizeof(*meter_there), GFP_KERNEL);
	if (!meter_there)
		return -ENOMEM;
	spin_lock_init(&meter_there->lock);
	timer_setup(&meter_there->timer, meter_tick, 0);
	meter_directory = debugfs_create_dir("meter", NULL);
	offer_operations(meter_directory, &level_operations, meter_there, meter_there);
	mod_timer(&meter_there->timer, 250);
	return 0;
}

void cleanup_module(void)
{
	debugfs_remove(meter_directory);
	del_timer_sync(&meter_there->timer);
	kfree(meter_there);
}
