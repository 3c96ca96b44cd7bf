// irkiss: ; expect: race ; lazy: yes ; forms: nopass
//
// The work item is queued before what it uses is set.
#include "platform.h"
#include "work.h"

static void demo_poll(struct work_struct *work);

static struct work_struct poll = { .func = demo_poll };
static int period;

static void demo_poll(struct work_struct *work)
{
    if (period) // RACE
        queue_work_on(0, NULL, work);
}

static int demo_probe(struct platform_device *pdev)
{
    queue_work_on(0, NULL, &poll);
    period = 10; // RACE
    return 0;
}

static struct platform_driver demo_driver = { .probe = demo_probe, .driver = { .name = "demo" } };

PLATFORM_MODULE(demo_driver)
