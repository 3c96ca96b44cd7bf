// irkiss: --property lock-misuse ; expect: none
//
// Pins of a chip behind a bus that sleeps are set by who may sleep.
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
    mutex_lock(&lock);
    pins = value;
    mutex_unlock(&lock);
}

static struct gpio_chip chip = { .label = "demo", .set = demo_set, .ngpio = 8, .can_sleep = 1 };

static int demo_init(void)
{
    return gpiochip_add_data_with_key(&chip, NULL, NULL, NULL);
}

module_init(demo_init)
