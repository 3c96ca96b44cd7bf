// irkiss: ; expect: race ; lazy: yes
//
// As read_bus_safe.c, but the reader does not take the lock.
#include "kernel.h"

extern int regmap_read(void *, unsigned int, void *);
extern int regmap_bulk_read(void *, unsigned int, void *, size_t);
extern int regmap_raw_read(void *, unsigned int, void *, size_t);
extern int spi_write_then_read(void *, const void *, unsigned int, void *, unsigned int);
extern int ec_read(unsigned char, void *);
extern int hid_hw_raw_request(void *, unsigned char, void *, size_t, int, int);
extern int pci_read_config_byte(const void *, int, void *);
extern int pci_read_config_word(const void *, int, void *);
extern int pci_read_config_dword(const void *, int, void *);
extern int pcie_capability_read_word(const void *, int, void *);
extern int pcie_capability_read_dword(const void *, int, void *);

static long shared[11][8];
static DEFINE_MUTEX(writers);

static ssize_t demo_read(struct file *file, char __user *buffer, size_t bytes, loff_t *position)
{
    long sum = 0;
    sum += READ_ONCE(*(char *)shared[0]); // RACE
    sum += READ_ONCE(*(char *)shared[1]); // RACE
    sum += READ_ONCE(*(char *)shared[2]); // RACE
    sum += READ_ONCE(*(char *)shared[3]); // RACE
    sum += READ_ONCE(*(char *)shared[4]); // RACE
    sum += READ_ONCE(*(char *)shared[5]); // RACE
    sum += READ_ONCE(*(char *)shared[6]); // RACE
    sum += READ_ONCE(*(char *)shared[7]); // RACE
    sum += READ_ONCE(*(char *)shared[8]); // RACE
    sum += READ_ONCE(*(char *)shared[9]); // RACE
    sum += READ_ONCE(*(char *)shared[10]); // RACE
    return sum;
}

static ssize_t demo_write(struct file *file, const char __user *buffer, size_t bytes, loff_t *position)
{
    mutex_lock(&writers);
    regmap_read(NULL, 0, shared[0]); // RACE
    regmap_bulk_read(NULL, 0, shared[1], 4); // RACE
    regmap_raw_read(NULL, 0, shared[2], 4); // RACE
    spi_write_then_read(NULL, "", 1, shared[3], 4); // RACE
    ec_read(0, shared[4]); // RACE
    hid_hw_raw_request(NULL, 0, shared[5], 4, 0, 0); // RACE
    pci_read_config_byte(NULL, 0, shared[6]); // RACE
    pci_read_config_word(NULL, 0, shared[7]); // RACE
    pci_read_config_dword(NULL, 0, shared[8]); // RACE
    pcie_capability_read_word(NULL, 0, shared[9]); // RACE
    pcie_capability_read_dword(NULL, 0, shared[10]); // RACE
    mutex_unlock(&writers);
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
