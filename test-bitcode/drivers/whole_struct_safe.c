// irkiss: ; expect: none
//
// The struct is copied as a whole under the lock that its members are written under.
#include "kernel.h"

struct settings {
    int volume;
    int speed;
    int tone[6];
};
static struct settings settings;
static DEFINE_MUTEX(lock);

static long demo_ioctl(struct file *file, unsigned int command, unsigned long argument)
{
    struct settings copy;
    mutex_lock(&lock);
    settings.volume = (int)argument; // NORACE
    settings.speed++; // NORACE
    settings.tone[argument % 6] = 1; // NORACE
    copy = settings; // NORACE
    mutex_unlock(&lock);
    if (_copy_to_user((void *)argument, &copy, sizeof(copy)))
        return -EFAULT;
    return 0;
}

static const struct file_operations demo_fops = { .owner = THIS_MODULE, .unlocked_ioctl = demo_ioctl };
static struct miscdevice demo_misc = { .minor = MISC_DYNAMIC_MINOR, .name = "demo", .fops = &demo_fops };

static int demo_init(void)
{
    return misc_register(&demo_misc);
}

static void demo_exit(void)
{
    misc_deregister(&demo_misc);
}

module_init(demo_init)
module_exit(demo_exit)
