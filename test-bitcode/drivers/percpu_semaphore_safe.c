// irkiss: ; forms: nopass ; expect: none ; lazy: yes
//
// As percpu_semaphore_racy.c, but who writes takes it for writing.
#include "part_linux.h"

struct percpu_rw_semaphore {
	unsigned int *read_count;
	int block;
};
extern int __percpu_init_rwsem(struct percpu_rw_semaphore *sem, const char *name, struct lock_class_key *key);
extern void percpu_down_write(struct percpu_rw_semaphore *sem);
extern void percpu_up_write(struct percpu_rw_semaphore *sem);
extern bool __percpu_down_read(struct percpu_rw_semaphore *sem, bool try);

/* As include/linux/percpu-rwsem.h has them. */
static inline void percpu_down_read(struct percpu_rw_semaphore *sem)
{
	if (!sem->block)
		(*sem->read_count)++;
	else
		__percpu_down_read(sem, false);
}

static inline void percpu_up_read(struct percpu_rw_semaphore *sem)
{
	(*sem->read_count)--;
}

static inline bool percpu_down_read_trylock(struct percpu_rw_semaphore *sem)
{
	return __percpu_down_read(sem, true);
}

static struct percpu_rw_semaphore sem;
static struct lock_class_key key;
static int shared_value;

static ssize_t value_store(struct device *dev, struct device_attribute *attr, const char *buf, size_t count)
{
	percpu_down_write(&sem);
	shared_value++;
	percpu_up_write(&sem);
	return count;
}

static ssize_t value_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	int value;

	if (!percpu_down_read_trylock(&sem))
		return -EBUSY;
	value = shared_value;
	percpu_up_read(&sem);
	return sysfs_emit(buf, "%d\n", value);
}

static struct device_attribute dev_attr_value = { { "value", 0600 }, value_show, value_store };
static struct attribute *demo_attrs[] = { &dev_attr_value.attr, NULL };
static const struct attribute_group demo_group = { .attrs = demo_attrs };

static int demo_probe(struct platform_device *pdev)
{
	int ret = __percpu_init_rwsem(&sem, "sem", &key);

	if (ret)
		return ret;
	return devm_device_add_group(&pdev->dev, &demo_group);
}

static int demo_remove(struct platform_device *pdev)
{
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
