// irkiss: --property uaf ; forms: nopass ; expect: uaf
//
// A state of processors that is removed without its teardown: the file stays that the startup has made.
#include "../drivers/part_linux.h"

extern int __cpuhp_setup_state(int state, const char *name, bool invoke, int (*startup)(unsigned int), int (*teardown)(unsigned int), bool multi);
extern void __cpuhp_remove_state(int state, bool invoke);
extern int device_create_file(struct device *device, const struct device_attribute *attribute);
extern void device_remove_file(struct device *device, const struct device_attribute *attribute);

struct sensor { int value; };
static struct sensor *sensor;
static struct device meter;
static int state;

static ssize_t value_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%d\n", sensor->value); // FREED
}

static struct device_attribute dev_attr_value = { { "value", 0400 }, value_show, NULL };

static int meter_online(unsigned int cpu)
{
	return device_create_file(&meter, &dev_attr_value);
}

static int meter_offline(unsigned int cpu)
{
	device_remove_file(&meter, &dev_attr_value);
	return 0;
}

int init_module(void)
{
	sensor = kzalloc(sizeof(*sensor), GFP_KERNEL);
	if (!sensor)
		return -ENOMEM;
	state = __cpuhp_setup_state(200, "meter", true, meter_online, meter_offline, false);
	if (state < 0) {
		kfree(sensor);
		return state;
	}
	return 0;
}

void cleanup_module(void)
{
	__cpuhp_remove_state(state, false);
	kfree(sensor);
}
