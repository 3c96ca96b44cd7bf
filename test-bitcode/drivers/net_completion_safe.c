// irkiss: ; expect: none
// irkiss: --tier coverability ; expect: none ; by: coverability
//
// A work item, queued once by initialisation, hands its result over by a completion: readers wait for it.
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
    result = 1;
    complete_all(&ready);
}

static struct work_struct item = { .func = demo_work };

static ssize_t demo_read(struct file *file, char __user *buffer, size_t bytes, loff_t *position)
{
    mutex_lock(&lock);
    asked = asked + 1;
    mutex_unlock(&lock);
    wait_for_completion(&ready);
    return result;
}

static const struct file_operations demo_fops = { .owner = THIS_MODULE, .read = demo_read };
static struct miscdevice demo_device = { .minor = MISC_DYNAMIC_MINOR, .name = "demo", .fops = &demo_fops };

static int demo_init(void)
{
    queue_work_on(0, NULL, &item);
    return misc_register(&demo_device);
}

module_init(demo_init)
