// irkiss: ; expect: none ; lazy: yes
//
// A wound/wait mutex keeps tasks apart as any other does; with a context the task may be told to give back what it has, and then it has
// not taken this one.
#include "part_linux.h"

struct ww_acquire_ctx { int taken; };
struct ww_mutex { struct mutex base; struct ww_acquire_ctx *ctx; };
extern int ww_mutex_lock(struct ww_mutex *lock, struct ww_acquire_ctx *ctx);
extern int ww_mutex_lock_interruptible(struct ww_mutex *lock, struct ww_acquire_ctx *ctx);
extern int ww_mutex_trylock(struct ww_mutex *lock, struct ww_acquire_ctx *ctx);
extern void ww_mutex_unlock(struct ww_mutex *lock);

struct part {
    struct ww_mutex lock;
    int count, other;
};
static struct part part;

static ssize_t part_show(struct device *dev, struct device_attribute *attr, char *buf)
{
    int count;

    if (!ww_mutex_trylock(&part.lock, NULL))
        return 0;
    count = part.count;
    ww_mutex_unlock(&part.lock);
    return count;
}

static ssize_t part_store(struct device *dev, struct device_attribute *attr, const char *buf, size_t count)
{
    struct ww_acquire_ctx context = { 0 };
    int error = ww_mutex_lock(&part.lock, &context);

    if (error)
        return error;
    part.count++;
    ww_mutex_unlock(&part.lock);
    ww_mutex_lock(&part.lock, NULL);
    part.other++;
    ww_mutex_unlock(&part.lock);
    if (ww_mutex_lock_interruptible(&part.lock, NULL))
        return count;
    part.other = 0;
    part.count--;
    ww_mutex_unlock(&part.lock);
    return count;
}

static struct device_attribute dev_attr_part = { { "part", 0644 }, part_show, part_store };
extern int device_create_file(struct device *dev, const struct device_attribute *attr);
extern void device_remove_file(struct device *dev, const struct device_attribute *attr);

static int part_probe(struct platform_device *pdev)
{
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
