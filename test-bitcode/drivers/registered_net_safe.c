// irkiss: --scenario lifecycle ; expect: none ; lazy: yes
//
// As registered_net_racy.c, in the right order: nothing runs before it is registered.
#include "net.h"

struct input_dev {
    const char *name;
    int (*open)(struct input_dev *dev);
    void (*close)(struct input_dev *dev);
};
extern struct input_dev *input_allocate_device(void);
extern int input_register_device(struct input_dev *dev);

int limit, rate;

static int demo_open(struct net_device *device)
{
    return limit; // NORACE
}

static int demo_input_open(struct input_dev *dev)
{
    return rate; // NORACE
}

static const struct net_device_ops demo_ops = {
    .ndo_open = demo_open,
};

static int demo_init(void)
{
    struct net_device *device = alloc_etherdev_mqs(0, 1, 1);
    struct input_dev *input = input_allocate_device();
    int failed;

    if (!device || !input)
        return -ENOMEM;
    device->netdev_ops = &demo_ops;
    input->open = demo_input_open;
    limit = 1; // NORACE
    failed = register_netdev(device);
    if (failed)
        return failed;
    rate = 1; // NORACE
    failed = input_register_device(input);
    if (failed)
        return failed;
    return 0;
}

module_init(demo_init)
