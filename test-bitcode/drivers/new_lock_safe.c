// irkiss: --pair fresh_read,fresh_read ; expect: none ; by: lockset
//
// Whoever writes makes an object with a lock of its own, which is initialised before anybody else knows the object: that takes no lock
// away from who holds one of another object.
#include "kernel.h"

struct client {
    struct mutex lock;
    int count;
};

static DEFINE_MUTEX(all);
static struct client *shared;

static struct client *new_client(void)
{
    struct client *client = __kmalloc(sizeof *client, GFP_KERNEL);
    if (!client)
        return NULL;
    __mutex_init(&client->lock, "lock", NULL);
    client->count = 0;
    return client;
}

static ssize_t fresh_write(struct file *file, const char __user *buffer, size_t size, loff_t *position)
{
    struct client *client = new_client();
    if (!client)
        return -ENOMEM;
    mutex_lock(&all);
    shared = client;
    mutex_unlock(&all);
    return size;
}

static ssize_t fresh_read(struct file *file, char __user *buffer, size_t size, loff_t *position)
{
    struct client *client;
    mutex_lock(&all);
    client = shared;
    mutex_unlock(&all);
    if (!client)
        return 0;
    mutex_lock(&client->lock);
    client->count++; // NORACE
    mutex_unlock(&client->lock);
    return size;
}

static const struct file_operations fresh_fops = {
    .owner = THIS_MODULE,
    .read = fresh_read,
    .write = fresh_write,
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
