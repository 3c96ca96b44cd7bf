// irkiss: --pair demo_read,demo_read ; expect: race ; lazy: yes
//
// Devices are made when the kernel tells of one (add_dev): it may have done so, so files can be opened.
#include "net.h"

extern int idr_alloc(void *table, void *object, int start, int end, unsigned int flags);
extern void *idr_find(const void *table, unsigned long number);
extern int __register_chrdev(unsigned int major, unsigned int first, unsigned int count, const char *name, const void *fops);
struct class_interface {
    struct list_head node;
    void *class;
    int (*add_dev)(struct device *, struct class_interface *);
};
extern int class_interface_register(struct class_interface *interface);

struct demo {
    struct mutex lock;
    long reads;
};
static long table[8];

static int demo_open(struct inode *inode, struct file *file)
{
    struct demo *demo = idr_find(&table, READ_ONCE(*(unsigned int *)inode));
    if (!demo)
        return -EBUSY;
    file->private_data = demo;
    return 0;
}

static ssize_t demo_read(struct file *file, char __user *buffer, size_t size, loff_t *position)
{
    struct demo *demo = file->private_data;
    demo->reads++; // RACE
    return 0;
}
static const struct file_operations demo_fops = {
    .owner = THIS_MODULE,
    .open = demo_open,
    .read = demo_read,
};

static int demo_add(struct device *device, struct class_interface *interface)
{
    struct demo *demo = __kmalloc(sizeof(*demo), GFP_KERNEL | 0x100u);
    int number;
    if (!demo)
        return -ENOMEM;
    number = idr_alloc(&table, demo, 0, 0, GFP_KERNEL);
    return number < 0 ? number : 0;
}
static struct class_interface demo_interface = { .add_dev = demo_add };

static int demo_init(void)
{
    if (__register_chrdev(0, 0, 1, "demo", &demo_fops) < 0)
        return -ENOMEM;
    return class_interface_register(&demo_interface);
}

module_init(demo_init)
