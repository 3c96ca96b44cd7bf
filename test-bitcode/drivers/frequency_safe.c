// irkiss: ; expect: none ; lazy: yes
//
// What sets a frequency asks for no lock of the driver's, nor does what tells it; once the driver is unregistered both are over.
#include "part_linux.h"

struct cpufreq_policy { unsigned int cpu, cur; };
struct cpufreq_driver {
	char name[16];
	int (*init)(struct cpufreq_policy *policy);
	int (*target_index)(struct cpufreq_policy *policy, unsigned int index);
	unsigned int (*get)(unsigned int cpu);
	int (*exit)(struct cpufreq_policy *policy);
};
extern int cpufreq_register_driver(struct cpufreq_driver *driver);
extern int cpufreq_unregister_driver(struct cpufreq_driver *driver);

static DEFINE_SPINLOCK(lock);
int divider, clock;

static int demo_init(struct cpufreq_policy *policy)
{
	return 0;
}

static int demo_target(struct cpufreq_policy *policy, unsigned int index)
{
	spin_lock(&lock);
	divider = index; // NORACE
	spin_unlock(&lock);
	return 0;
}

static unsigned int demo_get(unsigned int cpu)
{
	unsigned int now;

	spin_lock(&lock);
	now = divider; // NORACE
	spin_unlock(&lock);
	return now + clock; // NORACE
}
static struct cpufreq_driver demo_frequency = { .name = "demo", .init = demo_init, .target_index = demo_target, .get = demo_get };

static int demo_probe(struct platform_device *pdev)
{
	clock = 1000;
	return cpufreq_register_driver(&demo_frequency);
}

static int demo_remove(struct platform_device *pdev)
{
	cpufreq_unregister_driver(&demo_frequency);
	clock = 0; // NORACE
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
