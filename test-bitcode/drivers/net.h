// Network and USB devices: the little of the kernel's interface that the drivers here use (layouts shortened).
#ifndef NET_H
#define NET_H

#include "kernel.h"

struct sk_buff {
    unsigned int len;
    void *data;
};
struct net_device;
struct net_device_ops {
    int (*ndo_open)(struct net_device *);
    int (*ndo_stop)(struct net_device *);
    int (*ndo_start_xmit)(struct sk_buff *, struct net_device *);
    int (*ndo_change_mtu)(struct net_device *, int);
    void (*ndo_set_rx_mode)(struct net_device *);
    void (*ndo_tx_timeout)(struct net_device *, unsigned int);
};
struct netdev_queue {
    long state;
    spinlock_t _xmit_lock;
};
#define NETIF_F_LLTX 0x1000ull
struct net_device {
    const struct net_device_ops *netdev_ops;
    unsigned int mtu;
    long opened, sent;
    struct netdev_queue *_tx;
    unsigned long long features;
    spinlock_t addr_list_lock;
};
extern struct net_device *alloc_etherdev_mqs(int size, unsigned int tx, unsigned int rx);
extern int register_netdev(struct net_device *device);

struct device {
    struct device *parent;
    void *driver_data;
};
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
#define DEVICE_ATTR(name, mode, show, store) struct device_attribute dev_attr_##name = { { #name, mode }, show, store }
struct attribute_group {
    const char *name;
    void *is_visible, *is_bin_visible;
    struct attribute **attrs;
};
extern int device_create_file(struct device *device, const struct device_attribute *attribute);
extern void device_remove_file(struct device *device, const struct device_attribute *attribute);
extern int sysfs_create_group(void *kobject, const struct attribute_group *group);
extern void sysfs_remove_group(void *kobject, const struct attribute_group *group);

struct usb_device {
    int devnum;
    struct device dev;
};
struct usb_interface {
    void *cur_altsetting;
    struct device dev;
};
struct usb_device_id;
typedef struct {
    int event;
} pm_message_t;
struct usb_driver {
    const char *name;
    int (*probe)(struct usb_interface *, const struct usb_device_id *);
    void (*disconnect)(struct usb_interface *);
    int (*suspend)(struct usb_interface *, pm_message_t);
    int (*resume)(struct usb_interface *);
    const struct attribute_group **dev_groups;
    unsigned int no_dynamic_id : 1;
    unsigned int supports_autosuspend : 1;
};
struct urb {
    int status;
    unsigned int actual_length;
    void *context;
    void (*complete)(struct urb *);
};
extern struct urb *usb_alloc_urb(int packets, unsigned int flags);
extern int usb_submit_urb(struct urb *urb, unsigned int flags);
extern void usb_kill_urb(struct urb *urb);
extern int usb_unlink_urb(struct urb *urb);
extern int usb_register_driver(struct usb_driver *driver, struct module *owner, const char *name);
extern void usb_deregister(struct usb_driver *driver);
#endif
