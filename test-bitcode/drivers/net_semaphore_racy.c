// irkiss: ; expect: race ; forms: nopass
//
// As net_semaphore_safe.c, but there is a permit from the beginning.
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
    level = 16; // RACE
    up(&filled);
}

static struct work_struct item = { .func = demo_work };

static ssize_t demo_read(struct file *file, char __user *buffer, size_t bytes, loff_t *position)
{
    mutex_lock(&lock);
    asked = asked + 1;
    mutex_unlock(&lock);
    down(&filled);
    level = level - 1; // RACE
    up(&filled);
    return 1;
}

static const struct file_operations demo_fops = { .owner = THIS_MODULE, .read = demo_read };
static struct miscdevice demo_device = { .minor = MISC_DYNAMIC_MINOR, .name = "demo", .fops = &demo_fops };

static int demo_init(void)
{
    sema_init(&filled, 1);
    queue_work_on(0, NULL, &item);
    return misc_register(&demo_device);
}

module_init(demo_init)
