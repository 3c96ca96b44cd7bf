// irkiss: ; expect: race ; lazy: yes
//
// Each light has a work item of its own that sets it (drivers/leds/led-core.c: set_brightness_delayed), so that one light is set by one
// thread at a time. The register that they share is another matter.
#include "part_linux.h"

struct led_classdev { const char *name; int brightness; int (*brightness_set_blocking)(struct led_classdev *led, int brightness); };
extern int devm_led_classdev_register_ext(struct device *dev, struct led_classdev *led, void *data);
extern void write_lights(unsigned int value);

struct chip;
struct light {
	struct led_classdev led;
	struct chip *chip;
	unsigned int bit;
	unsigned int sent;
};
struct chip {
	struct mutex lock;
	unsigned int shadow;
	struct light lights[3];
};

static int demo_set(struct led_classdev *led, int brightness)
{
	struct light *light = (struct light *)((char *)led - __builtin_offsetof(struct light, led));
	struct chip *chip = light->chip;

	if (brightness)
		chip->shadow |= light->bit; // RACE
	else
		chip->shadow &= ~light->bit;
	write_lights(chip->shadow);
	return 0;
}

static int demo_probe(struct platform_device *pdev)
{
	struct chip *chip = devm_kmalloc(&pdev->dev, sizeof(*chip), GFP_KERNEL | __GFP_ZERO);
	int n, error;

	if (!chip)
		return -ENOMEM;
	mutex_init(&chip->lock);
	for (n = 0; n < 3; n++) {
		chip->lights[n].chip = chip;
		chip->lights[n].bit = 1u << n;
		chip->lights[n].led.brightness_set_blocking = demo_set;
		error = devm_led_classdev_register_ext(&pdev->dev, &chip->lights[n].led, NULL);
		if (error)
			return error;
	}
	return 0;
}

static struct platform_driver demo_driver = { .probe = demo_probe, .driver = { .name = "demo" } };

int init_module(void)
{
	return platform_driver_register(&demo_driver);
}
