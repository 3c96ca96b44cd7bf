// irkiss: ; expect: race
//
// What a role switch does, without the lock, beside the interrupt of its device.
#include "part_linux.h"

struct usb_role_switch;
struct usb_role_switch_desc {
	void *fwnode;
	int (*set)(struct usb_role_switch *sw, int role);
	int (*get)(struct usb_role_switch *sw);
	void *driver_data;
};
extern struct usb_role_switch *usb_role_switch_register(struct device *parent, const struct usb_role_switch_desc *desc);
extern void usb_role_switch_unregister(struct usb_role_switch *sw);
extern void *usb_role_switch_get_drvdata(struct usb_role_switch *sw);
extern int platform_get_irq(struct platform_device *pdev, unsigned int number);

struct demo {
	spinlock_t lock;
	int role;
	int irq;
	struct usb_role_switch *sw;
};

static irqreturn_t demo_interrupt(int irq, void *data)
{
	struct demo *demo = data;

	spin_lock(&demo->lock);
	demo->role = 0; // RACE
	spin_unlock(&demo->lock);
	return IRQ_HANDLED;
}

static int demo_set(struct usb_role_switch *sw, int role)
{
	struct demo *demo = usb_role_switch_get_drvdata(sw);

	demo->role = role; // RACE
	return 0;
}

static int demo_probe(struct platform_device *pdev)
{
	struct usb_role_switch_desc desc = { .set = demo_set };
	struct demo *demo = kzalloc(sizeof(*demo), GFP_KERNEL);
	int error;

	if (!demo)
		return -ENOMEM;
	spin_lock_init(&demo->lock);
	demo->irq = platform_get_irq(pdev, 0);
	if (demo->irq < 0) {
		kfree(demo);
		return -ENODEV;
	}
	desc.driver_data = demo;
	demo->sw = usb_role_switch_register(&pdev->dev, &desc);
	if (IS_ERR(demo->sw)) {
		kfree(demo);
		return -ENODEV;
	}
	error = request_irq(demo->irq, demo_interrupt, 0, "demo", demo);
	if (error) {
		usb_role_switch_unregister(demo->sw);
		kfree(demo);
		return error;
	}
	platform_set_drvdata(pdev, demo);
	return 0;
}

static struct platform_driver demo_driver = { .probe = demo_probe, .driver = { .name = "demo" } };

int init_module(void)
{
	return platform_driver_register(&demo_driver);
}

void cleanup_module(void)
{
	platform_driver_unregister(&demo_driver);
}
