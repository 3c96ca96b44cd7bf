// irkiss: ; expect: race ; lazy: yes
//
// As link_told_safe.c, but the PHY is started first and stopped last.
#include "net.h"

struct phy_device;
extern int phy_connect_direct(struct net_device *device, struct phy_device *phy, void (*handler)(struct net_device *), int interface);
extern void phy_start(struct phy_device *phy), phy_stop(struct phy_device *phy);

static struct phy_device *phy;
int speed;

static void demo_link(struct net_device *device)
{
    speed++; // RACE
}

static int demo_open(struct net_device *device)
{
    phy_start(phy);
    speed = 10; // RACE
    return 0;
}

static int demo_stop(struct net_device *device)
{
    speed = 0; // RACE
    phy_stop(phy);
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
