// irkiss: ; expect: none ; lazy: yes
//
// Handlers stand in tables of the driver's own, from which it takes them in a loop: an array of a struct of its own, one of functions that
// is local, one through which a helper gets them. They hold the lock when they write what they share.
#include "part_linux.h"

struct demo {
    spinlock_t lock;
    int received, done, level;
    struct work_struct work[2];
};
static struct demo demo;

static irqreturn_t on_receive(int irq, void *data)
{
    spin_lock(&demo.lock);
    demo.received++;
    spin_unlock(&demo.lock);
    return IRQ_HANDLED;
}

static irqreturn_t on_sent(int irq, void *data)
{
    spin_lock(&demo.lock);
    demo.received = 0;
    spin_unlock(&demo.lock);
    return IRQ_HANDLED;
}

static const struct {
    const char *name;
    irq_handler_t handler;
} lines[] = { { "receive", on_receive }, { "sent", on_sent } };

static void work_done(struct work_struct *work)
{
    spin_lock_irq(&demo.lock);
    demo.done++;
    spin_unlock_irq(&demo.lock);
}

static void work_undone(struct work_struct *work)
{
    spin_lock_irq(&demo.lock);
    demo.done--;
    spin_unlock_irq(&demo.lock);
}

static irqreturn_t on_level(int irq, void *data)
{
    spin_lock(&demo.lock);
    demo.level++;
    spin_unlock(&demo.lock);
    return IRQ_HANDLED;
}

static irqreturn_t on_edge(int irq, void *data)
{
    spin_lock(&demo.lock);
    demo.level--;
    spin_unlock(&demo.lock);
    return IRQ_HANDLED;
}
static irq_handler_t const sensors[] = { on_level, on_edge };

static int demand(struct platform_device *pdev, unsigned int n, irq_handler_t handler)
{
    return devm_request_irq(&pdev->dev, platform_get_irq(pdev, n), handler, 0, "demo", pdev);
}

static int demo_probe(struct platform_device *pdev)
{
    work_func_t functions[] = { work_done, work_undone };
    int n, error;

    for (n = 0; n < 2; n++) {
        INIT_WORK(&demo.work[n], functions[n]);
        schedule_work(&demo.work[n]);
    }
    for (n = 0; n < 2; n++) {
        error = devm_request_irq(&pdev->dev, platform_get_irq(pdev, n), lines[n].handler, 0, lines[n].name, pdev);
        if (error)
            return error;
    }
    for (n = 0; n < 2; n++) {
        error = demand(pdev, n + 2, sensors[n]);
        if (error)
            return error;
    }
    return 0;
}

static struct platform_driver demo_driver = { .probe = demo_probe, .driver = { .name = "demo" } };

int init_module(void)
{
    return platform_driver_register(&demo_driver);
}

void cleanup_module(void)
{
    platform_driver_unregister(&demo_driver);
}
