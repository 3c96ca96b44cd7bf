// PCI devices and runtime power management: the little of the kernel's interface that the drivers here use (layouts shortened).
#ifndef PCI_H
#define PCI_H

#include "kernel.h"

typedef struct {
    int counter;
} atomic_t;
enum rpm_status { RPM_ACTIVE = 0, RPM_RESUMING, RPM_SUSPENDED, RPM_SUSPENDING };
struct dev_pm_info {
    atomic_t usage_count;
    unsigned int disable_depth : 3;
    unsigned int idle_notification : 1;
    unsigned int driver_flags;
    enum rpm_status runtime_status;
};
struct device {
    struct device *parent;
    void *driver_data;
    struct dev_pm_info power;
};
struct pci_dev {
    unsigned int vendor;
    struct device dev;
};
struct pci_device_id;
struct dev_pm_ops {
    int (*suspend)(struct device *);
    int (*resume)(struct device *);
    int (*runtime_suspend)(struct device *);
    int (*runtime_resume)(struct device *);
    int (*runtime_idle)(struct device *);
};
struct device_driver {
    const char *name;
    const struct dev_pm_ops *pm;
};
struct pci_driver {
    const char *name;
    int (*probe)(struct pci_dev *, const struct pci_device_id *);
    void (*remove)(struct pci_dev *);
    struct device_driver driver;
};
extern int __pci_register_driver(struct pci_driver *driver, void *module, const char *name);
extern void pci_unregister_driver(struct pci_driver *driver);

// Attributes in sysfs.
struct attribute {
    const char *name;
    unsigned short mode;
};
struct device_attribute {
    struct attribute attr;
    ssize_t (*show)(struct device *, struct device_attribute *, char *);
    ssize_t (*store)(struct device *, struct device_attribute *, const char *, size_t);
};
extern int device_create_file(struct device *device, const struct device_attribute *attribute);

// Network devices.
struct net_device;
struct ethtool_wolinfo {
    unsigned int wolopts;
};
struct ethtool_ops {
    int (*set_wol)(struct net_device *, struct ethtool_wolinfo *);
    unsigned int (*get_link)(struct net_device *);
};
struct net_device_ops {
    int (*ndo_open)(struct net_device *);
    int (*ndo_stop)(struct net_device *);
    int (*ndo_set_features)(struct net_device *, unsigned long long);
};
struct net_device {
    const struct net_device_ops *netdev_ops;
    const struct ethtool_ops *ethtool_ops;
    struct device dev;
};
extern struct net_device *alloc_etherdev_mqs(int size, unsigned int tx, unsigned int rx);
extern int register_netdev(struct net_device *device);
extern void dev_close(struct net_device *device);

extern int __pm_runtime_resume(struct device *device, int flags);
extern int __pm_runtime_idle(struct device *device, int flags);
extern int __pm_runtime_suspend(struct device *device, int flags);
#define RPM_ASYNC 1
#define RPM_GET_PUT 4
#define RPM_AUTO 8
static inline int pm_runtime_get_sync(struct device *device)
{
    return __pm_runtime_resume(device, RPM_GET_PUT);
}
static inline int pm_runtime_get(struct device *device)
{
    return __pm_runtime_resume(device, RPM_GET_PUT | RPM_ASYNC);
}
static inline int pm_runtime_put_sync(struct device *device)
{
    return __pm_runtime_idle(device, RPM_GET_PUT);
}
static inline int pm_runtime_put_autosuspend(struct device *device)
{
    return __pm_runtime_suspend(device, RPM_GET_PUT | RPM_ASYNC | RPM_AUTO);
}
static inline void pm_runtime_get_noresume(struct device *device)
{
    __atomic_fetch_add(&device->power.usage_count.counter, 1, __ATOMIC_RELAXED);
}
static inline void pm_runtime_put_noidle(struct device *device)
{
    __atomic_fetch_sub(&device->power.usage_count.counter, 1, __ATOMIC_RELAXED);
}
static inline int pm_runtime_active(struct device *device)
{
    return device->power.runtime_status == RPM_ACTIVE || device->power.disable_depth;
}
static inline void dev_pm_set_driver_flags(struct device *device, unsigned int flags)
{
    device->power.driver_flags = flags;
}

#define PCI_MODULE(driver) \
    static int demo_init(void) \
    { \
        return __pci_register_driver(&driver, THIS_MODULE, "demo"); \
    } \
    static void demo_exit(void) \
    { \
        pci_unregister_driver(&driver); \
    } \
    module_init(demo_init) module_exit(demo_exit)

#endif
