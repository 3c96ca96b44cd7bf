// irkiss: ; expect: race ; lazy: yes ; forms: nopass
//
// As begun_two_objects_safe.c, but each is set up when it is registered.
#include "frame_buffer.h"

static int demo_check(struct fb_var_screeninfo *var, struct fb_info *info)
{
    return info->par != NULL; // RACE
}

static const struct fb_ops demo_ops = { .fb_check_var = demo_check };
static struct fb_info *screens[2];

static int make(struct device *device, int number)
{
    struct fb_info *info = framebuffer_alloc(0, device);
    int error;

    if (!info)
        return -ENOMEM;
    info->fbops = &demo_ops;
    error = register_framebuffer(info);
    if (error)
        return error;
    info->par = screens; // RACE
    screens[number] = info;
    return 0;
}

static int demo_probe(struct platform_device *pdev)
{
    int error = make(&pdev->dev, 0);

    return error ? error : make(&pdev->dev, 1);
}

static int demo_remove(struct platform_device *pdev)
{
    unregister_framebuffer(screens[1]);
    unregister_framebuffer(screens[0]);
    return 0;
}

static struct platform_driver demo_driver = { .probe = demo_probe, .remove = demo_remove, .driver = { .name = "demo" } };

int init_module(void)
{
    return platform_driver_register(&demo_driver);
}

void cleanup_module(void)
{
    platform_driver_unregister(&demo_driver);
}
