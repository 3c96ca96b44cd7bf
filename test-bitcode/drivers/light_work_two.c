// irkiss: ; expect: race ; lazy: yes
// irkiss: --tier coverability ; expect: unknown ; lazy: yes
//
// As light_work_one.c, but each of two lights has one.
#include "part_linux.h"

struct led_classdev { const char *name; int brightness; int (*brightness_set_blocking)(struct led_classdev *led, int brightness); };
extern int devm_led_classdev_register_ext(struct device *dev, struct led_classdev *led, void *data);
static struct led_classdev lights[2];
int sent;

static int demo_set(struct led_classdev *led, int brightness)
{
	sent++; // RACE
	return 0;
}

static int demo_probe(struct platform_device *pdev)
{
	int error;

	lights[0].brightness_set_blocking = demo_set;
	lights[1].brightness_set_blocking = demo_set;
	error = devm_led_classdev_register_ext(&pdev->dev, &lights[0], NULL);
	return error ? error : devm_led_classdev_register_ext(&pdev->dev, &lights[1], NULL);
}

static struct platform_driver demo_driver = { .probe = demo_probe, .driver = { .name = "demo" } };

int init_module(void)
{
	return platform_driver_register(&demo_driver);
}
