// irkiss: --property lock-misuse ; expect: finds
//
// As pins_sleep_holds.c, but the chip does not say so: whoever holds a spin lock may set a pin.
#include "../drivers/net.h"

struct gpio_chip {
    const char *label;
    void (*set)(struct gpio_chip *chip, unsigned int offset, int value);
    int base;
    unsigned short ngpio;
    _Bool can_sleep;
};
extern int gpiochip_add_data_with_key(struct gpio_chip *chip, void *data, void *lock_key, void *request_key);
static DEFINE_MUTEX(lock);
static int pins;

static void demo_set(struct gpio_chip *chip, unsigned int offset, int value)
{
    mutex_lock(&lock); // FINDS:sleep-in-atomic
    pins = value;
    mutex_unlock(&lock);
}

static struct gpio_chip chip = { .label = "demo", .set = demo_set, .ngpio = 8 };

static int demo_init(void)
{
    return gpiochip_add_data_with_key(&chip, NULL, NULL, NULL);
}

module_init(demo_init)
