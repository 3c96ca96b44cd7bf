// irkiss: ; expect: race
//
// What plays effects gets the data that was handed over with it, which the interrupt writes, too.
#include "part_linux.h"

struct input_dev {
	const char *name;
	int (*open)(struct input_dev *dev);
	void (*close)(struct input_dev *dev);
	struct device dev;
};
struct ff_effect { int type; };
extern struct input_dev *devm_input_allocate_device(struct device *dev);
extern int input_register_device(struct input_dev *dev);
extern int input_ff_create_memless(struct input_dev *dev, void *data, int (*play)(struct input_dev *, void *, struct ff_effect *));

struct rumble {
	spinlock_t lock;
	int level;
};

static irqreturn_t rumble_interrupt(int irq, void *data)
{
	struct rumble *rumble = data;

	spin_lock(&rumble->lock);
	rumble->level = 0; // RACE
	spin_unlock(&rumble->lock);
	return IRQ_HANDLED;
}

static int rumble_play(struct input_dev *dev, void *data, struct ff_effect *effect)
{
	struct rumble *rumble = data;

	rumble->level = effect->type; // RACE
	return 0;
}

static int rumble_probe(struct platform_device *pdev)
{
	struct rumble *rumble = devm_kzalloc(&pdev->dev, sizeof(*rumble), GFP_KERNEL);
	struct input_dev *input = devm_input_allocate_device(&pdev->dev);
	int error;

	if (!rumble || !input)
		return -ENOMEM;
	spin_lock_init(&rumble->lock);
	error = request_irq(7, rumble_interrupt, 0, "rumble", rumble);
	if (error)
		return error;
	error = input_ff_create_memless(input, rumble, rumble_play);
	if (!error)
		error = input_register_device(input);
	if (error)
		free_irq(7, rumble);
	platform_set_drvdata(pdev, rumble);
	return error;
}

static int rumble_remove(struct platform_device *pdev)
{
	free_irq(7, platform_get_drvdata(pdev));
	return 0;
}

static struct platform_driver rumble_driver = {
	.probe = rumble_probe,
	.remove = rumble_remove,
	.driver = { .name = "rumble" },
};

int init_module(void)
{
	return platform_driver_register(&rumble_driver);
}

void cleanup_module(void)
{
	platform_driver_unregister(&rumble_driver);
}
