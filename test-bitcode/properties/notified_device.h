// Of notified_device_holds.c and notified_device_fails.c: a notifier that makes a network device.
#include "../drivers/net.h"

struct notifier_block {
    int (*notifier_call)(struct notifier_block *block, unsigned long event, void *data);
    struct notifier_block *next;
    int priority;
};
struct packet_type {
    unsigned short type;
    int (*func)(struct sk_buff *buffer, struct net_device *device, struct packet_type *type, struct net_device *first);
};
extern void rtnl_lock(void);
extern void rtnl_unlock(void);
extern int register_netdevice_notifier(struct notifier_block *block);
extern int unregister_netdevice_notifier(struct notifier_block *block);
extern void dev_add_pack(struct packet_type *type);
extern void dev_remove_pack(struct packet_type *type);
extern struct net_device *alloc_netdev_mqs(int size, const char *name, unsigned char assigned, void (*setup)(struct net_device *),
                                           unsigned int tx, unsigned int rx);
extern int register_netdevice(struct net_device *device);
extern void unregister_netdevice_queue(struct net_device *device, struct list_head *list);
extern void free_netdev(struct net_device *device);

#define NETDEV_UP 1

static struct net_device *demo;

static int demo_packet(struct sk_buff *buffer, struct net_device *device, struct packet_type *type, struct net_device *first);

static struct packet_type demo_type = { .type = 1, .func = demo_packet };

static int demo_open(struct net_device *device)
{
    device->opened++;
    return 0;
}

static int demo_stop(struct net_device *device)
{
    device->opened--;
    return 0;
}

static int demo_mtu(struct net_device *device, int mtu)
{
    device->mtu = mtu;
    return 0;
}

static const struct net_device_ops demo_ops = { .ndo_open = demo_open, .ndo_stop = demo_stop, .ndo_change_mtu = demo_mtu };

static void demo_setup(struct net_device *device)
{
    device->netdev_ops = &demo_ops;
}

static int demo_event(struct notifier_block *block, unsigned long event, void *data)
{
    struct net_device *made;
    if (event != NETDEV_UP || demo)
        return 0;
    made = alloc_netdev_mqs(0, "demo%d", 0, demo_setup, 1, 1);
    if (!made)
        return 0;
    if (register_netdevice(made)) {
        free_netdev(made);
        return 0;
    }
    demo = made;
    return 0;
}

static struct notifier_block demo_notifier = { .notifier_call = demo_event };

static int demo_init(void)
{
    dev_add_pack(&demo_type);
    return register_netdevice_notifier(&demo_notifier);
}
