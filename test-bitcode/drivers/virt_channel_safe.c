// irkiss: ; expect: none ; lazy: yes
//
// The lists of a channel (drivers/dma/virt-dma.c: vchan_init) are empty at first, and its lock is there.
#include "part_linux.h"

struct dma_device { unsigned int count; struct list_head channels; };
struct dma_chan { struct dma_device *device; int cookie; struct list_head device_node; };
struct virt_dma_desc { int cookie; struct list_head node; };
struct virt_dma_chan {
    struct dma_chan chan;
    void (*desc_free)(struct virt_dma_desc *);
    spinlock_t lock;
    struct list_head desc_allocated, desc_submitted, desc_issued, desc_completed, desc_terminated;
    struct virt_dma_desc *cyclic;
};
extern void vchan_init(struct virt_dma_chan *channel, struct dma_device *device);

static struct dma_device engine;
static struct virt_dma_chan channel;
static struct virt_dma_desc first;

static void add(struct list_head *entry, struct list_head *list)
{
    struct list_head *last = list->prev;
    list->prev = entry;
    entry->next = list;
    entry->prev = last;
    last->next = entry;
}

static ssize_t demo_read(struct file *file, char __user *buffer, size_t bytes, loff_t *position)
{
    unsigned long flags;
    struct list_head *next;
    spin_lock_irqsave(&channel.lock, flags);
    next = channel.desc_issued.next;
    spin_unlock_irqrestore(&channel.lock, flags);
    return next != &channel.desc_issued;
}

static ssize_t demo_write(struct file *file, const char __user *buffer, size_t bytes, loff_t *position)
{
    unsigned long flags;
    spin_lock_irqsave(&channel.lock, flags);
    if (channel.desc_issued.next == &channel.desc_issued)
        add(&first.node, &channel.desc_issued);
    spin_unlock_irqrestore(&channel.lock, flags);
    return 0;
}

static const struct file_operations demo_fops = { .owner = THIS_MODULE, .read = demo_read, .write = demo_write };
static struct miscdevice demo_device = { .minor = 255, .name = "demo", .fops = &demo_fops };

int init_module(void)
{
    engine.channels.next = engine.channels.prev = &engine.channels;
    vchan_init(&channel, &engine);
    if (engine.channels.next != &channel.chan.device_node || channel.chan.device != &engine)
        return -ENODEV;
    return misc_register(&demo_device);
}
