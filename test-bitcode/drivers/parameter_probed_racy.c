// irkiss: ; expect: race ; lazy: yes
//
// As parameter_probed_safe.c, but a device is entered without the lock.
#include "part_linux.h"

struct kernel_param;
struct kernel_param_ops {
	unsigned int flags;
	int (*set)(const char *text, const struct kernel_param *parameter);
	int (*get)(char *buffer, const struct kernel_param *parameter);
	void (*free)(void *arg);
};
struct kernel_param {
	const char *name;
	struct module *mod;
	const struct kernel_param_ops *ops;
	const unsigned short perm;
	signed char level;
	unsigned char flags;
	union { void *arg; };
};

static DEFINE_MUTEX(lock);
static struct device *devices[2];

static int slot_probe(struct platform_device *device)
{
	int slot, error = -EBUSY;

#if 0
	mutex_lock(&lock);
#endif
	for (slot = 0; slot < 2; slot++) {
		if (!devices[slot]) {
			devices[slot] = &device->dev; // RACE
			error = 0;
			break;
		}
	}
#if 0
	mutex_unlock(&lock);
#endif
	return error;
}

static int count_get(char *buffer, const struct kernel_param *parameter)
{
	int count;

	mutex_lock(&lock);
	count = !!devices[0]; // RACE
	mutex_unlock(&lock);
	return sysfs_emit(buffer, "%d\n", count);
}

static const struct kernel_param_ops count_ops = { .get = count_get };
static const struct kernel_param count_parameter __attribute__((used, section("__param"), aligned(sizeof(void *)))) =
	{ "count", THIS_MODULE, &count_ops, 0444, -1, 0, { NULL } };
static struct platform_driver slot_driver = { .probe = slot_probe, .driver = { .name = "slot" } };

int init_module(void)
{
	return platform_driver_register(&slot_driver);
}

void cleanup_module(void)
{
	platform_driver_unregister(&slot_driver);
}
