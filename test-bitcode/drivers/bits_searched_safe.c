// irkiss: ; expect: none ; lazy: yes
//
// A search in a bitmap reads it as an atomic operation would: beside one it is meant to be, beside a plain write it is not. Here the lock is held.
#include "part_linux.h"

extern unsigned long _find_first_zero_bit(const unsigned long *map, unsigned long size);
extern unsigned long _find_next_bit(const unsigned long *map, unsigned long size, unsigned long from);

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
    said += _find_first_zero_bit(part.map, 128);
    said += _find_next_bit(&part.map[1], 64, 3);
    mutex_unlock(&part.lock);
    return said;
}

static ssize_t part_store(struct device *dev, struct device_attribute *attr, const char *buf, size_t count)
{
    mutex_lock(&part.lock);
    part.map[0] |= buf[0];
    part.map[1] = 0;
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
