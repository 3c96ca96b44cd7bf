// irkiss: --property removed ; forms: nopass ; expect: finds
//
// As unbound_bus_holds.c, but nobody takes the file back.
#include "../drivers/part_linux.h"

struct auxiliary_device { struct device dev; const char *name; u32 id; };
struct auxiliary_device_id { char name[32]; unsigned long driver_data; };
struct auxiliary_driver {
	int (*probe)(struct auxiliary_device *adev, const struct auxiliary_device_id *id);
	const char *name;
	const struct auxiliary_device_id *id_table;
};
extern int __auxiliary_driver_register(struct auxiliary_driver *driver, struct module *owner, const char *modname);
extern void auxiliary_driver_unregister(struct auxiliary_driver *driver);

extern int device_create_file(struct device *dev, const struct device_attribute *attr);
static int level;

static ssize_t value_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%d\n", READ_ONCE(level)); // FINDS:use-after-removal
}

static struct device_attribute dev_attr_value = { { "value", 0444 }, value_show, NULL };

static int meter_probe(struct auxiliary_device *adev, const struct auxiliary_device_id *id)
{
	return device_create_file(&adev->dev, &dev_attr_value);
}

static struct auxiliary_driver meter_driver = { .probe = meter_probe, .name = "meter" };

int init_module(void)
{
	return __auxiliary_driver_register(&meter_driver, THIS_MODULE, "meter");
}

void cleanup_module(void)
{
	auxiliary_driver_unregister(&meter_driver); // FINDS:use-after-removal
}
