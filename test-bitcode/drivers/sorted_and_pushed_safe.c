// irkiss: ; expect: none ; lazy: yes
//
// An array is sorted, a scan is pushed to whoever reads them. Here the lock is held.
#include "part_linux.h"

extern void sort(void *base, size_t count, size_t size, int (*compare)(const void *, const void *), void (*swap)(void *, void *, int));
extern int iio_push_to_buffers(void *device, const void *data);

struct part {
    struct mutex lock;
    u64 longs[4];
    u32 values[4];
    u8 bytes[4];
    unsigned short scan[4];
};
static struct part part;

static int compare(const void *a, const void *b)
{
    return 0;
}

static ssize_t part_show(struct device *dev, struct device_attribute *attr, char *buf)
{
    ssize_t said = 0;

    mutex_lock(&part.lock);
    sort(part.longs, 4, sizeof(part.longs[0]), compare, NULL);
    sort(part.values, 4, sizeof(part.values[0]), compare, NULL);
    sort(part.bytes, 4, 1, compare, NULL);
    said += iio_push_to_buffers(NULL, part.scan);
    mutex_unlock(&part.lock);
    return said;
}

static ssize_t part_store(struct device *dev, struct device_attribute *attr, const char *buf, size_t count)
{
    mutex_lock(&part.lock);
    part.longs[0] = buf[0];
    part.values[1] = buf[0];
    part.bytes[0] = buf[0];
    part.scan[0] = buf[0];
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
