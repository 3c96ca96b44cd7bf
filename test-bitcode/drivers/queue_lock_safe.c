// irkiss: ; expect: none ; lazy: yes
//
// Who walks a queue of packets holds its lock, which the functions that take packets out hold, too.
#include "kernel.h"

struct sk_buff {
    struct sk_buff *next, *prev;
    long mark;
};
struct sk_buff_head {
    struct sk_buff *next, *prev;
    unsigned int qlen;
    unsigned int lock;
};
extern void skb_queue_purge(struct sk_buff_head *list);

static struct sk_buff first;
static struct sk_buff_head queue = { &first, &first, 1 };
static struct sk_buff first = { (struct sk_buff *)&queue, (struct sk_buff *)&queue, 1 };

static ssize_t demo_read(struct file *file, char __user *buffer, size_t bytes, loff_t *position)
{
    long marks = 0;
    unsigned long flags = _raw_spin_lock_irqsave((raw_spinlock_t *)&queue.lock);
    marks = queue.next == (struct sk_buff *)&queue; // NORACE
    _raw_spin_unlock_irqrestore((raw_spinlock_t *)&queue.lock, flags);
    return marks;
}

static ssize_t demo_write(struct file *file, const char __user *buffer, size_t bytes, loff_t *position)
{
    skb_queue_purge(&queue); // NORACE
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
    return misc_register(&demo_device);
}

module_init(demo_init)
