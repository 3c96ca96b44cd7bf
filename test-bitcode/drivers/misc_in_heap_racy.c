// irkiss: ; expect: race ; lazy: yes
//
// A miscdevice that lies in memory which probe allocates is what its files have in private_data (drivers/char/misc.c: misc_open).
#include "part_linux.h"

struct demo {
	struct miscdevice misc;
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
	struct demo *demo = container_of(file->private_data, struct demo, misc);

	demo->value = 0; // RACE
	return n;
}

static const struct file_operations demo_fops = { .owner = THIS_MODULE, .write = demo_write };

static int demo_probe(struct platform_device *pdev)
{
	struct demo *demo = devm_kzalloc(&pdev->dev, sizeof(*demo), GFP_KERNEL);

	if (!demo)
		return -ENOMEM;
	platform_set_drvdata(pdev, demo);
	spin_lock_init(&demo->lock);
	timer_setup(&demo->timer, demo_tick, 0);
	mod_timer(&demo->timer, jiffies + 1);
	demo->misc.minor = MISC_DYNAMIC_MINOR;
	demo->misc.name = "demo";
	demo->misc.fops = &demo_fops;
	return misc_register(&demo->misc);
}

static int demo_remove(struct platform_device *pdev)
{
	struct demo *demo = platform_get_drvdata(pdev);

	misc_deregister(&demo->misc);
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
