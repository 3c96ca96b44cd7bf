// irkiss: ; expect: race ; lazy: yes
//
// Functions that the kernel calls for each of its objects before the call returns, and one that runs on another processor while the caller
// waits: what they do happens where they are called, here without the lock.
#include "part_linux.h"

struct ieee80211_hw;
struct ieee80211_vif;
struct ieee80211_sta;
struct net_device;
struct request;
struct blk_mq_tag_set;
extern struct device *bus_find_device(const void *bus, struct device *start, const void *data, int (*match)(struct device *, const void *));
extern int netdev_walk_all_lower_dev(struct net_device *dev, int (*fn)(struct net_device *, void *), void *priv);
extern void ieee80211_iterate_stations_atomic(struct ieee80211_hw *hw, void (*call)(void *, struct ieee80211_sta *), void *data);
extern void ieee80211_iterate_interfaces(struct ieee80211_hw *hw, u32 flags, void (*call)(void *, u8 *, struct ieee80211_vif *), void *data);
extern void blk_mq_tagset_busy_iter(struct blk_mq_tag_set *tags, bool (*call)(struct request *, void *), void *data);
extern int smp_call_function_single(int cpu, void (*call)(void *), void *data, int wait);

struct part {
    struct mutex lock;
    int devices, lower, stations, interfaces, requests, calls;
};
static struct part part;

static int is_it(struct device *dev, const void *data)
{
    part.devices++; // RACE
    return 1;
}

static int count_lower(struct net_device *dev, void *priv)
{
    struct part *own = priv;

    own->lower++; // RACE
    return 0;
}

static void count_station(void *data, struct ieee80211_sta *sta)
{
    struct part *own = data;

    own->stations++; // RACE
}

static void count_interface(void *data, u8 *mac, struct ieee80211_vif *vif)
{
    struct part *own = data;

    own->interfaces++; // RACE
}

static bool count_request(struct request *request, void *data)
{
    struct part *own = data;

    own->requests++; // RACE
    return true;
}

static void called(void *data)
{
    struct part *own = data;

    own->calls++; // RACE
}

static ssize_t part_show(struct device *dev, struct device_attribute *attr, char *buf)
{
    bus_find_device(NULL, NULL, NULL, is_it);
    netdev_walk_all_lower_dev(NULL, count_lower, &part);
    ieee80211_iterate_stations_atomic(NULL, count_station, &part);
    ieee80211_iterate_interfaces(NULL, 0, count_interface, &part);
    blk_mq_tagset_busy_iter(NULL, count_request, &part);
    smp_call_function_single(1, called, &part, 1);
    return 0;
}

static ssize_t part_store(struct device *dev, struct device_attribute *attr, const char *buf, size_t count)
{
    mutex_lock(&part.lock);
    part.devices = 0; // RACE
    part.lower = 0; // RACE
    part.stations = 0; // RACE
    part.interfaces = 0; // RACE
    part.requests = 0; // RACE
    part.calls = 0; // RACE
    mutex_unlock(&part.lock);
    return count;
}

static struct device_attribute dev_attr_part = { { "part", 0644 }, part_show, part_store };
extern int device_create_file(struct device *dev, const struct device_attribute *attr);
extern void device_remove_file(struct device *dev, const struct device_attribute *attr);

static int part_probe(struct platform_device *pdev)
{
    mutex_init(&part.lock);
    return device_create_file(&pdev->dev, &dev_attr_part);
}

static int part_remove(struct platform_device *pdev)
{
    device_remove_file(&pdev->dev, &dev_attr_part);
    return 0;
}

static struct platform_driver part_driver = { .probe = part_probe, .remove = part_remove, .driver = { .name = "part" } };

int init_module(void)
{
    return platform_driver_register(&part_driver);
}

void cleanup_module(void)
{
    platform_driver_unregister(&part_driver);
}
