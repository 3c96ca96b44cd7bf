// irkiss: ; expect: none ; lazy: yes
//
// One light has one work item for what sleeps.
#include "part_linux.h"

struct led_classdev { const char *name; int brightness; int (*brightness_set_blocking)(struct led_classdev *led, int brightness); };
extern int devm_led_classdev_register_ext(struct device *dev, struct led_classdev *led, void *data);
static struct led_classdev light;
int sent;

static int demo_set(struct led_classdev *led, int brightness)
{
	sent++; // NORACE
	return 0;
}

static int demo_probe(struct platform_device *pdev)
{
	light.brightness_set_blocking = demo_set;
	return devm_led_classdev_register_ext(&pdev->dev, &light, NULL);
}

static struct platform_driver demo_driver = { .probe = demo_probe, .driver = { .name = "demo" } };

int init_module(void)
{
	return platform_driver_register(&demo_driver);
}
