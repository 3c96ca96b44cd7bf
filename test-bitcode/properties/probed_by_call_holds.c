// irkiss: --property uaf,removed ; expect: none
//
// As managed_order_holds.c, but the probe is handed over with the driver, which is one driver for all that: devres ends what it has begun.
#include "../drivers/part_linux.h"

struct meter { struct work_struct work; int value; };
static struct meter *the_meter;

static irqreturn_t meter_irq(int irq, void *data)
{
	struct meter *meter = the_meter;

	if (!meter)
		return IRQ_NONE;
	meter->value++;
	return IRQ_HANDLED;
}

static void meter_work(struct work_struct *work)
{
	struct meter *meter = container_of(work, struct meter, work);

	meter->value = 0;
}

static void meter_end(void *data)
{
	cancel_work_sync(data);
}

static int meter_probe(struct platform_device *pdev)
{
	struct meter *meter;
	int error;

	meter = devm_kzalloc(&pdev->dev, sizeof(*meter), GFP_KERNEL);
	if (!meter)
		return -ENOMEM;
	INIT_WORK(&meter->work, meter_work);
	the_meter = meter;
	error = __devm_add_action(&pdev->dev, meter_end, &meter->work, "meter_end");
	if (error)
		return error;
	schedule_work(&meter->work);
	return devm_request_irq(&pdev->dev, 7, meter_irq, 0, "meter", pdev);
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
