// irkiss: ; expect: none ; lazy: yes
//
// A device that is released has no attributes any more: the driver core has removed them, and waited for those in them.
#include "net.h"

struct device_type {
    const char *name;
    const struct attribute_group **groups;
    void (*release)(struct device *device);
};
struct sysfs_ops {
    ssize_t (*show)(void *kobject, struct attribute *attribute, char *buffer);
};
struct kobj_type {
    void (*release)(void *kobject);
    const struct sysfs_ops *sysfs_ops;
};
extern const struct device_type *keep_type(const struct device_type *type);
extern int kobject_init_and_add(void *kobject, const struct kobj_type *type, void *parent, const char *name);

static int level, depth;

static ssize_t level_show(struct device *device, struct device_attribute *attribute, char *buffer)
{
    return level; // NORACE
}
static DEVICE_ATTR(level, 0444, level_show, NULL);

static struct attribute *demo_attributes[] = { &dev_attr_level.attr, NULL };
static const struct attribute_group demo_group = { .attrs = demo_attributes };
static const struct attribute_group *demo_groups[] = { &demo_group, NULL };

static void demo_release(struct device *device)
{
    level = 1; // NORACE
}

const struct device_type demo_type = { .name = "demo", .groups = demo_groups, .release = demo_release };

static ssize_t depth_show(void *kobject, struct attribute *attribute, char *buffer)
{
    return depth; // NORACE
}
static const struct sysfs_ops demo_ops = { .show = depth_show };

static void demo_object_release(void *kobject)
{
    depth = 1; // NORACE
}
static const struct kobj_type demo_kind = { .release = demo_object_release, .sysfs_ops = &demo_ops };

static int demo_init(void)
{
    keep_type(&demo_type);
    return kobject_init_and_add(NULL, &demo_kind, NULL, "demo");
}

module_init(demo_init)
