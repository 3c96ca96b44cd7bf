// irkiss: --property uaf ; forms: nopass ; expect: uaf
//
// An input device that devres ends is closed, but that leaves the work that `open` has started.
#include "../drivers/part_linux.h"

struct input_dev {
	const char *name;
	int (*open)(struct input_dev *device);
	void (*close)(struct input_dev *device);
	struct device dev;
};
extern struct input_dev *devm_input_allocate_device(struct device *device);
extern int input_register_device(struct input_dev *device);

struct pad { struct input_dev *input; struct work_struct work; int opened, removed; };

static void pad_work(struct work_struct *work)
{
	struct pad *pad = container_of(work, struct pad, work);

	pad->opened++; // FREED
}

static int pad_open(struct input_dev *device)
{
	struct pad *pad = dev_get_drvdata(&device->dev);

	schedule_work(&pad->work);
	return 0;
}

static void pad_close(struct input_dev *device)
{
	dev_set_drvdata(&device->dev, NULL);
}

static int pad_probe(struct platform_device *pdev)
{
	struct pad *pad = devm_kzalloc(&pdev->dev, sizeof(*pad), GFP_KERNEL);

	if (!pad)
		return -ENOMEM;
	INIT_WORK(&pad->work, pad_work);
	pad->input = devm_input_allocate_device(&pdev->dev);
	if (!pad->input)
		return -ENOMEM;
	pad->input->open = pad_open;
	pad->input->close = pad_close;
	pad->input->dev.parent = &pdev->dev;
	dev_set_drvdata(&pad->input->dev, pad);
	platform_set_drvdata(pdev, pad);
	return input_register_device(pad->input);
}

static int pad_remove(struct platform_device *pdev)
{
	struct pad *pad = platform_get_drvdata(pdev);

	pad->removed = 1;
	return 0;
}

static struct platform_driver pad_driver = { .probe = pad_probe, .remove = pad_remove, .driver = { .name = "pad" } };

int init_module(void)
{
	return platform_driver_register(&pad_driver);
}

void cleanup_module(void)
{
	platform_driver_unregister(&pad_driver);
}
