// irkiss: ; expect: none ; lazy: yes
//
// What irq_data leads to in the functions of an interrupt chip is the gpio chip that brings the interrupts: its data is the driver's, with one lock.
#include "kernel.h"

struct gpio_chip {
    const char *label;
    int (*get)(struct gpio_chip *, unsigned int);
};
struct irq_data {
    unsigned int irq;
    void *chip_data;
};
struct irq_chip {
    const char *name;
    int (*irq_set_wake)(struct irq_data *, unsigned int);
};
struct platform_device;
struct platform_driver {
    int (*probe)(struct platform_device *);
};
extern int __platform_driver_register(struct platform_driver *driver, struct module *owner);
extern int gpiochip_add_data_with_key(struct gpio_chip *chip, void *data, void *lock_key, void *request_key);
extern void *gpiochip_get_data(struct gpio_chip *chip);

struct demo {
    struct gpio_chip chip;
    struct mutex lock;
    int wake;
};

static int demo_get(struct gpio_chip *chip, unsigned int line)
{
    struct demo *demo = gpiochip_get_data(chip);
    int wake;
    mutex_lock(&demo->lock);
    wake = demo->wake; // NORACE
    mutex_unlock(&demo->lock);
    return wake;
}

static int demo_set_wake(struct irq_data *data, unsigned int on)
{
    struct gpio_chip *chip = data->chip_data;
    struct demo *demo = gpiochip_get_data(chip);
    mutex_lock(&demo->lock);
    demo->wake += on; // NORACE
    mutex_unlock(&demo->lock);
    return 0;
}

static const struct irq_chip demo_irq_chip = { .name = "demo", .irq_set_wake = demo_set_wake };
extern void gpio_irq_chip_set_chip(struct gpio_chip *chip, const struct irq_chip *irq);

static int demo_probe(struct platform_device *device)
{
    struct demo *demo = __kmalloc(sizeof(*demo), GFP_KERNEL | 0x100u);
    if (!demo)
        return -ENOMEM;
    __mutex_init(&demo->lock, "demo", NULL);
    demo->chip.get = demo_get;
    gpio_irq_chip_set_chip(&demo->chip, &demo_irq_chip);
    return gpiochip_add_data_with_key(&demo->chip, demo, NULL, NULL);
}

static struct platform_driver demo_driver = { .probe = demo_probe };

static int demo_init(void)
{
    return __platform_driver_register(&demo_driver, THIS_MODULE);
}

module_init(demo_init)
