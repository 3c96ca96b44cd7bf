// irkiss: ; expect: none
//
// Files of a driver get the driver and a buffer: the attribute is no parameter of theirs, and the buffer is the caller's.
#include "part_linux.h"

struct driver_attribute {
	struct attribute attr;
	ssize_t (*show)(struct device_driver *driver, char *buffer);
	ssize_t (*store)(struct device_driver *driver, const char *buffer, size_t bytes);
};
extern int driver_create_file(struct device_driver *driver, const struct driver_attribute *attribute);
extern void driver_remove_file(struct device_driver *driver, const struct driver_attribute *attribute);

static int level;

static ssize_t level_show(struct device_driver *driver, char *buffer)
{
	return sysfs_emit(buffer, "%d", READ_ONCE(level)); // NORACE
}

static ssize_t level_store(struct device_driver *driver, const char *buffer, size_t bytes)
{
	int value;
	int error = kstrtoint(buffer, 0, &value);

	if (error)
		return error;
	WRITE_ONCE(level, value); // NORACE
	return bytes;
}

static const struct driver_attribute level_file = { { "level", 0644 }, level_show, level_store };

static int lamp_probe(struct platform_device *device)
{
	return 0;
}

static struct platform_driver lamp_driver = { .probe = lamp_probe, .driver = { .name = "lamp" } };

int init_module(void)
{
	int error = platform_driver_register(&lamp_driver);

	if (error)
		return error;
	error = driver_create_file(&lamp_driver.driver, &level_file);
	if (error)
		platform_driver_unregister(&lamp_driver);
	return error;
}

void cleanup_module(void)
{
	driver_remove_file(&lamp_driver.driver, &level_file);
	platform_driver_unregister(&lamp_driver);
}
