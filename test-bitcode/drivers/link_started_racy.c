// irkiss: ; expect: race ; lazy: yes
//
// As link_started_safe.c, but ndo_open starts the link first, and ndo_stop stops it last.
#include "net.h"

struct phylink;
struct phylink_config {
    struct net_device *dev;
};
struct phylink_mac_ops {
    void (*mac_config)(struct phylink_config *, unsigned int mode, const void *state);
};
extern struct phylink *phylink_create(struct phylink_config *config, void *node, int interface, const struct phylink_mac_ops *ops);
extern void phylink_start(struct phylink *link), phylink_stop(struct phylink *link);

static struct phylink_config config;
static struct phylink *link;
int ring, modes;

static void demo_config(struct phylink_config *own, unsigned int mode, const void *state)
{
    ring = 0; // RACE
    modes++;
}
static const struct phylink_mac_ops link_ops = { .mac_config = demo_config };

static int demo_open(struct net_device *device)
{
    phylink_start(link);
    ring = 1; // RACE
    return 0;
}

static int demo_stop(struct net_device *device)
{
    ring = 2; // RACE
    phylink_stop(link);
    return 0;
}
static const struct net_device_ops demo_ops = { .ndo_open = demo_open, .ndo_stop = demo_stop };

static int demo_init(void)
{
    struct net_device *device = alloc_etherdev_mqs(0, 1, 1);

    if (!device)
        return -ENOMEM;
    device->netdev_ops = &demo_ops;
    config.dev = device;
    link = phylink_create(&config, NULL, 0, &link_ops);
    if ((unsigned long)link >= -4095ul)
        return -ENOMEM;
    return register_netdev(device);
}

module_init(demo_init)
