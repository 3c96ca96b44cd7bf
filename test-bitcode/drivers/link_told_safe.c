// irkiss: ; expect: none ; lazy: yes
//
// What a PHY tells of its link comes after phy_start and before phy_stop has returned.
#include "net.h"

struct phy_device;
extern int phy_connect_direct(struct net_device *device, struct phy_device *phy, void (*handler)(struct net_device *), int interface);
extern void phy_start(struct phy_device *phy), phy_stop(struct phy_device *phy);

static struct phy_device *phy;
int speed;

static void demo_link(struct net_device *device)
{
    speed++; // NORACE
}

static int demo_open(struct net_device *device)
{
    speed = 10; // NORACE
    phy_start(phy);
    return 0;
}

static int demo_stop(struct net_device *device)
{
    phy_stop(phy);
    speed = 0; // NORACE
    return 0;
}
static const struct net_device_ops demo_ops = { .ndo_open = demo_open, .ndo_stop = demo_stop };

static int demo_init(void)
{
    struct net_device *device = alloc_etherdev_mqs(0, 1, 1);
    int error;

    if (!device)
        return -ENOMEM;
    device->netdev_ops = &demo_ops;
    error = phy_connect_direct(device, phy, demo_link, 0);
    if (error)
        return error;
    return register_netdev(device);
}

module_init(demo_init)
