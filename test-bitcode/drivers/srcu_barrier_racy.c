// irkiss: ; expect: race ; lazy: yes
//
// As srcu_barrier_safe.c, but it waits for the callbacks of another domain.
#include "kernel.h"

struct srcu_struct { void *sda; };
struct callback_head { struct callback_head *next; void (*func)(struct callback_head *); };
extern void call_srcu(struct srcu_struct *, struct callback_head *, void (*)(struct callback_head *));
extern void srcu_barrier(struct srcu_struct *);

static struct srcu_struct domain, other;
static struct callback_head head;
int done;
static DEFINE_MUTEX(lock);

static void ended(struct callback_head *unused)
{
    done = 1; // RACE
}

static ssize_t demo_read(struct file *file, char __user *buffer, size_t bytes, loff_t *position)
{
    mutex_lock(&lock);
    srcu_barrier(&other);
    done = 2; // RACE
    mutex_unlock(&lock);
    return 0;
}

static const struct file_operations demo_fops = { .owner = THIS_MODULE, .read = demo_read };
static struct miscdevice demo_device = { .minor = 255, .name = "demo", .fops = &demo_fops };

static int demo_init(void)
{
    call_srcu(&domain, &head, ended);
    return misc_register(&demo_device);
}

module_init(demo_init)
