// irkiss: --property removed ; forms: nopass ; expect: finds
//
// An input device that is unregistered is closed, but that leaves the interrupt: it reads the device after its removal.
#include "../drivers/part_linux.h"

struct input_dev {
	const char *name;
	int (*open)(struct input_dev *device);
	void (*close)(struct input_dev *device);
	struct device dev;
};
extern struct input_dev *input_allocate_device(void);
extern int input_register_device(struct input_dev *device);
extern void input_unregister_device(struct input_dev *device);
extern unsigned int readl(const volatile void *address);

struct pad { struct input_dev *input; unsigned char *base; unsigned int keys; };

static irqreturn_t pad_interrupt(int irq, void *data)
{
	struct pad *pad = data;

	pad->keys = readl(pad->base); // FINDS:use-after-removal
	return IRQ_HANDLED;
}

static int pad_open(struct input_dev *device)
{
	return request_irq(5, pad_interrupt, 0, "pad", dev_get_drvdata(&device->dev));
}

static void pad_close(struct input_dev *device)
{
	dev_set_drvdata(&device->dev, NULL); // FINDS:use-after-removal
}

static int pad_probe(struct platform_device *pdev)
{
	struct pad *pad = kzalloc(sizeof(*pad), GFP_KERNEL);

	if (!pad)
		return -ENOMEM;
	pad->input = input_allocate_device();
	if (!pad->input)
		return -ENOMEM;
	pad->input->open = pad_open;
	pad->input->close = pad_close;
	dev_set_drvdata(&pad->input->dev, pad);
	platform_set_drvdata(pdev, pad);
	return input_register_device(pad->input);
}

static int pad_remove(struct platform_device *pdev)
{
	struct pad *pad = platform_get_drvdata(pdev);

	input_unregister_device(pad->input);
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
