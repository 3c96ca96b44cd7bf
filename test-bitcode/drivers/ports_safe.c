// irkiss: ; expect: none ; lazy: yes
//
// Calls through fields that others set: of an element of an array, of what contains a work item, of a field into which the board's
// own function is copied, if it has one. The only function of that type here is stored in a struct on the stack.
#include "work.h"

struct port;
struct port_operations {
    void (*enable)(void *);
    unsigned char (*status)(struct port *);
};
struct port {
    long id;
    const struct port_operations *ops;
};
struct callbacks {
    int flags;
    void (*wake)(void *);
};
extern struct port *others_port(int number);
extern void others_register(struct callbacks *callbacks);

struct board_info {
    int (*wake_on)(int);
};
extern struct board_info *others_board(void);

static struct demo {
    struct port *port;
    struct work_struct work;
    int count;
    int (*wake_on)(int);
} demos[3];
static DEFINE_MUTEX(demo_lock);

static int demo_wake_on(int level)
{
    return level;
}

static void demo_wake(void *data)
{
}

static void demo_work(struct work_struct *work)
{
    struct demo *demo = (struct demo *)((char *)work - __builtin_offsetof(struct demo, work));

    mutex_lock(&demo_lock);
    demo->port->ops->enable(demo->port);
    demo->count++;
    mutex_unlock(&demo_lock);
}

static ssize_t demo_write(struct file *file, const char __user *buffer, size_t size, loff_t *position)
{
    if (size >= 3)
        return -EFAULT;
    mutex_lock(&demo_lock);
    demos[size].count += demos[size].port->ops->status(demos[size].port);
    if (demos[0].wake_on)
        demos[0].count += demos[0].wake_on(1);
    mutex_unlock(&demo_lock);
    queue_work_on(0, NULL, &demos[0].work);
    return 0;
}

static ssize_t demo_read(struct file *file, char __user *buffer, size_t size, loff_t *position)
{
    int count;

    mutex_lock(&demo_lock);
    count = READ_ONCE(demos[0].count);
    mutex_unlock(&demo_lock);
    return count;
}

static const struct file_operations demo_fops = {
    .owner = THIS_MODULE,
    .write = demo_write,
    .read = demo_read,
};
static struct miscdevice demo_device = { .minor = MISC_DYNAMIC_MINOR, .name = "demo", .fops = &demo_fops };

static int demo_init(void)
{
    struct board_info *info = others_board();
    struct callbacks callbacks = { .flags = 1 };
    int n;

    callbacks.wake = demo_wake;
    others_register(&callbacks);
    for (n = 0; n < 3; n++) {
        demos[n].port = others_port(n);
        if (!demos[n].port)
            return -ENOMEM;
    }
    demos[0].work.func = demo_work;
    demos[0].wake_on = demo_wake_on;
    if (info && info->wake_on)
        demos[0].wake_on = info->wake_on;
    return misc_register(&demo_device);
}

module_init(demo_init)
