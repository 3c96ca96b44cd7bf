// irkiss: ; expect: none ; lazy: yes ; forms: nopass
//
// As begun_work_racy.c, but it is queued when all is set.
#include "platform.h"
#include "work.h"

static void demo_poll(struct work_struct *work);

static struct work_struct poll = { .func = demo_poll };
static int period;

static void demo_poll(struct work_struct *work)
{
    if (period) // NORACE
        queue_work_on(0, NULL, work);
}

static int demo_probe(struct platform_device *pdev)
{
    period = 10; // NORACE
    queue_work_on(0, NULL, &poll);
    return 0;
}

static struct platform_driver demo_driver = { .probe = demo_probe, .driver = { .name = "demo" } };

PLATFORM_MODULE(demo_driver)
