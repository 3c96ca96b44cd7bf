// irkiss: ; expect: none ; lazy: yes
//
// Who unregisters a CAN device waits for what is asked of it.
#include "part_linux.h"

struct net_device;
struct net_device_ops {
	int (*ndo_open)(struct net_device *dev);
	int (*ndo_stop)(struct net_device *dev);
};
struct net_device {
	char name[16];
	const struct net_device_ops *netdev_ops;
};
extern struct net_device *alloc_candev_mqs(int size, unsigned int echo, unsigned int txqs, unsigned int rxqs);
extern int register_candev(struct net_device *dev);
extern void unregister_candev(struct net_device *dev);

int opened;

static int can_open(struct net_device *dev)
{
	opened++; // NORACE
	return 0;
}

static int can_stop(struct net_device *dev)
{
	opened--; // NORACE
	return 0;
}

static const struct net_device_ops can_ops = { .ndo_open = can_open, .ndo_stop = can_stop };

static int can_probe(struct platform_device *pdev)
{
	struct net_device *dev = alloc_candev_mqs(0, 1, 1, 1);

	if (!dev)
		return -ENOMEM;
	dev->netdev_ops = &can_ops;
	platform_set_drvdata(pdev, dev);
	return register_candev(dev);
}

static int can_remove(struct platform_device *pdev)
{
	unregister_candev(platform_get_drvdata(pdev));
	opened = 0; // NORACE
	return 0;
}

static struct platform_driver can_driver = { .probe = can_probe, .remove = can_remove, .driver = { .name = "can" } };

int init_module(void)
{
	return platform_driver_register(&can_driver);
}

void cleanup_module(void)
{
	platform_driver_unregister(&can_driver);
}
