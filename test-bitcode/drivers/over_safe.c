// irkiss: ; expect: none ; by: lockset
// irkiss: --pair over_exit,over_tick,over_job ; expect: none ; forms: nopass
//
// Who arms the work item goes first: the timer, which arms itself too. Then the work item is over for good.
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
    polls++; // NORACE
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
    polls = 0; // NORACE
}

module_init(over_init)
module_exit(over_exit)
