// irkiss: ; expect: none ; lazy: yes
//
// Many values of one register: what is read is written to memory, what is written is read there. Here the lock is held.
#include "part_linux.h"

extern void ioread32_rep(const void *address, void *to, unsigned long count);
extern void iowrite8_rep(void *address, const void *from, unsigned long count);
extern void *demo_registers;

struct part {
    struct mutex lock;
    char text[16];
    unsigned char bytes[8];
    unsigned int values[4];
    unsigned long map[2];
    int count;
};
static struct part part;

static ssize_t part_show(struct device *dev, struct device_attribute *attr, char *buf)
{
    int said = 0;
    mutex_lock(&part.lock);
    ioread32_rep(demo_registers, part.values, 2);
    iowrite8_rep(demo_registers, part.bytes, 8);
    mutex_unlock(&part.lock);
    return said;
}

static ssize_t part_store(struct device *dev, struct device_attribute *attr, const char *buf, size_t count)
{
    mutex_lock(&part.lock);
    part.values[1] = buf[0];
    part.bytes[7] = buf[1];
    mutex_unlock(&part.lock);
    return count;
}

static struct device_attribute dev_attr_part = { { "part", 0644 }, part_show, part_store };
extern int device_create_file(struct device *dev, const struct device_attribute *attr);
extern void device_remove_file(struct device *dev, const struct device_attribute *attr);

static int part_probe(struct platform_device *pdev)
{
    mutex_init(&part.lock);
    return device_create_file(&pdev->dev, &dev_attr_part);
}

static int part_remove(struct platform_device *pdev)
{
    device_remove_file(&pdev->dev, &dev_attr_part);
    return 0;
}

static struct platform_driver part_driver = { .probe = part_probe, .remove = part_remove, .driver = { .name = "part" } };

int init_module(void)
{
    return platform_driver_register(&part_driver);
}

void cleanup_module(void)
{
    platform_driver_unregister(&part_driver);
}
