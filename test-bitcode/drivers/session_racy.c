// irkiss: ; expect: race
//
// Each open file has a session of its own, but one file may be read by two tasks at once:
// its count is kept without a lock.
#include "kernel.h"

struct session {
    struct mutex lock;
    unsigned int reads;
};

static int session_open(struct inode *inode, struct file *file)
{
    struct session *session = __kmalloc(sizeof(*session), GFP_KERNEL);

    if (!session)
        return -ENOMEM;
    __mutex_init(&session->lock, "session", NULL);
    session->reads = 0; // NORACE
    file->private_data = session;
    return 0;
}

static ssize_t session_read(struct file *file, char __user *buffer, size_t size, loff_t *position)
{
    struct session *session = file->private_data;

    session->reads++; // RACE
    return 0;
}

static int session_release(struct inode *inode, struct file *file)
{
    kfree(file->private_data);
    return 0;
}

static const struct file_operations session_fops = {
    .owner = THIS_MODULE,
    .open = session_open,
    .read = session_read,
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
