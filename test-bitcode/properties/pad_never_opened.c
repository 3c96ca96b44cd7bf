// irkiss: --property uaf ; forms: nopass ; expect: uaf ; lazy: yes
//
// As pad_not_opened_holds.c, but the probe has queued the work, too: of a device that nobody opens nothing is closed.
#include "../drivers/part_linux.h"

struct input_dev {
	const char *name;
	int (*open)(struct input_dev *device);
	void (*close)(struct input_dev *device);
	struct device dev;
};
struct ff_effect { unsigned short type, level; };
extern struct input_dev *devm_input_allocate_device(struct device *device);
extern int input_register_device(struct input_dev *device);
extern int input_ff_create_memless(struct input_dev *device, void *data, int (*play)(struct input_dev *, void *, struct ff_effect *));

struct pad { struct input_dev *input; struct work_struct work; int level; };

static void pad_work(struct work_struct *work)
{
	struct pad *pad = container_of(work, struct pad, work);

	WRITE_ONCE(pad->level, 0); // FREED
}

static int pad_play(struct input_dev *device, void *data, struct ff_effect *effect)
{
	struct pad *pad = dev_get_drvdata(&device->dev);

	schedule_work(&pad->work);
	return 0;
}

static void pad_close(struct input_dev *device)
{
	struct pad *pad = dev_get_drvdata(&device->dev);

	cancel_work_sync(&pad->work);
}

static int pad_probe(struct platform_device *pdev)
{
	struct pad *pad = devm_kzalloc(&pdev->dev, sizeof(*pad), GFP_KERNEL);
	int error;

	if (!pad)
		return -ENOMEM;
	INIT_WORK(&pad->work, pad_work);
	pad->input = devm_input_allocate_device(&pdev->dev);
	if (!pad->input)
		return -ENOMEM;
	pad->input->close = pad_close;
	dev_set_drvdata(&pad->input->dev, pad);
	error = input_ff_create_memless(pad->input, NULL, pad_play);
	if (error)
		return error;
	schedule_work(&pad->work);
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
