/* Registration of devices. What a registration starts in the lifecycle scenario is told to the harness (__irkiss_born);
 * unregistration blocks new opens, it does not wait for open files. */
#include "irkiss_linux.h"

/* ---- Miscellaneous devices. ---- */
/* The kernel writes the device's minor, list and this_device before anybody can open it: not modelled. */
int misc_register(void *misc)
{
    int error = irkiss_may_fail(EBUSY);
    if (error)
        return error;
    IRKISS_ATOMIC(__irkiss_ghost_set(misc, IRKISS_GHOST_REGISTERED, 1));
    __irkiss_born(irkiss_field(misc, IRKISS_MISC_FOPS));
    return 0;
}

void misc_deregister(void *misc)
{
    IRKISS_ATOMIC(__irkiss_ghost_set(misc, IRKISS_GHOST_REGISTERED, 0));
}

/* ---- Character devices. ---- */
/* The cdev of an ops object is remembered beside it: where struct cdev holds its ops depends on the configuration. */
void cdev_init(void *cdev, const void *fops)
{
    void **slot = __irkiss_cdev_slot(fops);
    if (slot)
        IRKISS_ATOMIC(*slot = cdev);
}

static const void *ops_of(void *cdev)
{
    const void *fops;
    IRKISS_ATOMIC(fops = __irkiss_cdev_ops(cdev));
    return fops;
}

int cdev_add(void *cdev, u32, unsigned int)
{
    int error = irkiss_may_fail(EBUSY);
    const void *fops;
    if (error)
        return error;
    IRKISS_ATOMIC(__irkiss_ghost_set(cdev, IRKISS_GHOST_REGISTERED, 1));
    fops = ops_of(cdev);
    if (fops)
        __irkiss_born(fops);
    return 0;
}

int cdev_device_add(void *cdev, void *)
{
    return cdev_add(cdev, 0, 1);
}

void cdev_del(void *cdev)
{
    IRKISS_ATOMIC(__irkiss_ghost_set(cdev, IRKISS_GHOST_REGISTERED, 0));
}

void cdev_device_del(void *cdev, void *)
{
    cdev_del(cdev);
}

/* Returns 0, or the major number if 0 was asked for. */
int __register_chrdev(unsigned int major, unsigned int, unsigned int, const char *, const void *fops)
{
    int error = irkiss_may_fail(EBUSY);
    if (error)
        return error;
    __irkiss_born(fops);
    return major == 0 ? 254 : 0;
}

void __unregister_chrdev(unsigned int, unsigned int, unsigned int, const char *)
{
}

int register_chrdev_region(u32, unsigned int, const char *)
{
    return irkiss_may_fail(EBUSY);
}

int alloc_chrdev_region(u32 *device, unsigned int first, unsigned int, const char *)
{
    if (__irkiss_nondet_bool())
        return -EBUSY;
    *device = (254u << 20) | (first & 0xfffffu);
    return 0;
}

void unregister_chrdev_region(u32, unsigned int)
{
}

/* ---- I/O resources: exclusive while held; whether they are free is arbitrary. ---- */
void *__request_region(void *, u64, u64, const char *, int)
{
    return __irkiss_nondet_ptr();
}

void __release_region(void *, u64, u64)
{
}

void *__devm_request_region(void *, void *, u64, u64, const char *)
{
    return __irkiss_nondet_ptr();
}

/* ---- /proc. ---- */
void *proc_create_single_data(const char *, u16, void *, int (*show)(void *, void *), void *)
{
    void *entry = __irkiss_nondet_ptr();
    if (entry)
        __irkiss_born((const void *)show);
    return entry;
}

void *proc_create(const char *, u16, void *, const void *ops)
{
    void *entry = __irkiss_nondet_ptr();
    if (entry)
        __irkiss_born(ops);
    return entry;
}

void *proc_create_data(const char *name, u16 mode, void *parent, const void *ops, void *)
{
    return proc_create(name, mode, parent, ops);
}

void *proc_create_seq_private(const char *name, u16 mode, void *parent, const void *ops, unsigned int, void *)
{
    return proc_create(name, mode, parent, ops);
}

void *proc_mkdir(const char *, void *)
{
    return __irkiss_nondet_ptr();
}

void remove_proc_entry(const char *, void *)
{
}

void proc_remove(void *)
{
}

/* ---- Devices, classes, attributes, drivers. ---- */
/* A pointer, or an error pointer. */
static void *object_or_error(const char *name)
{
    return __irkiss_nondet_bool() ? irkiss_error_pointer(ENOMEM) : __irkiss_lazy(0, name);
}

void *__class_create(void *, const char *, void *)
{
    return object_or_error("class");
}

void *class_create(const char *)
{
    return object_or_error("class");
}

void class_destroy(const void *)
{
}

int __class_register(void *, void *)
{
    return irkiss_may_fail(ENOMEM);
}

void class_unregister(const void *)
{
}

void *device_create(const void *, void *, u32, void *, const char *, ...)
{
    return object_or_error("device");
}

void device_destroy(const void *, u32)
{
}

int device_create_file(void *, const void *attribute)
{
    int error = irkiss_may_fail(ENOMEM);
    if (!error)
        __irkiss_born(attribute);
    return error;
}

void device_remove_file(void *, const void *)
{
}

int driver_create_file(void *, const void *attribute)
{
    return device_create_file(NULL, attribute);
}

void driver_remove_file(void *, const void *)
{
}

void *platform_device_alloc(const char *, int)
{
    return __irkiss_nondet_bool() ? NULL : __irkiss_lazy(0, "platform_device");
}

int platform_device_add(void *)
{
    return irkiss_may_fail(ENOMEM);
}

void platform_device_del(void *)
{
}

void platform_device_put(void *)
{
}

void platform_device_unregister(void *)
{
}

int platform_device_register(void *)
{
    return irkiss_may_fail(ENOMEM);
}

void *platform_device_register_full(const void *)
{
    return object_or_error("platform_device");
}

/* probe is called by the harness. */
int __platform_driver_register(void *driver, void *)
{
    int error = irkiss_may_fail(EBUSY);
    if (!error)
        __irkiss_born(driver);
    return error;
}

void platform_driver_unregister(void *)
{
}

int __pci_register_driver(void *driver, void *, const char *)
{
    int error = irkiss_may_fail(EBUSY);
    if (!error)
        __irkiss_born(driver);
    return error;
}

void pci_unregister_driver(void *)
{
}

int pci_enable_device(void *)
{
    return irkiss_may_fail(EIO);
}

void pci_disable_device(void *)
{
}

void pci_set_master(void *)
{
}

int pci_request_regions(void *, const char *)
{
    return irkiss_may_fail(EBUSY);
}

void pci_release_regions(void *)
{
}

/* References keep objects alive; objects of the driver core are never freed here. */
void *get_device(void *device)
{
    return device;
}

void put_device(void *)
{
}

int dev_set_name(void *, const char *, ...)
{
    return irkiss_may_fail(ENOMEM);
}

/* ---- Notifiers. ---- */
int register_reboot_notifier(void *notifier)
{
    __irkiss_born(notifier);
    return 0;
}

int unregister_reboot_notifier(void *)
{
    return 0;
}

int devm_register_reboot_notifier(void *, void *notifier)
{
    return register_reboot_notifier(notifier);
}

/* ---- Modules. ---- */
void __module_get(void *)
{
}

_Bool try_module_get(void *)
{
    return __irkiss_nondet_bool();
}

void module_put(void *)
{
}

_Bool capable(int)
{
    return __irkiss_nondet_bool();
}
