// irkiss: ; expect: assert ; lazy: yes
//
// What must be able to happen: functions that are called back before the call returns, objects as large as their cache says,
// answers that the default does not give. Each is told apart by a bit.
#include <irkiss.h>

#include "kernel.h"

struct device;
extern int bus_for_each_dev(const void *, void *, void *, int (*)(struct device *, void *));
extern int class_for_each_device(const void *, void *, void *, int (*)(struct device *, void *));
extern int driver_for_each_device(void *, void *, void *, int (*)(struct device *, void *));
extern int device_for_each_child(void *, void *, int (*)(struct device *, void *));
extern int usb_for_each_dev(void *, int (*)(struct device *, void *));
extern void ieee80211_iterate_active_interfaces_atomic(void *, unsigned int, void (*)(void *, unsigned char *, void *), void *);
extern void *kmem_cache_create(const char *, unsigned int, unsigned int, unsigned int, void *);
extern void *kmem_cache_alloc(void *, unsigned int);
extern int virtqueue_add_inbuf(void *, void *, unsigned int, void *, unsigned int);
extern int virtqueue_add_outbuf(void *, void *, unsigned int, void *, unsigned int);
extern int virtqueue_add_sgs(void *, void **, unsigned int, unsigned int, void *, unsigned int);
extern void *virtqueue_get_buf(void *, unsigned int *);

struct virtio_device;
struct virtio_config_ops {
    void (*get)(struct virtio_device *, unsigned int, void *, unsigned int);
};
struct virtio_device {
    int index;
    const struct virtio_config_ops *config;
};
extern struct virtio_device *virtio_of_the_kernel(void);

static unsigned int reached;
static long in_queue[4], out_queue[4], both_queue[4];

static int seen(struct device *device, void *data)
{
    reached |= (unsigned int)(unsigned long)data;
    return 0;
}

static void seen_interface(void *data, unsigned char *address, void *interface)
{
    reached |= (unsigned int)(unsigned long)data;
}

// A device for each: an entry point ends at the first assertion that fails.
#define DEVICE(id, bit) \
    static ssize_t read_##id(struct file *file, char __user *buffer, size_t bytes, loff_t *position) \
    { \
        __irkiss_assert(!(reached & (bit)), #id); \
        return 0; \
    } \
    static const struct file_operations fops_##id = { .owner = THIS_MODULE, .read = read_##id }; \
    static struct miscdevice device_##id = { .minor = MISC_DYNAMIC_MINOR, .name = #id, .fops = &fops_##id };
DEVICE(bus, 1) // ASSERT-FAILS
DEVICE(class, 2) // ASSERT-FAILS
DEVICE(driver, 4) // ASSERT-FAILS
DEVICE(child, 8) // ASSERT-FAILS
DEVICE(usb, 16) // ASSERT-FAILS
DEVICE(interface, 32) // ASSERT-FAILS
DEVICE(cache, 64) // ASSERT-FAILS
DEVICE(in, 128) // ASSERT-FAILS
DEVICE(out, 256) // ASSERT-FAILS
DEVICE(config, 512) // ASSERT-FAILS
DEVICE(both, 1024) // ASSERT-FAILS

static int demo_init(void)
{
    struct virtio_device *virtio = virtio_of_the_kernel();
    unsigned int length, size = 3;
    char *object;
    void *cache;
    bus_for_each_dev(NULL, NULL, (void *)1, seen);
    class_for_each_device(NULL, NULL, (void *)2, seen);
    driver_for_each_device(NULL, NULL, (void *)4, seen);
    device_for_each_child(NULL, (void *)8, seen);
    usb_for_each_dev((void *)16, seen);
    ieee80211_iterate_active_interfaces_atomic(NULL, 0, seen_interface, (void *)32);
    if (!virtqueue_add_inbuf(in_queue, NULL, 1, &in_queue, 0) && virtqueue_get_buf(in_queue, &length) == &in_queue)
        reached |= 128;
    if (!virtqueue_add_outbuf(out_queue, NULL, 1, &out_queue, 0) && virtqueue_get_buf(out_queue, &length) == &out_queue)
        reached |= 256;
    if (!virtqueue_add_sgs(both_queue, NULL, 1, 1, &both_queue, 0) && virtqueue_get_buf(both_queue, &length) == &both_queue)
        reached |= 1024;
    if (virtio) {
        virtio->config->get(virtio, 0, &size, sizeof(size));
        if (size == 7)
            reached |= 512;
    }
    cache = kmem_cache_create("cache", 32, 8, 0, NULL);
    if (cache) {
        object = kmem_cache_alloc(cache, GFP_KERNEL);
        if (object) {
            object[31] = 1;
            reached |= 64;
        }
    }
    if (misc_register(&device_bus) || misc_register(&device_class) || misc_register(&device_driver) || misc_register(&device_child))
        return -EBUSY;
    if (misc_register(&device_usb) || misc_register(&device_interface) || misc_register(&device_cache))
        return -EBUSY;
    return misc_register(&device_config) || misc_register(&device_in) || misc_register(&device_out) || misc_register(&device_both) ? -EBUSY : 0;
}

module_init(demo_init)
