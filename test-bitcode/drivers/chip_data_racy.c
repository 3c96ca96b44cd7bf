// irkiss: ; expect: race
//
// As chip_data_safe.c, but one of them does not lock.
#include "kernel.h"

struct gpio_chip {
    const char *label;
    int (*request)(struct gpio_chip *, unsigned int);
    int (*get_direction)(struct gpio_chip *, unsigned int);
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
    int used;
    int output;
};

static int demo_request(struct gpio_chip *chip, unsigned int line)
{
    struct demo *demo = gpiochip_get_data(chip);
    mutex_lock(&demo->lock);
    if (!demo->used) {
        demo->output = 0; // RACE
        demo->used = 1;
    }
    mutex_unlock(&demo->lock);
    return 0;
}

static int demo_direction(struct gpio_chip *chip, unsigned int line)
{
    struct demo *demo = gpiochip_get_data(chip);
    int output;
    output = demo->output; // RACE
    return !(output & 1 << (line & 31));
}

static int demo_probe(struct platform_device *device)
{
    struct demo *demo = __kmalloc(sizeof(*demo), GFP_KERNEL | 0x100u);
    if (!demo)
        return -ENOMEM;
    __mutex_init(&demo->lock, "demo", NULL);
    demo->chip.request = demo_request;
    demo->chip.get_direction = demo_direction;
    return gpiochip_add_data_with_key(&demo->chip, demo, NULL, NULL);
}

static struct platform_driver demo_driver = { .probe = demo_probe };

static int demo_init(void)
{
    return __platform_driver_register(&demo_driver, THIS_MODULE);
}

module_init(demo_init)
