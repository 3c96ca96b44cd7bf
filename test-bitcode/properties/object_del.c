// irkiss: --property uaf,removed ; forms: nopass ; expect: none ; lazy: yes
//
// kobject_del() removes the directory of an object with the attributes in it, and waits, whoever has the object.
#include "../drivers/part_linux.h"

struct kobject { const char *name; };
struct kobj_attribute {
	struct attribute attr;
	ssize_t (*show)(struct kobject *kobj, struct kobj_attribute *attr, char *buf);
	ssize_t (*store)(struct kobject *kobj, struct kobj_attribute *attr, const char *buf, size_t count);
};
extern struct kobject *kernel_kobj;
extern struct kobject *kobject_create_and_add(const char *name, struct kobject *parent);
extern struct kobject *kobject_get(struct kobject *kobj);
extern void kobject_put(struct kobject *kobj);
extern void kobject_del(struct kobject *kobj);
extern int sysfs_create_file_ns(struct kobject *kobj, const struct attribute *attr, const void *ns);

struct demo { int level; };
static struct demo *demo;
static struct kobject *demo_object;

static ssize_t level_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	return demo->level;
}
static struct kobj_attribute level_attribute = { { "level", 0444 }, level_show, NULL };

int init_module(void)
{
	int error;

	demo = kzalloc(sizeof(*demo), GFP_KERNEL);
	if (!demo)
		return -ENOMEM;
	demo_object = kobject_create_and_add("demo", kernel_kobj);
	if (!demo_object) {
		kfree(demo);
		return -ENOMEM;
	}
	kobject_get(demo_object);
	error = sysfs_create_file_ns(demo_object, &level_attribute.attr, NULL);
	if (error) {
		kobject_put(demo_object);
		kfree(demo);
	}
	return error;
}

void cleanup_module(void)
{
	kobject_del(demo_object);
	kfree(demo);
	kobject_put(demo_object);
}
