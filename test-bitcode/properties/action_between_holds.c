// irkiss: --property uaf ; expect: none
//
// The work is cancelled by an action of devres after the interrupt that queues it has been given back.
#include "../drivers/part_linux.h"

static inline int devm_add_action_or_reset(struct device *dev, void (*action)(void *), void *data)
{
	int error = __devm_add_action(dev, action, data, "action");

	if (error)
		action(data);
	return error;
}

struct counter {
	struct work_struct work;
	int count;
};

static void counter_work(struct work_struct *work)
{
	struct counter *counter = container_of(work, struct counter, work);

	counter->count++;
}

static irqreturn_t counter_interrupt(int irq, void *data)
{
	struct counter *counter = data;

	schedule_work(&counter->work);
	return IRQ_HANDLED;
}

static void counter_cancel(void *data)
{
	struct counter *counter = data;

	cancel_work_sync(&counter->work);
}

static int counter_probe(struct platform_device *pdev)
{
	struct counter *counter = devm_kzalloc(&pdev->dev, sizeof(*counter), GFP_KERNEL);
	int error;

	if (!counter)
		return -ENOMEM;
	INIT_WORK(&counter->work, counter_work);
	error = devm_add_action_or_reset(&pdev->dev, counter_cancel, counter);
	if (error)
		return error;
	return devm_request_irq(&pdev->dev, 7, counter_interrupt, 0, "counter", counter);
}

static struct platform_driver counter_driver = { .probe = counter_probe, .driver = { .name = "counter" } };

int init_module(void)
{
	return platform_driver_register(&counter_driver);
}

void cleanup_module(void)
{
	platform_driver_unregister(&counter_driver);
}
