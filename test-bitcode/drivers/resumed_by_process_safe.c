// irkiss: ; expect: none
//
// The device is woken up as a process opens its input device and as one reads an attribute, and both are frozen while the system sleeps: so
// what wakes it up never runs beside what puts the system to sleep (drivers/base/power/runtime.c: __pm_runtime_resume; kernel/power/process.c:
// freeze_processes; kernel/power/main.c: pm_start_workqueue). The driver of the bus is another module.
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
    suspended = 1; // NORACE
    return 0;
}

static int demo_resume(struct device *device)
{
    suspended = 0; // NORACE
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

static ssize_t demo_show(struct device *device, struct device_attribute *attribute, char *text)
{
    return pm_runtime_get_sync(device);
}
static struct device_attribute demo_attribute = { { "demo", 0444 }, demo_show };

int demo_probe(struct device *device)
{
    struct input_dev *input = input_allocate_device();
    if (!input)
        return -ENOMEM;
    input->open = demo_open;
    input->dev.parent = device;
    pm_runtime_enable(device);
    if (device_create_file(device, &demo_attribute))
        return -ENOMEM;
    return input_register_device(input);
}
