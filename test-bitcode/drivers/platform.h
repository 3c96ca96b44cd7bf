// Platform devices, which begin without runtime power management: the little of the kernel's interface that the drivers here use.
#ifndef PLATFORM_H
#define PLATFORM_H

#include "pci.h"

struct platform_device {
    const char *name;
    struct device dev;
};
struct platform_driver {
    int (*probe)(struct platform_device *);
    int (*remove)(struct platform_device *);
    void (*shutdown)(struct platform_device *);
    struct device_driver driver;
};
extern int __platform_driver_register(struct platform_driver *driver, void *module);
extern void platform_driver_unregister(struct platform_driver *driver);

extern void pm_runtime_enable(struct device *device);
extern void __pm_runtime_disable(struct device *device, _Bool check);
extern int __pm_runtime_set_status(struct device *device, unsigned int status);
extern int pm_runtime_force_suspend(struct device *device);
extern int pm_runtime_force_resume(struct device *device);
static inline int pm_runtime_set_active(struct device *device)
{
    return __pm_runtime_set_status(device, RPM_ACTIVE);
}
static inline int pm_runtime_resume_and_get(struct device *device)
{
    int result = __pm_runtime_resume(device, RPM_GET_PUT);
    if (result < 0) {
        pm_runtime_put_noidle(device);
        return result;
    }
    return 0;
}

#define PLATFORM_MODULE(driver) \
    static int demo_init(void) \
    { \
        return __platform_driver_register(&driver, THIS_MODULE); \
    } \
    static void demo_exit(void) \
    { \
        platform_driver_unregister(&driver); \
    } \
    module_init(demo_init) module_exit(demo_exit)

#endif
