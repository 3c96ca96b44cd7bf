// irkiss: ; expect: none ; lazy: yes
//
// Many values of one register: what is read is written to memory, what is written is read there. Here the lock is held.
#include "part_linux.h"

extern void ioread8_rep(const void *address, void *to, unsigned long count);
extern void iowrite8_rep(void *address, const void *from, unsigned long count);
extern void ioread16_rep(const void *address, void *to, unsigned long count);
extern void iowrite16_rep(void *address, const void *from, unsigned long count);
extern void ioread32_rep(const void *address, void *to, unsigned long count);
extern void iowrite32_rep(void *address, const void *from, unsigned long count);
extern void *demo_registers;

struct part {
    struct mutex lock;
    u8 bytes[2][4];
    unsigned short shorts[2][4];
    u32 words[2][4];
};
static struct part part;

static ssize_t part_show(struct device *dev, struct device_attribute *attr, char *buf)
{
    ssize_t said = 0;

    mutex_lock(&part.lock);
    ioread8_rep(demo_registers, part.bytes[0], 4);
    ioread16_rep(demo_registers, part.shorts[0], 4);
    ioread32_rep(demo_registers, part.words[0], 4);
    iowrite8_rep(demo_registers, part.bytes[1], 4);
    iowrite16_rep(demo_registers, part.shorts[1], 4);
    iowrite32_rep(demo_registers, part.words[1], 4);
    mutex_unlock(&part.lock);
    return said;
}

static ssize_t part_store(struct device *dev, struct device_attribute *attr, const char *buf, size_t count)
{
    mutex_lock(&part.lock);
    part.bytes[0][3] = buf[0];
    part.shorts[0][3] = buf[0];
    part.words[0][3] = buf[0];
    part.bytes[1][3] = buf[0];
    part.shorts[1][3] = buf[0];
    part.words[1][3] = buf[0];
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
