// irkiss: ; expect: race ; lazy: yes
//
// A processor comes while somebody uses what its callback sets (kernel/cpu.c: cpuhp_invoke_callback).
#include "part_linux.h"

extern void cpus_read_lock(void);
extern void cpus_read_unlock(void);
extern int cpus_read_trylock(void);
extern int __cpuhp_setup_state(int state, const char *name, bool invoke, int (*startup)(unsigned int), int (*teardown)(unsigned int), bool multi);
extern void __cpuhp_remove_state(int state, bool invoke);

static int last;

static int demo_online(unsigned int cpu)
{
	last = cpu; // RACE
	return 0;
}

static ssize_t value_store(struct device *dev, struct device_attribute *attr, const char *buf, size_t count)
{
	last = -1; // RACE
	return count;
}

static ssize_t value_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	int value;

	value = last; // RACE
	return sysfs_emit(buf, "%d\n", value);
}

static struct device_attribute dev_attr_value = { { "value", 0600 }, value_show, value_store };
static struct attribute *demo_attrs[] = { &dev_attr_value.attr, NULL };
static const struct attribute_group demo_group = { .attrs = demo_attrs };

static int demo_probe(struct platform_device *pdev)
{
	int ret = __cpuhp_setup_state(200, "demo", false, demo_online, NULL, false);

	if (ret < 0)
		return ret;
	return devm_device_add_group(&pdev->dev, &demo_group);
}

static int demo_remove(struct platform_device *pdev)
{
	__cpuhp_remove_state(200, false);
	return 0;
}

static struct platform_driver demo_driver = { .probe = demo_probe, .remove = demo_remove, .driver = { .name = "demo" } };

int init_module(void)
{
	return platform_driver_register(&demo_driver);
}

void cleanup_module(void)
{
	platform_driver_unregister(&demo_driver);
}
