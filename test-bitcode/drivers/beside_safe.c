// irkiss: --pair poll_exit,poll_expired,poll_report ; expect: none ; forms: nopass
// irkiss: --tier contexts --pair poll_exit,poll_expired,poll_report ; expect: none ; forms: nopass
// irkiss: --triples ; expect: none
//
// As beside_racy.c, but module exit takes the work item back first: nobody arms the timer any more when that is taken back.
#include "kernel.h"
#include "work.h"

extern _Bool cancel_work_sync(struct work_struct *work);

static void poll_report(struct work_struct *work);

static struct timer_list poll;
static struct work_struct report = {.func = poll_report};
int polls;

static void poll_expired(struct timer_list *timer)
{
    polls++;
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
    cancel_work_sync(&report);
    del_timer_sync(&poll);
    polls = 0;
}

module_init(poll_init)
module_exit(poll_exit)
