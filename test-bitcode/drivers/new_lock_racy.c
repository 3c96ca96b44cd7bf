// irkiss: --pair fresh_read,fresh_open ; expect: race
//
// As new_lock_safe.c, but the object is there once, and its lock is initialised by whoever opens: that frees it while another holds it.
#include "kernel.h"


struct client {
    struct mutex lock;
    int count;
};

static struct client *shared;

static struct client *new_client(void)
{
    struct client *client = shared;
    if (!client) {
        client = __kmalloc(sizeof *client, 0);
        if (!client)
            return NULL;
    }
    __mutex_init(&client->lock, "lock", NULL);
    return client;
}

static int fresh_open(struct inode *inode, struct file *file)
{
    struct client *client = new_client();
    if (!client)
        return -ENOMEM;
    mutex_lock(&client->lock);
    client->count = 0; // RACE
    mutex_unlock(&client->lock);
    return 0;
}

static ssize_t fresh_read(struct file *file, char __user *buffer, size_t size, loff_t *position)
{
    mutex_lock(&shared->lock);
    shared->count++; // RACE
    mutex_unlock(&shared->lock);
    return size;
}

static const struct file_operations fresh_fops = {
    .owner = THIS_MODULE,
    .open = fresh_open,
    .read = fresh_read,
};

static struct miscdevice fresh_device = {
    .minor = MISC_DYNAMIC_MINOR,
    .name = "fresh",
    .fops = &fresh_fops,
};

static int fresh_init(void)
{
    shared = new_client();
    if (!shared)
        return -ENOMEM;
    return misc_register(&fresh_device);
}

static void fresh_exit(void)
{
    misc_deregister(&fresh_device);
}

module_init(fresh_init)
module_exit(fresh_exit)
