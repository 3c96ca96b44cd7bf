// irkiss: ; expect: race ; forms: nopass
//
// As semaphore_safe.c, but two may be in at once.
#include "kernel.h"

struct semaphore {
    unsigned int lock, count;
    struct list_head list;
};
extern void down(struct semaphore *semaphore);
extern void up(struct semaphore *semaphore);
static inline void sema_init(struct semaphore *semaphore, int permits)
{
    semaphore->count = (unsigned int)permits;
}

static struct semaphore turn;
static long position_of_head;

static ssize_t demo_read(struct file *file, char __user *buffer, size_t bytes, loff_t *position)
{
    long value;
    down(&turn);
    value = position_of_head; // RACE
    up(&turn);
    return value;
}

static ssize_t demo_write(struct file *file, const char __user *buffer, size_t bytes, loff_t *position)
{
    down(&turn);
    position_of_head = (long)bytes; // RACE
    up(&turn);
    return 0;
}

static const struct file_operations demo_fops = {
    .owner = THIS_MODULE,
    .read = demo_read,
    .write = demo_write,
};

static struct miscdevice demo_device = { .minor = 255, .name = "demo", .fops = &demo_fops };

static int demo_init(void)
{
    sema_init(&turn, 2);
    return misc_register(&demo_device);
}

module_init(demo_init)
