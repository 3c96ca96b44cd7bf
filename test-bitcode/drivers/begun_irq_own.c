// irkiss: ; expect: unknown ; reason: initialisation goes on ; forms: nopass
//
// As begun_irq_racy.c, but the line is this device's alone: whether it interrupts before it is set up, nothing tells.
#include "platform.h"

static struct {
    int events;
    int mask;
} demo;

static irqreturn_t demo_interrupt(int line, void *device)
{
    return demo.mask & 1;
}

static int demo_probe(struct platform_device *pdev)
{
    int error = request_threaded_irq(7, demo_interrupt, NULL, 0, "demo", &demo);

    if (error)
        return error;
    demo.mask = 3;
    return 0;
}

static int demo_remove(struct platform_device *pdev)
{
    free_irq(7, &demo);
    return 0;
}

static struct platform_driver demo_driver = { .probe = demo_probe, .remove = demo_remove, .driver = { .name = "demo" } };

PLATFORM_MODULE(demo_driver)
