// irkiss: ; expect: none
// irkiss: --entry expander_mask --entry expander_set_type ; expect: none
//
// What an interrupt chip behind a bus that sleeps is told is kept under the lock that its irq_bus_lock takes, until irq_bus_sync_unlock has sent it.
#include "kernel.h"

struct irq_data {
    unsigned int irq;
    void *chip_data;
};
struct irq_chip {
    const char *name;
    void (*irq_mask)(struct irq_data *);
    int (*irq_set_type)(struct irq_data *, unsigned int);
    void (*irq_bus_lock)(struct irq_data *);
    void (*irq_bus_sync_unlock)(struct irq_data *);
};

static DEFINE_MUTEX(bus_lock);
static unsigned int type, mask, sent;

static void expander_lock(struct irq_data *data)
{
    mutex_lock(&bus_lock);
}

static void expander_unlock(struct irq_data *data)
{
    sent = type ^ mask; // NORACE
    mutex_unlock(&bus_lock);
}

static int expander_set_type(struct irq_data *data, unsigned int flow)
{
    type = flow; // NORACE
    return 0;
}

static void expander_mask(struct irq_data *data)
{
    mask |= 1u << (data->irq & 31); // NORACE
}

static const struct irq_chip expander_chip = {
    .name = "expander",
    .irq_mask = expander_mask,
    .irq_set_type = expander_set_type,
    .irq_bus_lock = expander_lock,
    .irq_bus_sync_unlock = expander_unlock,
};

static ssize_t expander_read(struct file *file, char __user *buffer, size_t size, loff_t *position)
{
    mutex_lock(&bus_lock);
    unsigned int now = type; // NORACE
    mutex_unlock(&bus_lock);
    return now;
}

static const struct file_operations expander_fops = {
    .owner = THIS_MODULE,
    .read = expander_read,
};

static struct miscdevice expander_device = {
    .minor = MISC_DYNAMIC_MINOR,
    .name = "expander",
    .fops = &expander_fops,
};

extern void irq_set_chip(unsigned int irq, const struct irq_chip *chip);

static int expander_init(void)
{
    irq_set_chip(7, &expander_chip);
    return misc_register(&expander_device);
}

module_init(expander_init)
