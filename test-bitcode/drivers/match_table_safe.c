// irkiss: ; expect: none
//
// What the kernel says of a device is what the table of its driver has: every kind of lamp has this lock.
#include "kernel.h"

struct device { struct device *parent; void *driver_data; };
struct of_device_id { char name[8]; char compatible[16]; const void *data; };
struct device_driver { const char *name; const struct of_device_id *of_match_table; };
struct platform_device { const char *name; struct device dev; };
struct platform_driver { int (*probe)(struct platform_device *); struct device_driver driver; };
extern int __platform_driver_register(struct platform_driver *driver, struct module *owner);
extern const void *of_device_get_match_data(const struct device *device);

static DEFINE_MUTEX(lock);
static DEFINE_MUTEX(other);
struct kind { struct mutex *lock; };
static const struct kind small = { &lock }, large = { &lock };
static const struct of_device_id lamp_table[] = {
	{ .compatible = "lamp,small", .data = &small }, { .compatible = "lamp,large", .data = &large }, { },
};

static const struct kind *kind;
int level;

static ssize_t lamp_read(struct file *file, char __user *buffer, size_t bytes, loff_t *position)
{
	int now;

	mutex_lock(kind->lock);
	now = level; // NORACE
	mutex_unlock(kind->lock);
	return now;
}

static ssize_t lamp_write(struct file *file, const char __user *buffer, size_t bytes, loff_t *position)
{
	mutex_lock(&lock);
	level = 1; // NORACE
	mutex_unlock(&lock);
	return bytes;
}

static const struct file_operations lamp_fops = { .owner = THIS_MODULE, .read = lamp_read, .write = lamp_write };
static struct miscdevice lamp_device = { .minor = MISC_DYNAMIC_MINOR, .name = "lamp", .fops = &lamp_fops };

static int lamp_probe(struct platform_device *pdev)
{
	kind = of_device_get_match_data(&pdev->dev);
	if (!kind)
		return -5;
	return misc_register(&lamp_device);
}

static struct platform_driver lamp_driver = { .probe = lamp_probe, .driver = { .name = "lamp", .of_match_table = lamp_table } };

static int lamp_init(void)
{
	return __platform_driver_register(&lamp_driver, THIS_MODULE);
}

module_init(lamp_init)
