// irkiss: ; expect: race
//
// As net_completion_safe.c, but the completion comes before the result.
#include "work.h"

struct completion {
    unsigned int done;
    struct list_head wait;
};
extern void complete_all(struct completion *x);
extern void wait_for_completion(struct completion *x);

static struct completion ready;
int result;
int asked;
static DEFINE_MUTEX(lock);

static void demo_work(struct work_struct *work)
{
    complete_all(&ready);
    result = 1; // RACE
}

static struct work_struct item = { .func = demo_work };

static ssize_t demo_read(struct file *file, char __user *buffer, size_t bytes, loff_t *position)
{
    mutex_lock(&lock);
    asked = asked + 1;
    mutex_unlock(&lock);
    wait_for_completion(&ready);
    return result; // RACE
}

static const struct file_operations demo_fops = { .owner = THIS_MODULE, .read = demo_read };
static struct miscdevice demo_device = { .minor = MISC_DYNAMIC_MINOR, .name = "demo", .fops = &demo_fops };

static int demo_init(void)
{
    queue_work_on(0, NULL, &item);
    return misc_register(&demo_device);
}

module_init(demo_init)
