// irkiss: --property uaf ; expect: none
//
// An interrupt that a device may have has one number, however often it is asked for.
#include "../drivers/part_linux.h"

extern int platform_get_irq_optional(struct platform_device *pdev, unsigned int number);

struct key { int pressed; };

static irqreturn_t key_interrupt(int irq, void *data)
{
	struct key *key = data;

	key->pressed = 1;
	return IRQ_HANDLED;
}

static int key_probe(struct platform_device *pdev)
{
	struct key *key = kzalloc(sizeof(*key), GFP_KERNEL);
	int error = platform_get_irq_optional(pdev, 0);

	if (!key)
		return -ENOMEM;
	if (error < 0)
		goto free;
	error = request_irq(error, key_interrupt, 0, "key", key);
	if (error)
		goto free;
	platform_set_drvdata(pdev, key);
	return 0;
free:
	kfree(key);
	return error;
}

static int key_remove(struct platform_device *pdev)
{
	struct key *key = platform_get_drvdata(pdev);
	int irq = platform_get_irq_optional(pdev, 0);

	if (irq < 0)
		return 0;
	free_irq(irq, key);
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
