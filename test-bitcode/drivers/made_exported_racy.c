// irkiss: --pair demo_read,demo_read ; expect: race ; lazy: yes
//
// Devices are made by a function that other modules call: it may have been called, so files can be opened.
#include "net.h"

extern int idr_alloc(void *table, void *object, int start, int end, unsigned int flags);
extern void *idr_find(const void *table, unsigned long number);
extern int __register_chrdev(unsigned int major, unsigned int first, unsigned int count, const char *name, const void *fops);

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

int demo_register(struct demo *demo)
{
    int number = idr_alloc(&table, demo, 0, 0, GFP_KERNEL);
    if (number < 0)
        return number;
    return 0;
}
ADDRESSABLE(demo_register, __UNIQUE_ID___addressable_demo_register7)

static int demo_init(void)
{
    return __register_chrdev(0, 0, 1, "demo", &demo_fops) < 0 ? -ENOMEM : 0;
}

module_init(demo_init)
