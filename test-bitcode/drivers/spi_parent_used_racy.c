// irkiss: ; expect: race
//
// As spi_parent_used_safe.c, but nobody asks the core to use the device.
#include "spi.h"

struct demo {
    long speed;
};

static int demo_transfer(struct spi_controller *controller, struct spi_device *device, struct spi_transfer *transfer)
{
    struct demo *demo = device->controller->dev.driver_data;
    demo->speed = transfer->len; // RACE
    return 0;
}

static int demo_suspend(struct device *device)
{
    struct spi_controller *controller = device->driver_data;
    struct demo *demo = controller->dev.driver_data;
    demo->speed = 0; // RACE
    return 0;
}

static int demo_resume(struct device *device)
{
    return 0;
}
static const struct dev_pm_ops demo_pm = { .runtime_suspend = demo_suspend, .runtime_resume = demo_resume };

static int demo_probe(struct platform_device *dev)
{
    struct spi_controller *controller = __spi_alloc_controller(&dev->dev, sizeof(struct demo), 0);
    if (!controller)
        return -ENOMEM;
    controller->transfer_one = demo_transfer;
    dev->dev.driver_data = controller;
    pm_runtime_enable(&dev->dev);
    return devm_spi_register_controller(&dev->dev, controller);
}

static struct platform_driver demo_driver = {
    .probe = demo_probe,
    .driver = { .name = "demo", .pm = &demo_pm },
};

PLATFORM_MODULE(demo_driver)
