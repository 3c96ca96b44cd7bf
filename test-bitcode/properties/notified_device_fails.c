// irkiss: --property removed --pair demo_packet,demo_exit ; forms: nopass ; expect: finds ; lazy: yes
//
// As notified_device_holds.c, but nobody takes back what receives packets.
#include "notified_device.h"

static int demo_packet(struct sk_buff *buffer, struct net_device *device, struct packet_type *type, struct net_device *first)
{
    return device->mtu > buffer->len; // FINDS:use-after-removal
}

static void demo_exit(void)
{
    unregister_netdevice_notifier(&demo_notifier); // FINDS:use-after-removal
}

module_init(demo_init)
module_exit(demo_exit)
