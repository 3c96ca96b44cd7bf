// irkiss: --property race,uaf ; expect: none ; golden: yes
//
// What kfree_rcu is given is freed when a grace period is over, by whoever has asked for it or not at all: that a verdict rests on this is said.
#include "kernel.h"

struct rcu_head {
    struct rcu_head *next;
    void (*func)(struct rcu_head *);
};
struct item {
    int value;
    struct rcu_head rcu;
};
extern void __rcu_read_lock(void);
extern void __rcu_read_unlock(void);
extern void kvfree_call_rcu(struct rcu_head *head, void (*func)(struct rcu_head *));

static struct item *item;
static DEFINE_MUTEX(item_lock);

static ssize_t item_read(struct file *file, char __user *buffer, size_t size, loff_t *position)
{
    struct item *seen;
    int value;

    __rcu_read_lock();
    seen = READ_ONCE(item);
    value = seen ? seen->value : 0; // NORACE
    __rcu_read_unlock();
    return value;
}

static ssize_t item_write(struct file *file, const char __user *buffer, size_t size, loff_t *position)
{
    struct item *old;

    mutex_lock(&item_lock);
    old = item;
    WRITE_ONCE(item, NULL);
    mutex_unlock(&item_lock);
    if (old)
        kvfree_call_rcu(&old->rcu, (void (*)(struct rcu_head *))__builtin_offsetof(struct item, rcu));
    return size;
}

static const struct file_operations item_fops = { .owner = THIS_MODULE, .read = item_read, .write = item_write };
static struct miscdevice item_device = { .minor = MISC_DYNAMIC_MINOR, .name = "item", .fops = &item_fops };

static int item_init(void)
{
    item = __kmalloc(sizeof(*item), GFP_KERNEL);
    if (!item)
        return -ENOMEM;
    item->value = 1;
    return misc_register(&item_device);
}

module_init(item_init)
