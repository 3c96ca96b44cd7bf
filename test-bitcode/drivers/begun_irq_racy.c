// irkiss: ; expect: race ; lazy: yes ; forms: nopass
//
// The line is another device's, too (IRQF_SHARED): the handler is called as soon as it is registered, whether its own device is enabled or not
// (kernel/irq/manage.c: __setup_irq; kernel/irq/handle.c: __handle_irq_event_percpu calls every action of the line).
#include "platform.h"

#define IRQF_SHARED 0x80

static struct {
    int events;
    int mask;
} demo;

static irqreturn_t demo_interrupt(int line, void *device)
{
    return demo.mask & 1; // RACE
}

static int demo_probe(struct platform_device *pdev)
{
    int error = request_threaded_irq(7, demo_interrupt, NULL, IRQF_SHARED, "demo", &demo);

    if (error)
        return error;
    demo.mask = 3; // RACE
    return 0;
}

static int demo_remove(struct platform_device *pdev)
{
    free_irq(7, &demo);
    return 0;
}

static struct platform_driver demo_driver = { .probe = demo_probe, .remove = demo_remove, .driver = { .name = "demo" } };

PLATFORM_MODULE(demo_driver)
