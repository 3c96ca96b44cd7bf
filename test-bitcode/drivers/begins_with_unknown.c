// irkiss: ; expect: unknown ; reason: nothing tells whose object it is ; lazy: yes
//
// A struct of the driver's begins with one of the kernel's, which is reached by a pointer that nobody here has set: whose it is, is not known.
#include "part_linux.h"

struct hwspinlock_device;
struct hwspinlock { struct hwspinlock_device *bank; void *priv; };
struct hwspinlock_ops { int (*trylock)(struct hwspinlock *lock); void (*unlock)(struct hwspinlock *lock); };
struct hwspinlock_device { struct device *dev; const struct hwspinlock_ops *ops; int base_id, num_locks; };

struct bank { struct hwspinlock_device device; unsigned int tried; };
static struct bank *only;

static int bank_trylock(struct hwspinlock *lock)
{
	struct bank *bank = container_of(lock->bank, struct bank, device);

	__atomic_fetch_add(&bank->tried, 1, __ATOMIC_RELAXED);
	return 1;
}

static const struct hwspinlock_ops bank_ops = { .trylock = bank_trylock };
extern int hwspin_lock_register(struct hwspinlock_device *bank, struct device *device, const struct hwspinlock_ops *ops, int base, int count);

static ssize_t tried_show(struct device *device, struct device_attribute *attribute, char *buffer)
{
	return sysfs_emit(buffer, "%u\n", only->tried);
}

static struct device_attribute dev_attr_tried = { .attr = { "tried", 0444 }, .show = tried_show };
static struct attribute *bank_attrs[] = { &dev_attr_tried.attr, NULL };
static const struct attribute_group bank_group = { .attrs = bank_attrs };

static int bank_probe(struct platform_device *device)
{
	only = devm_kzalloc(&device->dev, sizeof(*only), GFP_KERNEL);
	if (!only)
		return -ENOMEM;
	if (hwspin_lock_register(&only->device, &device->dev, &bank_ops, 0, 4))
		return -EBUSY;
	return devm_device_add_group(&device->dev, &bank_group);
}

static struct platform_driver bank_driver = { .probe = bank_probe, .driver = { .name = "bank" } };

int init_module(void)
{
	return platform_driver_register(&bank_driver);
}

void cleanup_module(void)
{
	platform_driver_unregister(&bank_driver);
}
