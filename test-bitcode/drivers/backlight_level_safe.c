// irkiss: ; expect: none ; lazy: yes
//
// A backlight is registered with the driver's data, which its accessor gives back to the operations: they write the level under the
// lock under which an attribute reads it, too.
#include "part_linux.h"

struct backlight_device;
struct backlight_properties { int brightness, max_brightness, power; };
struct backlight_ops {
    unsigned int options;
    int (*update_status)(struct backlight_device *);
    int (*get_brightness)(struct backlight_device *);
};
struct backlight_device { struct backlight_properties props; struct mutex update_lock, ops_lock; const struct backlight_ops *ops; struct device dev; };
extern struct backlight_device *backlight_device_register(const char *name, struct device *dev, void *devdata, const struct backlight_ops *ops,
                                                          const struct backlight_properties *props);
extern void backlight_device_unregister(struct backlight_device *bd);
static inline void *bl_get_data(struct backlight_device *bd)
{
    return dev_get_drvdata(&bd->dev);
}
extern int device_create_file(struct device *dev, const struct device_attribute *attr);
extern void device_remove_file(struct device *dev, const struct device_attribute *attr);

struct panel {
    struct backlight_device *bd;
    struct mutex lock;
    int level, steps;
};

static int panel_update(struct backlight_device *bd)
{
    struct panel *panel = bl_get_data(bd);

    mutex_lock(&panel->lock);
    panel->level = bd->props.brightness;
    mutex_unlock(&panel->lock);
    return 0;
}

static const struct backlight_ops panel_ops = { .update_status = panel_update };

static ssize_t level_show(struct device *dev, struct device_attribute *attr, char *buf)
{
    struct panel *panel = dev_get_drvdata(dev);
    int level;

    mutex_lock(&panel->lock);
    level = panel->level;
    mutex_unlock(&panel->lock);
    return sysfs_emit(buf, "%d\n", level);
}

static struct device_attribute dev_attr_level = { { "level", 0444 }, level_show, NULL };

static int panel_probe(struct platform_device *pdev)
{
    struct panel *panel = devm_kzalloc(&pdev->dev, sizeof(*panel), GFP_KERNEL);
    int error;

    if (!panel)
        return -ENOMEM;
    mutex_init(&panel->lock);
    platform_set_drvdata(pdev, panel);
    panel->bd = backlight_device_register("panel", &pdev->dev, panel, &panel_ops, NULL);
    if (IS_ERR(panel->bd))
        return PTR_ERR(panel->bd);
    error = device_create_file(&pdev->dev, &dev_attr_level);
    if (error)
        backlight_device_unregister(panel->bd);
    return error;
}

static int panel_remove(struct platform_device *pdev)
{
    struct panel *panel = platform_get_drvdata(pdev);

    device_remove_file(&pdev->dev, &dev_attr_level);
    backlight_device_unregister(panel->bd);
    return 0;
}

static struct platform_driver panel_driver = { .probe = panel_probe, .remove = panel_remove, .driver = { .name = "panel" } };

int init_module(void)
{
    return platform_driver_register(&panel_driver);
}

void cleanup_module(void)
{
    platform_driver_unregister(&panel_driver);
}
