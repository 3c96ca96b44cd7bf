// irkiss: --property removed ; expect: finds
//
// As driver_file_holds.c, but the driver makes the file itself, and nobody takes it back.
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
	mutex_lock(&serve_lock); // FINDS:use-after-removal
	served++;
	mutex_unlock(&serve_lock); // FINDS:use-after-removal
	return count;
}

static struct driver_attribute driver_attr_serve = { { "serve", 0200 }, NULL, serve_store };
extern int driver_create_file(struct device_driver *driver, const struct driver_attribute *attr);

static int serve_probe(struct platform_device *pdev)
{
	return 0;
}

static struct platform_driver serve_driver = { .probe = serve_probe, .driver = { .name = "serve" } };

int init_module(void)
{
	int error = platform_driver_register(&serve_driver);

	if (error)
		return error;
	return driver_create_file(&serve_driver.driver, &driver_attr_serve);
}

void cleanup_module(void)
{
	platform_driver_unregister(&serve_driver); // FINDS:use-after-removal
}
