// irkiss: ; expect: race
//
// As over_safe.c, but module exit arms the work item again.
#include "kernel.h"
#include "work.h"

extern _Bool cancel_work_sync(struct work_struct *work);

static void over_job(struct work_struct *work);

static struct timer_list poll;
static struct work_struct report = {.func = over_job};
int polls;

static void over_tick(struct timer_list *timer)
{
    queue_work_on(0, 0, &report);
    mod_timer(&poll, 100);
}

static void over_job(struct work_struct *work)
{
    polls++; // RACE
}

static int over_init(void)
{
    timer_setup(&poll, over_tick, 0);
    queue_work_on(0, 0, &report);
    mod_timer(&poll, 100);
    return 0;
}

static void over_exit(void)
{
    del_timer_sync(&poll);
    cancel_work_sync(&report);
    queue_work_on(0, 0, &report);
    polls = 0; // RACE
}

module_init(over_init)
module_exit(over_exit)
