// irkiss: ; expect: race
//
// As whole_struct_safe.c, but it is copied without: nothing is proved of its members.
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
    settings.volume = (int)argument; // RACE?
    settings.speed++; // RACE?
    settings.tone[argument % 6] = 1; // RACE?
    mutex_unlock(&lock);
    copy = settings; // RACE
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
