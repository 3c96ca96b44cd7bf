// irkiss: ; expect: race ; lazy: yes
//
// Functions without a model read the numbers that they are given the address of, where it is of something constant, and write them where
// it is not. Here it happens without the lock.
#include "part_linux.h"

extern unsigned int demo_weight(const unsigned long *map, unsigned int bits);
extern int demo_fill(unsigned int *values, int count);
extern int demo_send(void *context, const void *data, unsigned long length);

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
    said += demo_weight(part.map, 128); // RACE
    said += demo_fill(part.values, 4); // RACE
    said += demo_send(&part.count, part.bytes, 8); // RACE
    return said;
}

static ssize_t part_store(struct device *dev, struct device_attribute *attr, const char *buf, size_t count)
{
    mutex_lock(&part.lock);
    part.map[0] = buf[0]; // RACE
    part.values[0] = buf[1]; // RACE
    part.bytes[0] = buf[2]; // RACE
    part.count = buf[3];
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
