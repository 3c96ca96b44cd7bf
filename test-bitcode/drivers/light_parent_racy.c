// irkiss: ; expect: race ; lazy: yes
//
// The device of a light, which registering it makes, is a child of the one that it was registered for: there the driver finds its own.
#include "part_linux.h"

enum led_brightness { LED_OFF };
struct led_classdev { const char *name; unsigned int brightness; void (*brightness_set)(struct led_classdev *, enum led_brightness); struct device *dev; };
extern int led_classdev_register_ext(struct device *parent, struct led_classdev *light, void *data);
extern void led_classdev_unregister(struct led_classdev *light);

struct lamp { struct led_classdev light; spinlock_t lock; int level; };

static void lamp_set(struct led_classdev *light, enum led_brightness brightness)
{
	struct lamp *lamp = light->dev->parent->driver_data;

	lamp->level = brightness; // RACE
}

static irqreturn_t lamp_irq(int irq, void *data)
{
	struct lamp *lamp = data;

	spin_lock(&lamp->lock);
	lamp->level = 0; // RACE
	spin_unlock(&lamp->lock);
	return IRQ_HANDLED;
}

static int lamp_probe(struct platform_device *device)
{
	struct lamp *lamp = devm_kzalloc(&device->dev, sizeof(*lamp), GFP_KERNEL);
	int error;

	if (!lamp)
		return -ENOMEM;
	spin_lock_init(&lamp->lock);
	lamp->light.name = "lamp";
	lamp->light.brightness_set = lamp_set;
	device->dev.driver_data = lamp;
	error = devm_request_irq(&device->dev, 5, lamp_irq, 0, "lamp", lamp);
	if (error)
		return error;
	return led_classdev_register_ext(&device->dev, &lamp->light, NULL);
}

static int lamp_remove(struct platform_device *device)
{
	struct lamp *lamp = device->dev.driver_data;

	led_classdev_unregister(&lamp->light);
	return 0;
}

static struct platform_driver lamp_driver = { .probe = lamp_probe, .remove = lamp_remove, .driver = { .name = "lamp" } };

int init_module(void)
{
	return platform_driver_register(&lamp_driver);
}

void cleanup_module(void)
{
	platform_driver_unregister(&lamp_driver);
}
