/* Network devices (net/core/dev.c). The device itself is the kernel's: its fields are arbitrary but for what is written here; the
 * driver's part behind it is cleared. Where the members lie depends on the configuration: the debug info of the input says it.
 */
#include "irkiss_linux.h"

u64 __irkiss_sizeof__net_device(void);
u64 __irkiss_offsetof__net_device___tx(void);
u64 __irkiss_offsetof__net_device__num_tx_queues(void);
u64 __irkiss_offsetof__net_device__real_num_tx_queues(void);

/* NETDEV_ALIGN (include/linux/netdevice.h). */
#define ALIGNMENT 32ull

static void set_number(char *device, u64 at, unsigned int number)
{
    if (at != IRKISS_NO_OFFSET)
        *(unsigned int *)(device + at) = number;
}

/* Null or a device that nobody else knows. */
static void *device_of(u64 private, unsigned int queues)
{
    u64 size = (__irkiss_sizeof__net_device() + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    u64 at = __irkiss_offsetof__net_device___tx();
    char *device;

    if (__irkiss_nondet_bool())
        return NULL;
    /* As large as it need be where its size is not known. */
    device = __irkiss_lazy(size ? size + private : 0, "net_device");
    if (size)
        __builtin_memset(device + size, 0, private);
    set_number(device, __irkiss_offsetof__net_device__num_tx_queues(), queues);
    set_number(device, __irkiss_offsetof__net_device__real_num_tx_queues(), queues);
    /* netif_alloc_netdev_queues. */
    if (at != IRKISS_NO_OFFSET)
        *(void **)(device + at) = __irkiss_lazy(0, "netdev_queue");
    return device;
}

void *alloc_netdev_mqs(int private, const char *, unsigned char, void (*setup)(void *), unsigned int queues, unsigned int)
{
    void *device = device_of((u64)private, queues);
    if (device)
        setup(device);
    return device;
}

void *alloc_etherdev_mqs(int private, unsigned int queues, unsigned int)
{
    return device_of((u64)private, queues);
}

void *devm_alloc_etherdev_mqs(void *, int private, unsigned int queues, unsigned int)
{
    return device_of((u64)private, queues);
}

/* net/802/fddi.c, fc.c, hippi.c. */
void *alloc_fddidev(int private)
{
    return device_of((u64)private, 1);
}

void *alloc_fcdev(int private)
{
    return device_of((u64)private, 1);
}

void *alloc_hippi_dev(int private)
{
    return device_of((u64)private, 1);
}

/* drivers/net/can/dev/dev.c: the driver's part begins with a struct can_priv, which leads to the device and to the frames under way. */
u64 __irkiss_offsetof__can_priv__dev(void);
u64 __irkiss_offsetof__can_priv__echo_skb(void);
u64 __irkiss_offsetof__can_priv__echo_skb_max(void);

void *alloc_candev_mqs(int private, unsigned int frames, unsigned int queues, unsigned int)
{
    char *device = device_of((u64)private, queues), *own;
    u64 size = (__irkiss_sizeof__net_device() + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (!device || !size)
        return device;
    own = device + size;
    if (__irkiss_offsetof__can_priv__dev() != IRKISS_NO_OFFSET)
        *(void **)(own + __irkiss_offsetof__can_priv__dev()) = device;
    set_number(own, __irkiss_offsetof__can_priv__echo_skb_max(), frames);
    if (frames && __irkiss_offsetof__can_priv__echo_skb() != IRKISS_NO_OFFSET)
        *(void **)(own + __irkiss_offsetof__can_priv__echo_skb()) = __irkiss_alloc(frames * sizeof(void *), 1);
    return device;
}
