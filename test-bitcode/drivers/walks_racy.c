// irkiss: ; expect: race ; forms: nopass ; lazy: yes
//
// Functions that the kernel calls for each of its objects before the call returns, and that run on another processor while the caller waits:
// what they do happens where they are called. Here that is without the lock.
#include "part_linux.h"

struct ieee80211_hw;
struct ieee80211_vif;
struct ieee80211_sta;
struct net_device;
struct request;
extern struct device *bus_find_device(const void *bus, struct device *start, const void *data, int (*match)(struct device *, const void *));
extern struct device *class_find_device(const void *class, const struct device *start, const void *data, int (*match)(struct device *, const void *));
extern struct device *driver_find_device(void *driver, struct device *start, const void *data, int (*match)(struct device *, const void *));
extern struct device *device_find_child(struct device *parent, void *data, int (*match)(struct device *, const void *));
extern int netdev_walk_all_lower_dev(struct net_device *dev, int (*call)(struct net_device *, void *), void *priv);
extern int netdev_walk_all_lower_dev_rcu(struct net_device *dev, int (*call)(struct net_device *, void *), void *priv);
extern int netdev_walk_all_upper_dev_rcu(struct net_device *dev, int (*call)(struct net_device *, void *), void *priv);
extern void ieee80211_iterate_interfaces(struct ieee80211_hw *hw, u32 flags, void (*call)(void *, u8 *, struct ieee80211_vif *), void *data);
extern void ieee80211_iterate_active_interfaces_mtx(struct ieee80211_hw *hw, u32 flags, void (*call)(void *, u8 *, struct ieee80211_vif *), void *data);
extern void ieee80211_iterate_stations_atomic(struct ieee80211_hw *hw, void (*call)(void *, struct ieee80211_sta *), void *data);
extern void blk_mq_tagset_busy_iter(void *tags, bool (*call)(struct request *, void *), void *data);
extern int smp_call_function_single(int cpu, void (*call)(void *), void *data, int wait);
extern void on_each_cpu_cond_mask(bool (*asked)(int, void *), void (*call)(void *), void *data, bool wait, const void *mask);

struct part {
    struct mutex lock;
    int seen[13];
};
static struct part part;

static int is_it0(struct device *dev, const void *data)
{
    part.seen[0]++; // RACE
    return 1;
}

static int is_it1(struct device *dev, const void *data)
{
    part.seen[1]++; // RACE
    return 1;
}

static int is_it2(struct device *dev, const void *data)
{
    part.seen[2]++; // RACE
    return 1;
}

static int is_it3(struct device *dev, const void *data)
{
    part.seen[3]++; // RACE
    return 1;
}

static int lower4(struct net_device *dev, void *priv)
{
    part.seen[4]++; // RACE
    return 0;
}

static int lower5(struct net_device *dev, void *priv)
{
    part.seen[5]++; // RACE
    return 0;
}

static int lower6(struct net_device *dev, void *priv)
{
    part.seen[6]++; // RACE
    return 0;
}

static void interface7(void *data, u8 *mac, struct ieee80211_vif *vif)
{
    part.seen[7]++; // RACE
}

static void interface8(void *data, u8 *mac, struct ieee80211_vif *vif)
{
    part.seen[8]++; // RACE
}

static void station9(void *data, struct ieee80211_sta *sta)
{
    part.seen[9]++; // RACE
}

static bool request10(struct request *request, void *data)
{
    part.seen[10]++; // RACE
    return true;
}

static void called11(void *data)
{
    part.seen[11]++; // RACE
}

static void called12(void *data)
{
    part.seen[12]++; // RACE
}

static ssize_t part_show(struct device *dev, struct device_attribute *attr, char *buf)
{
    ssize_t said = 0;

    bus_find_device(NULL, NULL, NULL, is_it0);
    class_find_device(NULL, NULL, NULL, is_it1);
    driver_find_device(NULL, NULL, NULL, is_it2);
    device_find_child(NULL, NULL, is_it3);
    netdev_walk_all_lower_dev(NULL, lower4, &part);
    netdev_walk_all_lower_dev_rcu(NULL, lower5, &part);
    netdev_walk_all_upper_dev_rcu(NULL, lower6, &part);
    ieee80211_iterate_interfaces(NULL, 0, interface7, &part);
    ieee80211_iterate_active_interfaces_mtx(NULL, 0, interface8, &part);
    ieee80211_iterate_stations_atomic(NULL, station9, &part);
    blk_mq_tagset_busy_iter(NULL, request10, &part);
    smp_call_function_single(1, called11, &part, 1);
    on_each_cpu_cond_mask(NULL, called12, &part, true, NULL);
    return said;
}

static ssize_t part_store(struct device *dev, struct device_attribute *attr, const char *buf, size_t count)
{
    mutex_lock(&part.lock);
    part.seen[0] = 0; // RACE
    part.seen[1] = 0; // RACE
    part.seen[2] = 0; // RACE
    part.seen[3] = 0; // RACE
    part.seen[4] = 0; // RACE
    part.seen[5] = 0; // RACE
    part.seen[6] = 0; // RACE
    part.seen[7] = 0; // RACE
    part.seen[8] = 0; // RACE
    part.seen[9] = 0; // RACE
    part.seen[10] = 0; // RACE
    part.seen[11] = 0; // RACE
    part.seen[12] = 0; // RACE
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
