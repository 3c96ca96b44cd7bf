// irkiss: --property uaf ; expect: none
//
// A line has one interrupt, however often its number is asked for.
#include "../drivers/part_linux.h"

struct gpio_desc;
extern struct gpio_desc *devm_gpiod_get(struct device *dev, const char *name, int flags);
extern int gpiod_to_irq(const struct gpio_desc *line);

struct key { struct gpio_desc *line, *other; int pressed; };

static irqreturn_t key_interrupt(int irq, void *data)
{
	struct key *key = data;

	key->pressed = 1;
	return IRQ_HANDLED;
}

static int key_probe(struct platform_device *pdev)
{
	struct key *key = kzalloc(sizeof(*key), GFP_KERNEL);
	int error;

	if (!key)
		return -ENOMEM;
	key->line = devm_gpiod_get(&pdev->dev, "key", 1);
	key->other = devm_gpiod_get(&pdev->dev, "other", 1);
	if (IS_ERR(key->line) || IS_ERR(key->other) || gpiod_to_irq(key->line) < 0) {
		kfree(key);
		return -ENODEV;
	}
	error = request_irq(gpiod_to_irq(key->line), key_interrupt, 0, "key", key);
	if (error) {
		kfree(key);
		return error;
	}
	platform_set_drvdata(pdev, key);
	return 0;
}

static int key_remove(struct platform_device *pdev)
{
	struct key *key = platform_get_drvdata(pdev);

	free_irq(gpiod_to_irq(key->line), key);
	kfree(key);
	return 0;
}

static struct platform_driver key_driver = { .probe = key_probe, .remove = key_remove, .driver = { .name = "key" } };

int init_module(void)
{
	return platform_driver_register(&key_driver);
}

void cleanup_module(void)
{
	platform_driver_unregister(&key_driver);
}
