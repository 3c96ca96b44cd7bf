// irkiss: --property uaf ; forms: nopass ; expect: uaf ; lazy: yes
//
// A probe that fails frees what the timer runs with that it has started.
#include "../drivers/part_linux.h"

struct poller { struct timer_list timer; int polls; };

static void poll(struct timer_list *timer)
{
	struct poller *poller = container_of(timer, struct poller, timer);

	poller->polls++; // FREED
}

static irqreturn_t poller_interrupt(int irq, void *data)
{
	return IRQ_HANDLED;
}

static int poller_probe(struct platform_device *pdev)
{
	struct poller *poller = kmalloc(sizeof(*poller), GFP_KERNEL);
	int err;

	if (!poller)
		return -ENOMEM;
	poller->polls = 0;
	timer_setup(&poller->timer, poll, 0);
	mod_timer(&poller->timer, 10);
	err = request_irq(5, poller_interrupt, 0, "poller", poller);
	if (err) {
		kfree(poller);
		return err;
	}
	platform_set_drvdata(pdev, poller);
	return 0;
}

static int poller_remove(struct platform_device *pdev)
{
	struct poller *poller = platform_get_drvdata(pdev);

	free_irq(5, poller);
	del_timer_sync(&poller->timer);
	kfree(poller);
	return 0;
}

static struct platform_driver poller_driver = { .probe = poller_probe, .remove = poller_remove, .driver = { .name = "poller" } };

int init_module(void)
{
	return platform_driver_register(&poller_driver);
}

void cleanup_module(void)
{
	platform_driver_unregister(&poller_driver);
}
