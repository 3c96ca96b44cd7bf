// irkiss: ; expect: race
//
// As resumed_by_process_safe.c, but the device is the supplier of another one, which wakes it up (drivers/base/power/runtime.c: rpm_get_suppliers).
#include "platform.h"

struct input_dev {
    int (*open)(struct input_dev *);
    void (*close)(struct input_dev *);
    struct device dev;
};
extern struct input_dev *input_allocate_device(void);
extern int input_register_device(struct input_dev *input);

_Bool suspended;

static int demo_suspend(struct device *device)
{
    suspended = 1; // RACE
    return 0;
}

static int demo_resume(struct device *device)
{
    suspended = 0; // RACE
    return 0;
}

const struct dev_pm_ops demo_pm = {
    .suspend = demo_suspend,
    .resume = demo_resume,
    .runtime_suspend = demo_suspend,
    .runtime_resume = demo_resume,
};

static int demo_open(struct input_dev *input)
{
    pm_runtime_get(input->dev.parent);
    return 0;
}

extern void *device_link_add(struct device *consumer, struct device *supplier, unsigned int flags);

int demo_probe(struct device *device)
{
    struct input_dev *input = input_allocate_device();
    if (!input)
        return -ENOMEM;
    input->open = demo_open;
    input->dev.parent = device;
    pm_runtime_enable(device);
    if (!device_link_add(device->parent, device, 4))
        return -ENOMEM;
    return input_register_device(input);
}
