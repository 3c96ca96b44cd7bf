// irkiss: --property race,uaf ; expect: none ; lazy: yes ; forms: nopass
//
// The interrupt of a line is asked for by the line's number, each time anew: it is the same one, and its handler is over when it is freed.
#include "part_linux.h"

extern void *gpio_to_desc(unsigned int number);
extern int gpiod_to_irq(const void *line);
struct keys { int line; spinlock_t lock; int count; };

static irqreturn_t keys_irq(int irq, void *data)
{
	struct keys *keys = data;

	spin_lock(&keys->lock);
	keys->count++;
	spin_unlock(&keys->lock);
	return IRQ_HANDLED;
}

static int keys_probe(struct platform_device *device)
{
	struct keys *keys = kzalloc(sizeof(*keys), GFP_KERNEL);
	int error;

	if (!keys)
		return -ENOMEM;
	spin_lock_init(&keys->lock);
	keys->line = 12;
	error = request_threaded_irq(gpiod_to_irq(gpio_to_desc(keys->line)), keys_irq, NULL, 0, "keys", keys);
	if (error) {
		kfree(keys);
		return error;
	}
	device->dev.driver_data = keys;
	return 0;
}

static int keys_remove(struct platform_device *device)
{
	struct keys *keys = device->dev.driver_data;

	free_irq(gpiod_to_irq(gpio_to_desc(keys->line)), keys);
	kfree(keys);
	return 0;
}

static struct platform_driver keys_driver = { .probe = keys_probe, .remove = keys_remove, .driver = { .name = "keys" } };

int init_module(void)
{
	return platform_driver_register(&keys_driver);
}

void cleanup_module(void)
{
	platform_driver_unregister(&keys_driver);
}
