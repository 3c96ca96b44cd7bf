// irkiss: ; expect: race ; lazy: yes
//
// A notifier lies in memory that probe allocates, and its function is stored there while the driver runs: it gets that object.
#include "part_linux.h"

struct notifier_block {
	int (*notifier_call)(struct notifier_block *block, unsigned long event, void *data);
};
extern int register_pm_notifier(struct notifier_block *block);
extern int unregister_pm_notifier(struct notifier_block *block);

struct demo {
	spinlock_t lock;
	struct notifier_block block;
	struct timer_list timer;
	int value;
};

static void demo_tick(struct timer_list *timer)
{
	struct demo *demo = container_of(timer, struct demo, timer);

	spin_lock(&demo->lock);
	demo->value++; // RACE
	spin_unlock(&demo->lock);
	mod_timer(timer, jiffies + 1);
}

static int demo_notify(struct notifier_block *block, unsigned long event, void *data)
{
	struct demo *demo = container_of(block, struct demo, block);

	demo->value = 0; // RACE
	return 0;
}

static int demo_probe(struct platform_device *pdev)
{
	struct demo *demo = devm_kzalloc(&pdev->dev, sizeof(*demo), GFP_KERNEL);

	if (!demo)
		return -ENOMEM;
	platform_set_drvdata(pdev, demo);
	spin_lock_init(&demo->lock);
	timer_setup(&demo->timer, demo_tick, 0);
	mod_timer(&demo->timer, jiffies + 1);
	demo->block.notifier_call = demo_notify;
	return register_pm_notifier(&demo->block);
}

static int demo_remove(struct platform_device *pdev)
{
	struct demo *demo = platform_get_drvdata(pdev);

	unregister_pm_notifier(&demo->block);
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
