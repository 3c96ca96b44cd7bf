// irkiss: ; expect: none ; lazy: yes
//
// As two_works_unknown.c, but one lock guards what all parts have in common.
#include "part_linux.h"

struct part {
	struct demo *demo;
	spinlock_t lock;
	struct work_struct work;
};

struct demo {
	spinlock_t lock;
	struct timer_list timer;
	struct part parts[2];
	int value;
};

static void demo_tick(struct timer_list *timer)
{
	struct demo *demo = container_of(timer, struct demo, timer);

	schedule_work(&demo->parts[0].work);
	schedule_work(&demo->parts[1].work);
	mod_timer(timer, jiffies + 1);
}

static spinlock_t all;

static void part_work(struct work_struct *work)
{
	struct part *part = container_of(work, struct part, work);

	spin_lock_bh(&all);
	part->demo->value++;
	spin_unlock_bh(&all);
}

static int demo_probe(struct platform_device *pdev)
{
	struct demo *demo = devm_kzalloc(&pdev->dev, sizeof(*demo), GFP_KERNEL);

	if (!demo)
		return -ENOMEM;
	platform_set_drvdata(pdev, demo);
	spin_lock_init(&demo->lock);
	spin_lock_init(&all);
	for (int n = 0; n < 2; n++) {
		demo->parts[n].demo = demo;
		spin_lock_init(&demo->parts[n].lock);
		INIT_WORK(&demo->parts[n].work, part_work);
	}
	timer_setup(&demo->timer, demo_tick, 0);
	schedule_work(&demo->parts[0].work);
	mod_timer(&demo->timer, jiffies + 1);
	return 0;
}

static int demo_remove(struct platform_device *pdev)
{
	struct demo *demo = platform_get_drvdata(pdev);

	del_timer_sync(&demo->timer);
	cancel_work_sync(&demo->parts[0].work);
	cancel_work_sync(&demo->parts[1].work);
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
