// irkiss: ; expect: none ; lazy: yes
//
// A search in a bitmap reads it as the kernel's atomic operations do: beside one it is meant to be, beside a plain write it is not.
// Here it is an atomic operation.
#include "part_linux.h"

extern unsigned long _find_first_bit(const unsigned long *map, unsigned long size);
extern unsigned long _find_first_zero_bit(const unsigned long *map, unsigned long size);
extern unsigned long _find_last_bit(const unsigned long *map, unsigned long size);
extern unsigned long _find_next_bit(const unsigned long *map, unsigned long size, unsigned long from);
extern unsigned long _find_next_zero_bit(const unsigned long *map, unsigned long size, unsigned long from);
extern unsigned long _find_first_and_bit(const unsigned long *a, const unsigned long *b, unsigned long size);
extern unsigned long _find_next_and_bit(const unsigned long *a, const unsigned long *b, unsigned long size, unsigned long from);

struct part {
    struct mutex lock;
    unsigned long map[7][2];
};
static struct part part;

static ssize_t part_show(struct device *dev, struct device_attribute *attr, char *buf)
{
    ssize_t said = 0;

    said += _find_first_bit(part.map[0], 128);
    said += _find_first_zero_bit(part.map[1], 128);
    said += _find_last_bit(part.map[2], 128);
    said += _find_next_bit(part.map[3], 128, 3);
    said += _find_next_zero_bit(part.map[4], 128, 3);
    said += _find_first_and_bit(part.map[5], part.map[5], 128);
    said += _find_next_and_bit(part.map[6], part.map[6], 128, 3);
    return said;
}

static ssize_t part_store(struct device *dev, struct device_attribute *attr, const char *buf, size_t count)
{
    mutex_lock(&part.lock);
    __atomic_fetch_or(&part.map[0][0], buf[0], __ATOMIC_SEQ_CST);
    __atomic_fetch_or(&part.map[1][1], buf[0], __ATOMIC_SEQ_CST);
    __atomic_fetch_or(&part.map[2][0], buf[0], __ATOMIC_SEQ_CST);
    __atomic_fetch_or(&part.map[3][1], buf[0], __ATOMIC_SEQ_CST);
    __atomic_fetch_or(&part.map[4][0], buf[0], __ATOMIC_SEQ_CST);
    __atomic_fetch_or(&part.map[5][1], buf[0], __ATOMIC_SEQ_CST);
    __atomic_fetch_or(&part.map[6][0], buf[0], __ATOMIC_SEQ_CST);
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
