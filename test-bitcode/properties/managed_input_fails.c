// irkiss: --property uaf ; forms: nopass ; expect: uaf
//
// Devres ends an input device that it made, but by the device above it, which the driver has put elsewhere: nothing ends it as the
// driver is unbound, and devres frees the pad.
#include "../drivers/part_linux.h"

struct input_dev {
	const char *name;
	int (*open)(struct input_dev *device);
	void (*close)(struct input_dev *device);
	struct device dev;
};
extern struct input_dev *devm_input_allocate_device(struct device *device);
extern int input_register_device(struct input_dev *device);

struct pad { struct input_dev *input; int opened; };

static int pad_open(struct input_dev *device)
{
	struct pad *pad = dev_get_drvdata(&device->dev);

	pad->opened = 1; // FREED
	return 0;
}

static int pad_probe(struct platform_device *pdev)
{
	struct pad *pad = devm_kzalloc(&pdev->dev, sizeof(*pad), GFP_KERNEL);

	if (!pad)
		return -ENOMEM;
	pad->input = devm_input_allocate_device(&pdev->dev);
	if (!pad->input)
		return -ENOMEM;
	pad->input->open = pad_open;
	pad->input->dev.parent = pdev->dev.parent;
	dev_set_drvdata(&pad->input->dev, pad);
	return input_register_device(pad->input);
}

static struct platform_driver pad_driver = { .probe = pad_probe, .driver = { .name = "pad" } };

int init_module(void)
{
	return platform_driver_register(&pad_driver);
}

void cleanup_module(void)
{
	platform_driver_unregister(&pad_driver);
}
