// irkiss: ; expect: none
//
// As resumed_by_process_safe.c; an interrupt's thread asks, too, but leaves it to a work item that is frozen (kernel/power/main.c:
// pm_start_workqueue).
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

static irqreturn_t demo_thread(int irq, void *data)
{
    pm_runtime_get(data);
    return IRQ_HANDLED;
}

int demo_probe(struct device *device)
{
    struct input_dev *input = input_allocate_device();
    if (!input)
        return -ENOMEM;
    input->open = demo_open;
    input->dev.parent = device;
    pm_runtime_enable(device);
    if (request_threaded_irq(5, NULL, demo_thread, 0, "demo", device))
        return -EBUSY;
    return input_register_device(input);
}
