// irkiss: --property removed ; forms: nopass ; expect: finds
//
// A network device that is unregistered is closed, but that leaves the interrupt: it reads the device after its removal.
#include "../drivers/part_linux.h"

struct net_device;
struct net_device_ops {
	int (*ndo_open)(struct net_device *device);
	int (*ndo_stop)(struct net_device *device);
};
struct net_device { char name[16]; const struct net_device_ops *netdev_ops; unsigned char *base; struct device dev; };
extern struct net_device *alloc_etherdev_mqs(int size, unsigned int transmit, unsigned int receive);
extern int register_netdev(struct net_device *device);
extern void unregister_netdev(struct net_device *device);
extern void free_netdev(struct net_device *device);
extern unsigned int readl(const volatile void *address);

static irqreturn_t card_interrupt(int irq, void *data)
{
	struct net_device *device = data;

	readl(device->base); // FINDS:use-after-removal
	return IRQ_HANDLED;
}

static int card_open(struct net_device *device)
{
	return request_irq(5, card_interrupt, 0, "card", device);
}

static int card_stop(struct net_device *device)
{
	device->base = NULL; // FINDS:use-after-removal
	return 0;
}

static const struct net_device_ops card_ops = { .ndo_open = card_open, .ndo_stop = card_stop };

static int card_probe(struct platform_device *pdev)
{
	struct net_device *device = alloc_etherdev_mqs(0, 1, 1);
	int error;

	if (!device)
		return -ENOMEM;
	device->netdev_ops = &card_ops;
	platform_set_drvdata(pdev, device);
	error = register_netdev(device);
	if (error)
		free_netdev(device);
	return error;
}

static int card_remove(struct platform_device *pdev)
{
	struct net_device *device = platform_get_drvdata(pdev);

	unregister_netdev(device);
	return 0;
}

static struct platform_driver card_driver = { .probe = card_probe, .remove = card_remove, .driver = { .name = "card" } };

int init_module(void)
{
	return platform_driver_register(&card_driver);
}

void cleanup_module(void)
{
	platform_driver_unregister(&card_driver);
}
