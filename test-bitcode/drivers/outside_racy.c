// irkiss: ; expect: race+assert ; externals: tty_operations.chars_in_buffer ; lazy: yes
//
// Calls through what others have put into a field: of a terminal of the kernel's or of the driver's own (a rule says that both may
// be), and through a variable that only other modules set. They read what they are given, and do nothing else to the driver.
#include <irkiss.h>

#include "kernel.h"

struct tty_struct;
struct tty_operations {
    int (*write)(struct tty_struct *, const char *, int);
    unsigned int (*write_room)(struct tty_struct *);
    unsigned int (*chars_in_buffer)(struct tty_struct *);
};
struct tty_struct {
    int magic;
    const struct tty_operations *ops;
};
extern struct tty_struct *terminal_of_the_kernel(void);

struct virtio_device;
struct virtio_config_ops {
    void (*get)(struct virtio_device *, unsigned int, void *, unsigned int);
    void (*set)(struct virtio_device *, unsigned int, const void *, unsigned int);
};
struct virtio_device {
    int index;
    const struct virtio_config_ops *config;
};
extern struct virtio_device *virtio_of_the_kernel(void);

static int demo_tty_write(struct tty_struct *tty, const char *data, int count)
{
    __irkiss_assert(0, "reached"); // ASSERT-FAILS
    return count;
}

static const struct tty_operations own_operations = { .write = demo_tty_write };
static struct tty_struct own_terminal = { .ops = &own_operations };

static DEFINE_MUTEX(demo_lock);
static char message[4];
static int sent, level;
static struct tty_struct *terminal;
static struct virtio_device *virtio;

// A module that only registers a hook sets it.
static int (*demo_hook)(int);

int demo_set_hook(int (*hook)(int))
{
    demo_hook = hook;
    return 0;
}
ADDRESSABLE(demo_set_hook, __UNIQUE_ID___addressable_demo_set_hook102)

static ssize_t demo_write(struct file *file, const char __user *buffer, size_t bytes, loff_t *position)
{
    struct tty_struct *tty = bytes ? terminal : &own_terminal;
    mutex_lock(&demo_lock);
    sent += tty->ops->write(tty, message, 4); // RACE
    sent += tty->ops->chars_in_buffer ? tty->ops->chars_in_buffer(tty) : 0;
    if (demo_hook)
        sent += demo_hook(sent);
    virtio->config->set(virtio, 0, &level, sizeof(level)); // RACE
    mutex_unlock(&demo_lock);
    return 0;
}

static long demo_ioctl(struct file *file, unsigned int command, unsigned long argument)
{
    message[0] = (char)argument; // RACE
    level = 1; // RACE
    return 0;
}

static const struct file_operations demo_fops = {
    .owner = THIS_MODULE,
    .write = demo_write,
    .unlocked_ioctl = demo_ioctl,
};
static struct miscdevice demo_device = { .minor = MISC_DYNAMIC_MINOR, .name = "demo", .fops = &demo_fops };

static int demo_init(void)
{
    terminal = terminal_of_the_kernel();
    virtio = virtio_of_the_kernel();
    if (!terminal || !virtio)
        return -ENOMEM;
    return misc_register(&demo_device);
}

module_init(demo_init)
