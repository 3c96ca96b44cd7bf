// irkiss: --pair poll_exit,poll_expired,poll_report ; expect: race ; forms: nopass
// irkiss: --tier contexts --pair poll_exit,poll_expired,poll_report ; expect: race ; forms: nopass
// irkiss: --triples ; expect: race
//
// A work item arms the timer again. Module exit takes the timer back first and the work item afterwards, which runs in between. Two of
// the three do not show it: the timer has been taken back when exit goes on, unless the work item runs, too.
#include "kernel.h"
#include "work.h"

extern _Bool cancel_work_sync(struct work_struct *work);

static void poll_report(struct work_struct *work);

static struct timer_list poll;
static struct work_struct report = {.func = poll_report};
int polls;

static void poll_expired(struct timer_list *timer)
{
    polls++; // RACE
}

static void poll_report(struct work_struct *work)
{
    mod_timer(&poll, 100);
}

static ssize_t poll_write(struct file *file, const char __user *buffer, size_t size, loff_t *position)
{
    mod_timer(&poll, 100);
    return size;
}

static const struct file_operations poll_fops = {
    .owner = THIS_MODULE,
    .write = poll_write,
};

static struct miscdevice poll_device = {
    .minor = MISC_DYNAMIC_MINOR,
    .name = "poll",
    .fops = &poll_fops,
};

static int poll_init(void)
{
    timer_setup(&poll, poll_expired, 0);
    queue_work_on(0, 0, &report);
    return misc_register(&poll_device);
}

static void poll_exit(void)
{
    misc_deregister(&poll_device);
    del_timer_sync(&poll);
    cancel_work_sync(&report);
    polls = 0; // RACE
}

module_init(poll_init)
module_exit(poll_exit)
