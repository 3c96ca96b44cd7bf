// irkiss: ; expect: race ; lazy: yes
//
// The functions of an attribute file are given what the file was made with (simple_attr_open): the object that a timer counts in.
#include "part_linux.h"

struct dentry;
extern struct dentry *debugfs_create_file(const char *name, umode_t mode, struct dentry *parent, void *data, const struct file_operations *fops);
extern void debugfs_remove(struct dentry *dentry);
extern int simple_attr_open(struct inode *inode, struct file *file, int (*get)(void *, u64 *), int (*set)(void *, u64), const char *format);

struct meter { struct timer_list timer; spinlock_t lock; u64 total; };
static struct meter *meter;
static struct dentry *entry;

static void meter_tick(struct timer_list *timer)
{
	struct meter *ticking = container_of(timer, struct meter, timer);

	spin_lock(&ticking->lock);
	ticking->total++; // RACE
	spin_unlock(&ticking->lock);
	mod_timer(timer, jiffies + 1);
}

static int meter_get(void *data, u64 *value)
{
	struct meter *shown = data;

	*value = shown->total; // RACE
	return 0;
}

static int meter_open(struct inode *inode, struct file *file)
{
	return simple_attr_open(inode, file, meter_get, NULL, "%llu\n");
}

static const struct file_operations meter_fops = { .owner = THIS_MODULE, .open = meter_open };

int init_module(void)
{
	meter = kzalloc(sizeof(*meter), GFP_KERNEL);
	if (!meter)
		return -ENOMEM;
	spin_lock_init(&meter->lock);
	timer_setup(&meter->timer, meter_tick, 0);
	entry = debugfs_create_file("meter", 0400, NULL, meter, &meter_fops);
	mod_timer(&meter->timer, jiffies + 1);
	return 0;
}

void cleanup_module(void)
{
	debugfs_remove(entry);
	del_timer_sync(&meter->timer);
	kfree(meter);
}
