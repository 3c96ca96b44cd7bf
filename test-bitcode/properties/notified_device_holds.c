// irkiss: --property removed,uaf ; forms: nopass ; expect: none ; lazy: yes
//
// A device that a notifier makes is there once it was registered. Where that was refused nobody calls its functions: it is freed. What
// receives packets is given the device that they came by, not this one.
#include "notified_device.h"

static int demo_packet(struct sk_buff *buffer, struct net_device *device, struct packet_type *type, struct net_device *first)
{
    return device->mtu > buffer->len;
}

static void demo_exit(void)
{
    dev_remove_pack(&demo_type);
    unregister_netdevice_notifier(&demo_notifier);
    rtnl_lock();
    if (demo)
        unregister_netdevice_queue(demo, NULL);
    rtnl_unlock();
}

module_init(demo_init)
module_exit(demo_exit)
