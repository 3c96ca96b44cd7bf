// irkiss: ; expect: none ; lazy: yes
//
// With the lock: handlers that run as the interrupt's controller allows, beside a file of the driver.
#include "part_linux.h"

extern int devm_request_any_context_irq(struct device *device, unsigned int irq, irq_handler_t handler, unsigned long flags,
					const char *name, void *data);

struct counter { spinlock_t lock; int events; struct miscdevice misc; };
static struct counter counter;

static irqreturn_t counter_interrupt(int irq, void *data)
{
	struct counter *counter = data;

	unsigned long flags;

	spin_lock_irqsave(&counter->lock, flags);
	counter->events++;
	spin_unlock_irqrestore(&counter->lock, flags);
	return IRQ_HANDLED;
}

static long counter_ioctl(struct file *file, unsigned int command, unsigned long argument)
{
	unsigned long flags;

	spin_lock_irqsave(&counter.lock, flags);
	counter.events = 0;
	spin_unlock_irqrestore(&counter.lock, flags);
	return 0;
}

static const struct file_operations counter_fops = { .owner = THIS_MODULE, .unlocked_ioctl = counter_ioctl };

static int counter_probe(struct platform_device *pdev)
{
	int error;

	spin_lock_init(&counter.lock);
	error = devm_request_any_context_irq(&pdev->dev, 5, counter_interrupt, 0, "counter", &counter);
	if (error < 0)
		return error;
	counter.misc.minor = MISC_DYNAMIC_MINOR;
	counter.misc.name = "counter";
	counter.misc.fops = &counter_fops;
	return misc_register(&counter.misc);
}

static struct platform_driver counter_driver = { .probe = counter_probe, .driver = { .name = "counter" } };

int init_module(void)
{
	return platform_driver_register(&counter_driver);
}
