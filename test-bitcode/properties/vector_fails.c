// irkiss: --property uaf ; expect: uaf
//
// The memory goes before the interrupt of the PCI device is given back.
#include "../drivers/part_linux.h"

struct pci_dev { struct device dev; };
struct pci_driver {
	const char *name;
	int (*probe)(struct pci_dev *pdev, const void *id);
	void (*remove)(struct pci_dev *pdev);
};
extern int __pci_register_driver(struct pci_driver *driver, struct module *owner, const char *name);
extern void pci_unregister_driver(struct pci_driver *driver);
extern int pci_request_irq(struct pci_dev *dev, unsigned int nr, irqreturn_t (*handler)(int, void *),
			   irqreturn_t (*thread)(int, void *), void *dev_id, const char *fmt, ...);
extern void pci_free_irq(struct pci_dev *dev, unsigned int nr, void *dev_id);

struct card { int count; };

static irqreturn_t card_interrupt(int irq, void *data)
{
	struct card *card = data;

	card->count++; // FREED
	return IRQ_HANDLED;
}

static int card_probe(struct pci_dev *pdev, const void *id)
{
	struct card *card = kzalloc(sizeof(*card), GFP_KERNEL);
	int error;

	if (!card)
		return -ENOMEM;
	error = pci_request_irq(pdev, 0, card_interrupt, 0, card, "card");
	if (error) {
		kfree(card);
		return error;
	}
	dev_set_drvdata(&pdev->dev, card);
	return 0;
}

static void card_remove(struct pci_dev *pdev)
{
	struct card *card = dev_get_drvdata(&pdev->dev);

	kfree(card);
	pci_free_irq(pdev, 0, card);
}

static struct pci_driver card_driver = { .name = "card", .probe = card_probe, .remove = card_remove };

int init_module(void)
{
	return __pci_register_driver(&card_driver, &__this_module, "card");
}

void cleanup_module(void)
{
	pci_unregister_driver(&card_driver);
}
