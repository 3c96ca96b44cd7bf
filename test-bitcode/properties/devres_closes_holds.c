// irkiss: --property removed ; forms: nopass ; expect: none ; lazy: yes
//
// As devres_closes_fails.c, but ndo_stop frees the interrupt: a network device that devres unregisters (net/devres.c: devm_register_netdev) is
// closed.
#include "../drivers/part_linux.h"

struct net_device;
struct net_device_ops {
	int (*ndo_open)(struct net_device *device);
	int (*ndo_stop)(struct net_device *device);
};
struct net_device { char name[16]; const struct net_device_ops *netdev_ops; unsigned char *base; struct device dev; };
extern struct net_device *devm_alloc_etherdev_mqs(struct device *parent, int size, unsigned int transmit, unsigned int receive);
extern int devm_register_netdev(struct device *parent, struct net_device *device);
extern unsigned int readl(const volatile void *address);

static irqreturn_t card_interrupt(int irq, void *data)
{
	struct net_device *device = data;

	readl(device->base);
	return IRQ_HANDLED;
}

static int card_open(struct net_device *device)
{
	return request_irq(5, card_interrupt, 0, "card", device);
}

static int card_stop(struct net_device *device)
{
	free_irq(5, device);
	return 0;
}

static const struct net_device_ops card_ops = { .ndo_open = card_open, .ndo_stop = card_stop };

static int card_probe(struct platform_device *pdev)
{
	struct net_device *device = devm_alloc_etherdev_mqs(&pdev->dev, 0, 1, 1);

	if (!device)
		return -ENOMEM;
	device->netdev_ops = &card_ops;
	return devm_register_netdev(&pdev->dev, device);
}

static struct platform_driver card_driver = { .probe = card_probe, .driver = { .name = "card" } };

int init_module(void)
{
	return platform_driver_register(&card_driver);
}

void cleanup_module(void)
{
	platform_driver_unregister(&card_driver);
}
