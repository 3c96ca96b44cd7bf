// irkiss: --property uaf ; expect: uaf
//
// The clock can be read until devres takes it back, when remove has returned, which has freed what reading uses.
#include "../drivers/part_linux.h"

struct rtc_time;
struct rtc_class_ops { int (*read_time)(struct device *dev, struct rtc_time *tm); };
struct rtc_device { struct device dev; const struct rtc_class_ops *ops; };
extern int __devm_rtc_register_device(struct module *owner, struct rtc_device *rtc);

struct watch { int reads; };
static struct watch *the_watch;
static struct rtc_device the_clock;

static int watch_read_time(struct device *dev, struct rtc_time *tm)
{
	struct watch *watch = the_watch;

	watch->reads = 1; // FREED
	return 0;
}

static const struct rtc_class_ops watch_ops = { .read_time = watch_read_time };

static int watch_probe(struct platform_device *pdev)
{
	the_watch = kzalloc(sizeof(*the_watch), GFP_KERNEL);
	if (!the_watch)
		return -ENOMEM;
	the_clock.ops = &watch_ops;
	return __devm_rtc_register_device(THIS_MODULE, &the_clock);
}

static int watch_remove(struct platform_device *pdev)
{
	kfree(the_watch);
	return 0;
}

static struct platform_driver watch_driver = { .probe = watch_probe, .remove = watch_remove, .driver = { .name = "watch" } };

int init_module(void)
{
	return platform_driver_register(&watch_driver);
}

void cleanup_module(void)
{
	platform_driver_unregister(&watch_driver);
}
