// irkiss: ; expect: none ; lazy: yes
//
// In the last step of going to sleep, and the first of waking up, the interrupts of devices are off.
#include "part_linux.h"

struct dev_pm_ops {
	int (*suspend_noirq)(struct device *dev);
	int (*resume_noirq)(struct device *dev);
};
int state;

static irqreturn_t demo_irq(int irq, void *data)
{
	state++; // NORACE
	return 1;
}

static int demo_suspend(struct device *dev)
{
	state = 0; // NORACE
	return 0;
}

static int demo_resume(struct device *dev)
{
	state = 1; // NORACE
	return 0;
}

const struct dev_pm_ops demo_pm = { .suspend_noirq = demo_suspend, .resume_noirq = demo_resume };

// As an inline function of a header hands the flags on.
static int demo_request(struct device *dev, unsigned int irq, unsigned long flags)
{
	return devm_request_threaded_irq(dev, irq, demo_irq, NULL, flags | 0x80, "demo", NULL);
}

static int demo_probe(struct platform_device *pdev)
{
	return demo_request(&pdev->dev, 7, 0x4);
}

static struct platform_driver demo_driver = { .probe = demo_probe, .driver = { .name = "demo" } };

int init_module(void)
{
	return platform_driver_register(&demo_driver);
}

void cleanup_module(void)
{
	platform_driver_unregister(&demo_driver);
}
