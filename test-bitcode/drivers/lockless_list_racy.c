// irkiss: --property uaf ; expect: uaf ; lazy: yes
//
// As lockless_list_safe.c, but one looks into an entry without taking it out, which the other frees.
#include "kernel.h"

struct llist_node { struct llist_node *next; };
struct llist_head { struct llist_node *first; };
extern _Bool llist_add_batch(struct llist_node *, struct llist_node *, struct llist_head *);
extern struct llist_node *llist_del_first(struct llist_head *), *llist_reverse_order(struct llist_node *);

struct item {
    struct llist_node node;
    int value;
};
static struct llist_head list;
int sum;
static DEFINE_MUTEX(lock);

static ssize_t demo_read(struct file *file, char __user *buffer, size_t bytes, loff_t *position)
{
    struct item *item = (struct item *)READ_ONCE(list.first);
    if (item)
        sum = item->value; // FREED
    return 0;
}

static ssize_t demo_write(struct file *file, const char __user *buffer, size_t bytes, loff_t *position)
{
    struct llist_node *node;
    mutex_lock(&lock);
    node = llist_del_first(&list);
    kfree(node);
    mutex_unlock(&lock);
    return 0;
}

static const struct file_operations demo_fops = { .owner = THIS_MODULE, .read = demo_read, .write = demo_write };
static struct miscdevice demo_device = { .minor = 255, .name = "demo", .fops = &demo_fops };

static int demo_init(void)
{
    struct item *item = __kmalloc(sizeof *item, GFP_KERNEL);
    if (!item)
        return -ENOMEM;
    item->value = 1;
    llist_add_batch(&item->node, &item->node, &list);
    if (llist_del_first(&list) != &item->node || llist_del_first(&list))
        return -EBUSY;
    llist_add_batch(&item->node, &item->node, &list);
    return misc_register(&demo_device);
}

module_init(demo_init)
