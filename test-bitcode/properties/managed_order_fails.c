// irkiss: --property uaf ; expect: uaf
//
// The interrupt was asked for before the memory that its handler uses: devres frees the memory first. And nobody ends the work.
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

static struct platform_driver meter_driver = { .probe = meter_probe, .driver = { .name = "meter" } };

int init_module(void)
{
	return platform_driver_register(&meter_driver);
}

void cleanup_module(void)
{
	platform_driver_unregister(&meter_driver);
}
