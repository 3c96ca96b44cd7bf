// irkiss: ; expect: none ; lazy: yes
//
// As core_probe_racy.c, but who shows the level takes the lock, too.
#include "part_linux.h"

extern int device_create_file(struct device *device, const struct device_attribute *attribute);

struct core {
	struct device *device;
	struct mutex lock;
	int level;
};

static ssize_t level_show(struct device *device, struct device_attribute *attribute, char *text)
{
	struct core *core = dev_get_drvdata(device);
	int level;
	mutex_lock(&core->lock);
	level = core->level; // NORACE
	mutex_unlock(&core->lock);
	return level;
}

static ssize_t level_store(struct device *device, struct device_attribute *attribute, const char *text, size_t size)
{
	struct core *core = dev_get_drvdata(device);
	mutex_lock(&core->lock);
	core->level++; // NORACE
	mutex_unlock(&core->lock);
	return size;
}

static struct device_attribute dev_attr_level = { { "level", 0644 }, level_show, level_store };

int demo_core_probe(struct device *device, int irq)
{
	struct core *core = devm_kzalloc(device, sizeof(*core), GFP_KERNEL);
	if (!core)
		return -ENOMEM;
	core->device = device;
	mutex_init(&core->lock);
	dev_set_drvdata(device, core);
	return device_create_file(device, &dev_attr_level);
}
