// irkiss: ; expect: race ; lazy: yes
//
// What other modules call puts devices into a table, and open looks there for the number of the file. Readers hold no lock.
#include "kernel.h"

struct demo {
    struct mutex lock;
    int reads;
};
#define DEVICES 4
static struct demo *devices[DEVICES];
static DEFINE_MUTEX(devices_lock);
struct demo_inode {
    unsigned int i_rdev;
};
#define iminor(inode) (((struct demo_inode *)(inode))->i_rdev & 3)
extern int __register_chrdev(unsigned int major, unsigned int first, unsigned int count, const char *name, const struct file_operations *fops);

static int demo_open(struct inode *inode, struct file *file)
{
    struct demo *demo;
    mutex_lock(&devices_lock);
    demo = devices[iminor(inode)];
    mutex_unlock(&devices_lock);
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

static const struct file_operations demo_fops = { .owner = THIS_MODULE, .open = demo_open, .read = demo_read };

// The number of the device, or an error.
int demo_connect(void)
{
    int number;
    struct demo *demo = __kmalloc(sizeof(*demo), GFP_KERNEL | 0x100);
    if (!demo)
        return -ENOMEM;
    __mutex_init(&demo->lock, "demo", NULL);
    demo->reads = 0;
    mutex_lock(&devices_lock);
    for (number = 0; number < DEVICES; number++)
        if (!devices[number])
            break;
    if (number < DEVICES)
        devices[number] = demo;
    mutex_unlock(&devices_lock);
    if (number < DEVICES)
        return number;
    kfree(demo);
    return -EBUSY;
}
ADDRESSABLE(demo_connect, __UNIQUE_ID___addressable_demo_connect7)

static int demo_init(void)
{
    return __register_chrdev(0, 0, 1, "demo", &demo_fops) < 0 ? -ENOMEM : 0;
}

module_init(demo_init)
