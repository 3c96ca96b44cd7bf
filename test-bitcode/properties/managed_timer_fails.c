// irkiss: --property uaf ; expect: uaf
//
// The state is freed by devres when remove has returned; nothing ends the timer before.
#include "../drivers/part_linux.h"

struct blink { struct timer_list timer; int on; };

static void blink_tick(struct timer_list *t)
{
	struct blink *b = container_of(t, struct blink, timer);

	b->on = !b->on; // FREED
	mod_timer(&b->timer, jiffies + HZ);
}

static int blink_probe(struct platform_device *pdev)
{
	struct blink *b = devm_kzalloc(&pdev->dev, sizeof(*b), GFP_KERNEL);

	if (!b)
		return -ENOMEM;
	timer_setup(&b->timer, blink_tick, 0);
	platform_set_drvdata(pdev, b);
	mod_timer(&b->timer, jiffies + HZ);
	return 0;
}

static int blink_remove(struct platform_device *pdev)
{
	return 0;
}

static struct platform_driver blink_driver = { .probe = blink_probe, .remove = blink_remove, .driver = { .name = "blink" } };

int init_module(void)
{
	return platform_driver_register(&blink_driver);
}

void cleanup_module(void)
{
	platform_driver_unregister(&blink_driver);
}
