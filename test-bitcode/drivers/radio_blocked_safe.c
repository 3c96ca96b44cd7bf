// irkiss: ; expect: none ; lazy: yes
//
// A radio is switched by one user after the other.
#include "part_linux.h"

struct rfkill;
struct rfkill_ops { void (*poll)(struct rfkill *rfkill, void *data); void (*query)(struct rfkill *rfkill, void *data); int (*set_block)(void *data, bool blocked); };
extern struct rfkill *rfkill_alloc(const char *name, struct device *parent, int type, const struct rfkill_ops *ops, void *data);
extern int rfkill_register(struct rfkill *rfkill);
struct demo { int changes, polls; };
static struct demo demo;

static int demo_block(void *data, bool blocked)
{
	((struct demo *)data)->changes++; // NORACE
	return 0;
}

static void demo_poll(struct rfkill *rfkill, void *data)
{
	READ_ONCE(((struct demo *)data)->polls);
}
static const struct rfkill_ops demo_ops = { .set_block = demo_block, .poll = demo_poll };

static int demo_probe(struct platform_device *pdev)
{
	struct rfkill *rfkill = rfkill_alloc("demo", &pdev->dev, 1, &demo_ops, &demo);

	return rfkill ? rfkill_register(rfkill) : -ENOMEM;
}

static struct platform_driver demo_driver = { .probe = demo_probe, .driver = { .name = "demo" } };

int init_module(void)
{
	return platform_driver_register(&demo_driver);
}
