// irkiss: ; expect: none ; lazy: yes
//
// pci_walk_bus calls the function before it returns: what it writes is the caller's, within the caller's lock.
#include "pci.h"

struct pci_bus;
extern void pci_walk_bus(struct pci_bus *bus, int (*each)(struct pci_dev *, void *), void *data);

static DEFINE_MUTEX(lock);
int devices;

static int count(struct pci_dev *dev, void *data)
{
    devices++; // NORACE
    return 0;
}

static ssize_t demo_read(struct file *file, char __user *buffer, size_t bytes, loff_t *position)
{
    int seen;
    mutex_lock(&lock);
    devices = 0; // NORACE
    pci_walk_bus(file->private_data, count, NULL);
    seen = devices; // NORACE
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
