// irkiss: ; expect: unknown ; reason: is not shown to reach its access ; forms: nopass
// irkiss: --tier coverability ; expect: none ; by: coverability ; forms: nopass
//
// A semaphore without permits in the beginning: what fills the buffer gives the first one, once, and who takes it gives it on.
// (Optimised, sema_init() is gone, and one permit is assumed.)
#include "work.h"

struct semaphore {
    unsigned int lock;
    unsigned int count;
    struct list_head wait_list;
};
extern void down(struct semaphore *semaphore);
extern void up(struct semaphore *semaphore);

static void sema_init(struct semaphore *semaphore, int permits)
{
    semaphore->count = (unsigned int)permits;
}

static struct semaphore filled;
int level;
int asked;
static DEFINE_MUTEX(lock);

static void demo_work(struct work_struct *work)
{
    level = 16;
    up(&filled);
}

static struct work_struct item = { .func = demo_work };

static ssize_t demo_read(struct file *file, char __user *buffer, size_t bytes, loff_t *position)
{
    mutex_lock(&lock);
    asked = asked + 1;
    mutex_unlock(&lock);
    down(&filled);
    level = level - 1;
    up(&filled);
    return 1;
}

static const struct file_operations demo_fops = { .owner = THIS_MODULE, .read = demo_read };
static struct miscdevice demo_device = { .minor = MISC_DYNAMIC_MINOR, .name = "demo", .fops = &demo_fops };

static int demo_init(void)
{
    sema_init(&filled, 0);
    queue_work_on(0, NULL, &item);
    return misc_register(&demo_device);
}

module_init(demo_init)
