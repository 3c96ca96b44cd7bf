// irkiss: ; expect: race ; lazy: yes
// irkiss: --tier coverability ; expect: unknown ; lazy: yes
//
// Each of two processors has a lock: what both write is kept apart for one of them alone.
#include "part_linux.h"

struct rproc;
struct rproc_ops { int (*start)(struct rproc *rproc); int (*stop)(struct rproc *rproc); void (*kick)(struct rproc *rproc, int queue); };
struct rproc { void *priv; struct mutex lock; };
extern struct rproc *devm_rproc_alloc(struct device *dev, const char *name, const struct rproc_ops *ops, const char *firmware, int bytes);
extern int devm_rproc_add(struct device *dev, struct rproc *rproc);
int running, queues;

static int demo_start(struct rproc *rproc)
{
	running = 1; // RACE
	return 0;
}

static int demo_stop(struct rproc *rproc)
{
	running = 0; // RACE
	return 0;
}

static void demo_kick(struct rproc *rproc, int queue)
{
}
static const struct rproc_ops demo_ops = { .start = demo_start, .stop = demo_stop, .kick = demo_kick };

static int demo_probe(struct platform_device *pdev)
{
	struct rproc *first = devm_rproc_alloc(&pdev->dev, "demo", &demo_ops, "demo", 0);
	struct rproc *second = devm_rproc_alloc(&pdev->dev, "demo", &demo_ops, "demo", 0);

	if (!first || !second || devm_rproc_add(&pdev->dev, first))
		return -ENOMEM;
	return devm_rproc_add(&pdev->dev, second);
}

static struct platform_driver demo_driver = { .probe = demo_probe, .driver = { .name = "demo" } };

int init_module(void)
{
	return platform_driver_register(&demo_driver);
}
