// irkiss: ; expect: race ; lazy: yes
//
// The kernel's own functions show and store what attributes of numbers lead to, beside a timer of the driver's.
#include "part_linux.h"

struct dev_ext_attribute {
	struct device_attribute attr;
	void *var;
};
extern ssize_t device_show_int(struct device *, struct device_attribute *, char *);
extern ssize_t device_show_ulong(struct device *, struct device_attribute *, char *);
extern ssize_t device_show_bool(struct device *, struct device_attribute *, char *);
extern ssize_t device_store_int(struct device *, struct device_attribute *, const char *, size_t);
extern ssize_t device_store_ulong(struct device *, struct device_attribute *, const char *, size_t);
extern ssize_t device_store_bool(struct device *, struct device_attribute *, const char *, size_t);
extern int device_create_file(struct device *device, const struct device_attribute *attribute);

static int shown, stored;
static unsigned long long_shown, long_stored;
static bool flag_shown, flag_stored;
static int seen;

static struct dev_ext_attribute attr_shown = { { { "shown", 0444 }, device_show_int, NULL }, &shown };
static struct dev_ext_attribute attr_long_shown = { { { "long_shown", 0444 }, device_show_ulong, NULL }, &long_shown };
static struct dev_ext_attribute attr_flag_shown = { { { "flag_shown", 0444 }, device_show_bool, NULL }, &flag_shown };
static struct dev_ext_attribute attr_stored = { { { "stored", 0200 }, NULL, device_store_int }, &stored };
static struct dev_ext_attribute attr_long_stored = { { { "long_stored", 0200 }, NULL, device_store_ulong }, &long_stored };
static struct dev_ext_attribute attr_flag_stored = { { { "flag_stored", 0200 }, NULL, device_store_bool }, &flag_stored };

static void demo_tick(struct timer_list *timer)
{
	shown = 1; // RACE
	long_shown = 1; // RACE
	flag_shown = 1; // RACE
	if (stored) // RACE
		seen++;
	if (long_stored) // RACE
		seen++;
	if (flag_stored) // RACE
		seen++;
	mod_timer(timer, jiffies + 1);
}

static struct timer_list demo_timer;

static int demo_probe(struct platform_device *pdev)
{
	device_create_file(&pdev->dev, &attr_shown.attr);
	device_create_file(&pdev->dev, &attr_long_shown.attr);
	device_create_file(&pdev->dev, &attr_flag_shown.attr);
	device_create_file(&pdev->dev, &attr_stored.attr);
	device_create_file(&pdev->dev, &attr_long_stored.attr);
	device_create_file(&pdev->dev, &attr_flag_stored.attr);
	timer_setup(&demo_timer, demo_tick, 0);
	mod_timer(&demo_timer, jiffies + 1);
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
