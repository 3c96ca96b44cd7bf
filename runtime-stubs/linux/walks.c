/* Calls for each object that the kernel knows, before the call returns: for none, or for one that is made up (see also numbers.c). What
 * runs on another processor while the caller waits runs in its place here; on several, on one. */
#include "irkiss_linux.h"

void __irkiss_irq_disable(void);
void __irkiss_irq_enable(void);

/* drivers/base/bus.c: bus_find_device; core.c: device_find_child: the first for which the function says so. */
static void *found(const void *data, int (*match)(void *, const void *))
{
    void *device = __irkiss_lazy(0, "device");
    if (__irkiss_nondet_bool() || !match(device, data))
        return NULL;
    return device;
}

void *bus_find_device(const void *, void *, const void *data, int (*match)(void *, const void *))
{
    return found(data, match);
}

void *class_find_device(const void *, const void *, const void *data, int (*match)(void *, const void *))
{
    return found(data, match);
}

void *driver_find_device(const void *, void *, const void *data, int (*match)(void *, const void *))
{
    return found(data, match);
}

void *device_find_child(void *, void *data, int (*match)(void *, const void *))
{
    return found(data, match);
}

/* net/core/dev.c: the walk ends with the first answer that is not 0. */
#define WALK(name) \
    int name(void *, int (*call)(void *, void *), void *data) \
    { \
        return __irkiss_nondet_bool() ? 0 : call(__irkiss_lazy(0, "net_device"), data); \
    }
WALK(netdev_walk_all_lower_dev)
WALK(netdev_walk_all_lower_dev_rcu)
WALK(netdev_walk_all_upper_dev_rcu)

/* net/mac80211/util.c. */
#define INTERFACES(name) \
    void name(void *, u32, void (*call)(void *, u8 *, void *), void *data) \
    { \
        if (__irkiss_nondet_bool()) \
            call(data, __irkiss_lazy(0, "address"), __irkiss_lazy(0, "ieee80211_vif")); \
    }
INTERFACES(ieee80211_iterate_interfaces)
INTERFACES(ieee80211_iterate_active_interfaces_mtx)

void ieee80211_iterate_stations_atomic(void *, void (*call)(void *, void *), void *data)
{
    if (__irkiss_nondet_bool())
        call(data, __irkiss_lazy(0, "ieee80211_sta"));
}

/* block/blk-mq-tag.c: the walk goes on while the function says so. */
void blk_mq_tagset_busy_iter(void *, _Bool (*call)(void *, void *), void *data)
{
    if (__irkiss_nondet_bool())
        (void)call(__irkiss_lazy(0, "request"), data);
}

/* kernel/smp.c: on another processor in an interrupt, here for one that waits. */
int smp_call_function_single(int, void (*call)(void *), void *data, int)
{
    if (__irkiss_nondet_bool())
        return -ENXIO;
    __irkiss_irq_disable();
    call(data);
    __irkiss_irq_enable();
    return 0;
}

void on_each_cpu_cond_mask(_Bool (*)(int, void *), void (*call)(void *), void *data, _Bool, const void *)
{
    __irkiss_irq_disable();
    call(data);
    __irkiss_irq_enable();
}

/* drivers/comedi/drivers.c: comedi_handle_events calls the subdevice's `cancel` where a command is over, in its caller's context. */
u64 __irkiss_offsetof__comedi_subdevice__cancel(void);

u32 comedi_handle_events(void *device, void *subdevice)
{
    u64 at = __irkiss_offsetof__comedi_subdevice__cancel();
    int (*cancel)(void *, void *);
    if (at != ~0ull && __irkiss_nondet_bool()) {
        cancel = *(int (*volatile *)(void *, void *))((char *)subdevice + at);
        if (cancel)
            (void)cancel(device, subdevice);
    }
    return __irkiss_nondet_u32();
}
