// irkiss: ; expect: race ; lazy: yes
//
// As called_back_safe.c, but the caller does not hold the lock around it.
#include "pci.h"

struct pci_bus;
extern void pci_walk_bus(struct pci_bus *bus, int (*each)(struct pci_dev *, void *), void *data);

static DEFINE_MUTEX(lock);
int devices;

static int count(struct pci_dev *dev, void *data)
{
    devices++; // RACE
    return 0;
}

static ssize_t demo_read(struct file *file, char __user *buffer, size_t bytes, loff_t *position)
{
    int seen;
    mutex_lock(&lock);
    devices = 0; // RACE?
    mutex_unlock(&lock);
    pci_walk_bus(file->private_data, count, NULL);
    mutex_lock(&lock);
    seen = devices; // RACE?
    mutex_unlock(&lock);
    return seen;
}

static const struct file_operations demo_fops = { .owner = THIS_MODULE, .read = demo_read };
static struct miscdevice demo_device = { .minor = MISC_DYNAMIC_MINOR, .name = "demo", .fops = &demo_fops };

static int demo_init(void)
{
    return misc_register(&demo_device);
}

module_init(demo_init)
