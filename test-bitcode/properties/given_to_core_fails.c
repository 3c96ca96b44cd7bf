// irkiss: --property uaf ; expect: uaf
//
// The core frees the receiver's device as it is unregistered, before the work that hands it to the core has ended. The driver itself does not look into it.
#include "../drivers/part_linux.h"

struct rc_dev { struct device dev; void *priv; unsigned int timeout; };
struct ir_raw_event { unsigned int duration; bool pulse; };
extern struct rc_dev *rc_allocate_device(int type);
extern int rc_register_device(struct rc_dev *dev);
extern void rc_free_device(struct rc_dev *dev);
extern void rc_unregister_device(struct rc_dev *dev);
extern int ir_raw_event_store(struct rc_dev *dev, struct ir_raw_event *event);

struct eye { struct rc_dev *rc; struct work_struct work; };

static void eye_work(struct work_struct *work)
{
	struct eye *eye = container_of(work, struct eye, work);
	struct ir_raw_event event = { .duration = 7, .pulse = true };

	ir_raw_event_store(eye->rc, &event); // FREED
}

static int eye_probe(struct platform_device *pdev)
{
	struct eye *eye = kzalloc(sizeof(*eye), GFP_KERNEL);

	if (!eye)
		return -ENOMEM;
	eye->rc = rc_allocate_device(1);
	if (!eye->rc)
		goto free;
	INIT_WORK(&eye->work, eye_work);
	if (rc_register_device(eye->rc))
		goto free_rc;
	platform_set_drvdata(pdev, eye);
	schedule_work(&eye->work);
	return 0;
free_rc:
	rc_free_device(eye->rc);
free:
	kfree(eye);
	return -ENODEV;
}

static int eye_remove(struct platform_device *pdev)
{
	struct eye *eye = platform_get_drvdata(pdev);

	rc_unregister_device(eye->rc);
	cancel_work_sync(&eye->work);
	kfree(eye);
	return 0;
}

static struct platform_driver eye_driver = { .probe = eye_probe, .remove = eye_remove, .driver = { .name = "eye" } };

int init_module(void)
{
	return platform_driver_register(&eye_driver);
}

void cleanup_module(void)
{
	platform_driver_unregister(&eye_driver);
}
