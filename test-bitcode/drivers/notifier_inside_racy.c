// irkiss: ; expect: race ; forms: nopass ; lazy: yes
//
// As notifier_inside_safe.c, but what is told of acts of processes: of several at once.
#include "part_linux.h"

struct clk;
struct notifier_block { int (*notifier_call)(struct notifier_block *block, unsigned long event, void *data); struct notifier_block *next; int priority; };
extern int register_netevent_notifier(struct notifier_block *block);
extern struct clk *devm_clk_get(struct device *dev, const char *id);
struct demo { int events; struct notifier_block block; struct clk *clk; };

static int demo_notify(struct notifier_block *block, unsigned long event, void *data)
{
	struct demo *demo = container_of(block, struct demo, block);

	demo->events++; // RACE
	return 1;
}

static int demo_probe(struct platform_device *pdev)
{
	struct demo *demo = devm_kzalloc(&pdev->dev, sizeof(*demo), GFP_KERNEL);

	if (!demo)
		return -ENOMEM;
	demo->clk = devm_clk_get(&pdev->dev, NULL);
	demo->block.notifier_call = demo_notify;
	return register_netevent_notifier(&demo->block);
}

static struct platform_driver demo_driver = { .probe = demo_probe, .driver = { .name = "demo" } };

int init_module(void)
{
	return platform_driver_register(&demo_driver);
}
