// irkiss: --property uaf ; expect: uaf
//
// The other interrupt of the device is given back: the line that was requested goes on to start the work.
#include "part_linux.h"

struct chip {
	struct work_struct work;
	int events;
};

static void chip_work(struct work_struct *work)
{
	struct chip *chip = container_of(work, struct chip, work);

	chip->events++; // FREED
}

static irqreturn_t chip_interrupt(int irq, void *data)
{
	struct chip *chip = data;

	schedule_work(&chip->work); // FREED
	return IRQ_HANDLED;
}

static int chip_probe(struct platform_device *pdev)
{
	struct chip *chip = kzalloc(sizeof(*chip), GFP_KERNEL);
	int error;

	if (!chip)
		return -ENOMEM;
	INIT_WORK(&chip->work, chip_work);
	platform_set_drvdata(pdev, chip);
	error = request_irq(platform_get_irq(pdev, 0), chip_interrupt, 0, "chip", chip);
	if (error)
		kfree(chip);
	return error;
}

static int chip_remove(struct platform_device *pdev)
{
	struct chip *chip = platform_get_drvdata(pdev);

	free_irq(platform_get_irq(pdev, 1), chip);
	cancel_work_sync(&chip->work);
	kfree(chip);
	return 0;
}

static struct platform_driver chip_driver = { .probe = chip_probe, .remove = chip_remove, .driver = { .name = "chip" } };

int init_module(void)
{
	return platform_driver_register(&chip_driver);
}

void cleanup_module(void)
{
	platform_driver_unregister(&chip_driver);
}
