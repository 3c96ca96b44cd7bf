// irkiss: ; expect: none ; lazy: yes ; forms: nopass
//
// As begun_irq_racy.c, but what the handler reads is there when it is registered.
#include "platform.h"

#define IRQF_SHARED 0x80

static struct {
    int events;
    int mask;
} demo;

static irqreturn_t demo_interrupt(int line, void *device)
{
    return demo.mask & 1; // NORACE
}

static int demo_probe(struct platform_device *pdev)
{
    demo.mask = 3; // NORACE
    return request_threaded_irq(7, demo_interrupt, NULL, IRQF_SHARED, "demo", &demo);
}

static int demo_remove(struct platform_device *pdev)
{
    free_irq(7, &demo);
    return 0;
}

static struct platform_driver demo_driver = { .probe = demo_probe, .remove = demo_remove, .driver = { .name = "demo" } };

PLATFORM_MODULE(demo_driver)
