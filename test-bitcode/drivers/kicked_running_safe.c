// irkiss: ; expect: none ; lazy: yes
//
// A processor is kicked by drivers of what it runs: while it runs.
#include "part_linux.h"

struct rproc;
struct rproc_ops { int (*start)(struct rproc *rproc); int (*stop)(struct rproc *rproc); void (*kick)(struct rproc *rproc, int queue); };
struct rproc { void *priv; struct mutex lock; };
extern struct rproc *devm_rproc_alloc(struct device *dev, const char *name, const struct rproc_ops *ops, const char *firmware, int bytes);
extern int devm_rproc_add(struct device *dev, struct rproc *rproc);
int running, queues;

static int demo_start(struct rproc *rproc)
{
	running = 1; // NORACE
	return 0;
}

static int demo_stop(struct rproc *rproc)
{
	running = 0; // NORACE
	return 0;
}

static void demo_kick(struct rproc *rproc, int queue)
{
	WRITE_ONCE(running, 2); // NORACE
}
static const struct rproc_ops demo_ops = { .start = demo_start, .stop = demo_stop, .kick = demo_kick };

static int demo_probe(struct platform_device *pdev)
{
	struct rproc *rproc = devm_rproc_alloc(&pdev->dev, "demo", &demo_ops, "demo", 0);

	return rproc ? devm_rproc_add(&pdev->dev, rproc) : -ENOMEM;
}

static struct platform_driver demo_driver = { .probe = demo_probe, .driver = { .name = "demo" } };

int init_module(void)
{
	return platform_driver_register(&demo_driver);
}
