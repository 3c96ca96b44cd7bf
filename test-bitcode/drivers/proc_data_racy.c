// irkiss: ; expect: race ; lazy: yes
//
// Files of procfs have the data in their inode that was handed over with their operations (fs/proc/generic.c: proc_create_data).
#include "part_linux.h"

struct proc_dir_entry;
struct proc_ops {
	unsigned int proc_flags;
	int (*proc_open)(struct inode *, struct file *);
	ssize_t (*proc_read)(struct file *, char __user *, size_t, loff_t *);
	void *proc_read_iter;
	ssize_t (*proc_write)(struct file *, const char __user *, size_t, loff_t *);
};
extern struct proc_dir_entry *proc_create_data(const char *name, umode_t mode, struct proc_dir_entry *parent, const struct proc_ops *ops, void *data);
extern void remove_proc_entry(const char *name, struct proc_dir_entry *parent);

static inline void *pde_data(const struct inode *inode)
{
	return inode->i_private;
}

struct demo {
	spinlock_t lock;
	struct timer_list timer;
	int value;
};

static void demo_tick(struct timer_list *timer)
{
	struct demo *demo = container_of(timer, struct demo, timer);

	spin_lock_bh(&demo->lock);
	demo->value++; // RACE
	spin_unlock_bh(&demo->lock);
	mod_timer(timer, jiffies + 1);
}

static ssize_t demo_write(struct file *file, const char __user *buf, size_t n, loff_t *pos)
{
	struct demo *demo = pde_data(file->f_inode);

	demo->value = 0; // RACE
	return n;
}

static const struct proc_ops demo_ops = { .proc_write = demo_write };

static int demo_probe(struct platform_device *pdev)
{
	struct demo *demo = devm_kzalloc(&pdev->dev, sizeof(*demo), GFP_KERNEL);

	if (!demo)
		return -ENOMEM;
	platform_set_drvdata(pdev, demo);
	spin_lock_init(&demo->lock);
	timer_setup(&demo->timer, demo_tick, 0);
	mod_timer(&demo->timer, jiffies + 1);
	return proc_create_data("demo", 0200, NULL, &demo_ops, demo) ? 0 : -ENOMEM;
}

static int demo_remove(struct platform_device *pdev)
{
	struct demo *demo = platform_get_drvdata(pdev);

	remove_proc_entry("demo", NULL);
	del_timer_sync(&demo->timer);
	return 0;
}

static struct platform_driver demo_driver = { .probe = demo_probe, .remove = demo_remove, .driver = { .name = "demo" } };

int init_module(void)
{
	return platform_driver_register(&demo_driver);
}

void cleanup_module(void)
{
	platform_driver_unregister(&demo_driver);
}
