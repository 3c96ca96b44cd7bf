// irkiss: --pair demo_suspend,demo_get_modes ; expect: none ; lazy: yes
//
// drm_panel_init stores the device in the panel: who uses that device keeps it awake.
#include "platform.h"

struct drm_panel;
struct drm_panel_funcs {
    int (*get_modes)(struct drm_panel *, void *);
};
struct list_of_panels {
    struct list_head head;
};
struct drm_panel {
    struct device *dev;
    void *backlight;
    const struct drm_panel_funcs *funcs;
    int connector_type;
    struct list_of_panels list;
};
extern void drm_panel_init(struct drm_panel *, struct device *, const struct drm_panel_funcs *, int type);
extern void drm_panel_add(struct drm_panel *);

static struct drm_panel panel;
int edid;

static int demo_get_modes(struct drm_panel *own, void *connector)
{
    pm_runtime_get_sync(own->dev);
    edid = 1; // NORACE
    pm_runtime_put_autosuspend(own->dev);
    return 1;
}
static const struct drm_panel_funcs demo_funcs = { .get_modes = demo_get_modes };

static int demo_suspend(struct device *device)
{
    edid = 0; // NORACE
    return 0;
}

static int demo_resume(struct device *device)
{
    return 0;
}
static const struct dev_pm_ops demo_pm = { .runtime_suspend = demo_suspend, .runtime_resume = demo_resume };

static int demo_probe(struct platform_device *pdev)
{
    drm_panel_init(&panel, &pdev->dev, &demo_funcs, 1);
    pm_runtime_enable(&pdev->dev);
    drm_panel_add(&panel);
    return 0;
}

static struct platform_driver demo_driver = { .probe = demo_probe, .driver = { .name = "demo", .pm = &demo_pm } };

PLATFORM_MODULE(demo_driver)
