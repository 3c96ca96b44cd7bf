// irkiss: --property removed ; expect: none
//
// A file of the driver itself (device_driver.groups). platform_driver_unregister() removes it, and waits for whom it has let in.
#include "../drivers/part_linux.h"

struct driver_attribute {
	struct attribute attr;
	ssize_t (*show)(struct device_driver *driver, char *buf);
	ssize_t (*store)(struct device_driver *driver, const char *buf, size_t count);
};

static DEFINE_MUTEX(serve_lock);
static int served;

static ssize_t serve_store(struct device_driver *driver, const char *buf, size_t count)
{
	mutex_lock(&serve_lock);
	served++;
	mutex_unlock(&serve_lock);
	return count;
}

static struct driver_attribute driver_attr_serve = { { "serve", 0200 }, NULL, serve_store };
static struct attribute *serve_attrs[] = { &driver_attr_serve.attr, NULL };
static const struct attribute_group serve_group = { .attrs = serve_attrs };
static const struct attribute_group *serve_groups[] = { &serve_group, NULL };

static int serve_probe(struct platform_device *pdev)
{
	return 0;
}

static struct platform_driver serve_driver = { .probe = serve_probe, .driver = { .name = "serve", .groups = serve_groups } };

int init_module(void)
{
	return platform_driver_register(&serve_driver);
}

void cleanup_module(void)
{
	platform_driver_unregister(&serve_driver);
}
