// irkiss: --property deadlock --pair pins_mask,pins_set ; expect: none
//
// The chip of the pins and that of the interrupts are given one lock by two calls. Setting a pin takes it with interrupts disabled.
#include "../drivers/part_linux.h"

struct irq_data { u32 mask; unsigned int irq; unsigned long hwirq; void *common, *chip, *domain, *parent_data, *chip_data; };
struct irq_chip { const char *name; void (*irq_mask)(struct irq_data *); void (*irq_unmask)(struct irq_data *); };
struct gpio_chip {
	const char *label;
	struct device *parent;
	int (*get)(struct gpio_chip *, unsigned int);
	void (*set)(struct gpio_chip *, unsigned int, int);
	int base;
};
extern int devm_gpiochip_add_data_with_key(struct device *dev, struct gpio_chip *chip, void *data, void *, void *);
extern void *gpiochip_get_data(struct gpio_chip *chip);
extern void irq_set_chip_and_handler_name(unsigned int irq, const struct irq_chip *chip, void *handler, const char *name);
extern int irq_set_chip_data(unsigned int irq, void *data);

struct pins { struct gpio_chip chip; spinlock_t lock; u32 level, masked; };

static void pins_set(struct gpio_chip *chip, unsigned int pin, int value)
{
	struct pins *pins = gpiochip_get_data(chip);
	unsigned long flags;

	spin_lock_irqsave(&pins->lock, flags);
	pins->level = value;
	spin_unlock_irqrestore(&pins->lock, flags);
}

static void pins_mask(struct irq_data *data)
{
	struct pins *pins = data->chip_data;
	unsigned long flags;

	spin_lock_irqsave(&pins->lock, flags);
	pins->masked++;
	spin_unlock_irqrestore(&pins->lock, flags);
}

static const struct irq_chip pins_irq_chip = { .name = "pins", .irq_mask = pins_mask };

static int pins_probe(struct platform_device *pdev)
{
	struct pins *pins = devm_kzalloc(&pdev->dev, sizeof(*pins), GFP_KERNEL);
	int error;

	if (!pins)
		return -ENOMEM;
	spin_lock_init(&pins->lock);
	pins->chip.set = pins_set;
	error = devm_gpiochip_add_data_with_key(&pdev->dev, &pins->chip, pins, NULL, NULL);
	if (error)
		return error;
	irq_set_chip_and_handler_name(5, &pins_irq_chip, NULL, NULL);
	return irq_set_chip_data(5, pins);
}

static struct platform_driver pins_driver = { .probe = pins_probe, .driver = { .name = "pins" } };

int init_module(void)
{
	return platform_driver_register(&pins_driver);
}

void cleanup_module(void)
{
	platform_driver_unregister(&pins_driver);
}
