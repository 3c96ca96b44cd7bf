// irkiss: --pair demo_read,demo_write ; expect: none
//
// A buffer in a queue belongs to the queue, then to whoever takes it out.
#include "kernel.h"

struct sk_buff {
    struct sk_buff *next, *prev;
    long mark;
};
struct sk_buff_head {
    struct sk_buff *next, *prev;
    unsigned int qlen, lock;
};
extern void skb_queue_tail(struct sk_buff_head *queue, struct sk_buff *buffer);
extern void skb_queue_head(struct sk_buff_head *queue, struct sk_buff *buffer);
extern struct sk_buff *skb_dequeue(struct sk_buff_head *queue);

static struct sk_buff first;
static struct sk_buff_head queue = { (struct sk_buff *)&queue, (struct sk_buff *)&queue, 0, 0 };

static ssize_t demo_read(struct file *file, char __user *buffer, size_t bytes, loff_t *position)
{
    struct sk_buff *skb = skb_dequeue(&queue);
    return skb ? skb->mark : 0; // NORACE
}

static ssize_t demo_write(struct file *file, const char __user *buffer, size_t bytes, loff_t *position)
{
    struct sk_buff *skb = __kmalloc(sizeof(*skb), GFP_KERNEL | 0x100u);
    if (!skb)
        return -ENOMEM;
    skb->mark = 1;
    skb_queue_head(&queue, skb);
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
    skb_queue_tail(&queue, &first);
    return misc_register(&demo_device);
}

module_init(demo_init)
