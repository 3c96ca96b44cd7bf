// irkiss: ; expect: race
//
// As destroyed_safe.c, but the device stays while its state goes.
#include "net.h"

struct class {
    const char *name;
    const struct attribute_group **dev_groups;
};
extern struct device *device_create(const struct class *class, struct device *parent, unsigned int number, void *data, const char *name, ...);
extern void device_destroy(const struct class *class, unsigned int number);

int level;

static ssize_t level_show(struct device *dev, struct device_attribute *attribute, char *page)
{
    return level; // RACE
}
static DEVICE_ATTR(level, 0444, level_show, NULL);
static struct attribute *demo_attrs[] = { &dev_attr_level.attr, NULL };
static const struct attribute_group demo_group = { .attrs = demo_attrs };
static const struct attribute_group *demo_groups[] = { &demo_group, NULL };
static struct class demo_class = { .name = "demo", .dev_groups = demo_groups };

static int demo_init(void)
{
    device_create(&demo_class, NULL, 5, NULL, "demo");
    return 0;
}

static void demo_exit(void)
{
    level = 0; // RACE
}

module_init(demo_init)
module_exit(demo_exit)
