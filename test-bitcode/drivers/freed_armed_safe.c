// irkiss: --property uaf ; expect: none
//
// release() waits for the timer that open() armed before it frees what the timer uses.
#include "kernel.h"

struct session {
    struct timer_list timer;
    int ticks;
};

static void session_tick(struct timer_list *timer)
{
    struct session *s = (struct session *)((char *)timer - __builtin_offsetof(struct session, timer));
    s->ticks = 1;
}

static int session_open(struct inode *inode, struct file *file)
{
    struct session *s = __kmalloc(sizeof *s, 0);
    if (!s)
        return -12;
    timer_setup(&s->timer, session_tick, 0);
    mod_timer(&s->timer, 100);
    file->private_data = s;
    return 0;
}

static int session_release(struct inode *inode, struct file *file)
{
    struct session *s = file->private_data;
    del_timer_sync(&s->timer);
    kfree(s);
    return 0;
}

static const struct file_operations session_fops = {
    .owner = THIS_MODULE,
    .open = session_open,
    .release = session_release,
};

static struct miscdevice session_device = {
    .minor = MISC_DYNAMIC_MINOR,
    .name = "session",
    .fops = &session_fops,
};

static int session_init(void)
{
    return misc_register(&session_device);
}

static void session_exit(void)
{
    misc_deregister(&session_device);
}

module_init(session_init)
module_exit(session_exit)
