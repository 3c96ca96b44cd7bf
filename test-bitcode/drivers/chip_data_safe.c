// irkiss: ; expect: none ; lazy: yes
//
// Two cores without a model keep the driver's data and give it back: one for each interrupt of a chip, one for the chip of the pins.
// Masking an interrupt changes the register's copy under the lock that setting a pin holds.
#include "part_linux.h"

struct irq_data { unsigned int irq; unsigned long hwirq; void *chip_data; };
struct irq_chip { const char *name; void (*irq_mask)(struct irq_data *); void (*irq_unmask)(struct irq_data *); };
struct gpio_chip {
    const char *label;
    struct device *parent;
    int (*get)(struct gpio_chip *, unsigned int);
    void (*set)(struct gpio_chip *, unsigned int, int);
    int base;
};
extern int bank_add_pins(struct gpio_chip *chip, void *data);
extern void *bank_pins_data(struct gpio_chip *chip);
extern int bank_set_interrupt(unsigned int irq, const struct irq_chip *chip, void *data);
extern void *bank_interrupt_data(struct irq_data *data);

struct bank { struct gpio_chip pins; spinlock_t lock; u32 copy; };

static void bank_set(struct gpio_chip *chip, unsigned int pin, int value)
{
    struct bank *bank = bank_pins_data(chip);
    unsigned long flags;

    spin_lock_irqsave(&bank->lock, flags);
    bank->copy = value ? bank->copy | 1u << (pin & 31) : bank->copy & ~(1u << (pin & 31));
    spin_unlock_irqrestore(&bank->lock, flags);
}

static void bank_mask(struct irq_data *data)
{
    struct bank *bank = bank_interrupt_data(data);
    unsigned long flags;

    spin_lock_irqsave(&bank->lock, flags);
    bank->copy &= 0xffff;
    spin_unlock_irqrestore(&bank->lock, flags);
}

static const struct irq_chip bank_chip = { .name = "bank", .irq_mask = bank_mask };

static int bank_probe(struct platform_device *pdev)
{
    struct bank *bank = devm_kzalloc(&pdev->dev, sizeof(*bank), GFP_KERNEL);
    int irq = platform_get_irq(pdev, 0), error;

    if (!bank)
        return -ENOMEM;
    if (irq < 0)
        return irq;
    spin_lock_init(&bank->lock);
    bank->pins.set = bank_set;
    error = bank_set_interrupt((unsigned int)irq, &bank_chip, bank);
    if (error)
        return error;
    return bank_add_pins(&bank->pins, bank);
}

static struct platform_driver bank_driver = { .probe = bank_probe, .driver = { .name = "bank" } };

int init_module(void)
{
    return platform_driver_register(&bank_driver);
}

void cleanup_module(void)
{
    platform_driver_unregister(&bank_driver);
}
