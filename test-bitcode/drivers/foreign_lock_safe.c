// irkiss: ; expect: none ; lazy: yes
//
// The core of the chip, another module, has the lock: its functions are known by their names alone (drivers/mfd/mc13xxx-core.c: mc13xxx_lock,
// mc13xxx_unlock).
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
	shadow = argument;
	error = core_write(core, shadow);
	core_unlock(core);
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
