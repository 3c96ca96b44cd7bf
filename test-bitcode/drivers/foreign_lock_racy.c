// irkiss: ; expect: race ; lazy: yes
//
// As foreign_lock_safe.c, with the lock given back too early.
#include "part_linux.h"

struct core;
extern struct core *core_of(struct device *device);
extern void core_lock(struct core *core);
extern void core_unlock(struct core *core);
extern int core_write(struct core *core, unsigned int value);

static struct core *core;
static unsigned int shadow;

static long demo_ioctl(struct file *file, unsigned int command, unsigned long argument)
{
	int error;

	core_lock(core);
	shadow = argument; // RACE
	core_unlock(core);
	error = core_write(core, shadow); // RACE
	return error;
}

static const struct file_operations demo_fops = { .owner = THIS_MODULE, .unlocked_ioctl = demo_ioctl };
static struct miscdevice demo_device = { .minor = MISC_DYNAMIC_MINOR, .name = "demo", .fops = &demo_fops };

static int demo_probe(struct platform_device *pdev)
{
	core = core_of(&pdev->dev);
	return core ? misc_register(&demo_device) : -ENOMEM;
}

static struct platform_driver demo_driver = { .probe = demo_probe, .driver = { .name = "demo" } };

int init_module(void)
{
	return platform_driver_register(&demo_driver);
}
