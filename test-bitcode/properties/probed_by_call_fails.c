// irkiss: --property uaf ; expect: uaf
//
// As probed_by_call_holds.c, but the interrupt was asked for before the memory that its handler uses, and nobody ends the work.
#include "../drivers/part_linux.h"

struct meter { struct work_struct work; int value; };
static struct meter *the_meter;

static irqreturn_t meter_irq(int irq, void *data)
{
	struct meter *meter = the_meter;

	if (!meter)
		return IRQ_NONE;
	meter->value++; // FREED
	return IRQ_HANDLED;
}

static void meter_work(struct work_struct *work)
{
	struct meter *meter = container_of(work, struct meter, work);

	meter->value = 0; // FREED
}

static int meter_probe(struct platform_device *pdev)
{
	struct meter *meter;
	int error = devm_request_irq(&pdev->dev, 7, meter_irq, 0, "meter", pdev);

	if (error)
		return error;
	meter = devm_kzalloc(&pdev->dev, sizeof(*meter), GFP_KERNEL);
	if (!meter)
		return -ENOMEM;
	INIT_WORK(&meter->work, meter_work);
	the_meter = meter;
	schedule_work(&meter->work);
	return 0;
}

extern int __platform_driver_probe(struct platform_driver *driver, int (*probe)(struct platform_device *), struct module *owner);

static struct platform_driver meter_driver = { .driver = { .name = "meter" }, .probe = meter_probe };

int init_module(void)
{
	return __platform_driver_probe(&meter_driver, meter_probe, THIS_MODULE);
}

void cleanup_module(void)
{
	platform_driver_unregister(&meter_driver);
}
