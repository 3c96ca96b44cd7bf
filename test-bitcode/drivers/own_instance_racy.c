// irkiss: ; expect: race ; lazy: yes ; forms: nopass
//
// Memory of which each processor has an instance: who counts in its own meets nobody, who counts in the one of processor 0 meets others.
#include "part_linux.h"

extern unsigned long this_cpu_off;
static long counter;

static long *mine(long *base)
{
    long *own;
    __asm__("add %%gs:%1, %0" : "=r"(own) : "m"(this_cpu_off), "0"(base));
    return own;
}

static ssize_t count_store(struct device *dev, struct device_attribute *attr, const char *buf, size_t count)
{
    long *own = &counter;

    if (own && !IS_ERR(own))
        *own = *own + 1; // RACE
    return count;
}

static struct device_attribute dev_attr_count = { { "count", 0644 }, NULL, count_store };
extern int device_create_file(struct device *dev, const struct device_attribute *attr);

static int demo_probe(struct platform_device *pdev)
{
    return device_create_file(&pdev->dev, &dev_attr_count);
}

static struct platform_driver demo_driver = { .probe = demo_probe, .driver = { .name = "demo" } };

int init_module(void)
{
    return platform_driver_register(&demo_driver);
}

void cleanup_module(void)
{
    platform_driver_unregister(&demo_driver);
}
