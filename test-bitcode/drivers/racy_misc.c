// irkiss: ; expect: race ; golden: yes
//
// A misc device counts its users. release() does so without the lock that open() takes.
#include "kernel.h"

static DEFINE_MUTEX(demo_lock);
static int demo_users;

static int demo_open(struct inode *inode, struct file *file)
{
    mutex_lock(&demo_lock);
    demo_users++; // RACE
    mutex_unlock(&demo_lock);
    return 0;
}

static int demo_release(struct inode *inode, struct file *file)
{
    demo_users--; // RACE
    return 0;
}

static const struct file_operations demo_fops = {
    .owner = THIS_MODULE,
    .open = demo_open,
    .release = demo_release,
};

static struct miscdevice demo_device = {
    .minor = MISC_DYNAMIC_MINOR,
    .name = "demo",
    .fops = &demo_fops,
};

static int demo_init(void)
{
    return misc_register(&demo_device);
}

static void demo_exit(void)
{
    misc_deregister(&demo_device);
}

module_init(demo_init)
module_exit(demo_exit)
