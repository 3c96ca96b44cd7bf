// irkiss: ; expect: none ; lazy: yes
//
// A link is configured only while it is started: not before ndo_open has started it, nor after ndo_stop has stopped it.
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
    ring = 0; // NORACE
    modes++;
}
static const struct phylink_mac_ops link_ops = { .mac_config = demo_config };

static int demo_open(struct net_device *device)
{
    ring = 1; // NORACE
    phylink_start(link);
    return 0;
}

static int demo_stop(struct net_device *device)
{
    phylink_stop(link);
    ring = 2; // NORACE
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
