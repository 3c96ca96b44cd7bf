// irkiss: ; expect: race ; lazy: yes
//
// As frame_buffer_gone_safe.c, but it is the end of the device that destroys it: it may still be open.
#include "part_linux.h"

struct fb_info;
struct fb_ops {
	struct module *owner;
	int (*fb_open)(struct fb_info *info, int user);
	void (*fb_destroy)(struct fb_info *info);
	int (*fb_ioctl)(struct fb_info *info, unsigned int command, unsigned long argument);
};
struct fb_info {
	struct mutex lock, mm_lock;
	const struct fb_ops *fbops;
	void *par;
};
extern struct fb_info *framebuffer_alloc(size_t size, struct device *dev);
extern int register_framebuffer(struct fb_info *info);
extern void unregister_framebuffer(struct fb_info *info);

int users;

static int demo_open(struct fb_info *info, int user)
{
	users++; // RACE
	return 0;
}

static int demo_ioctl(struct fb_info *info, unsigned int command, unsigned long argument)
{
	users++; // RACE
	return 0;
}

static const struct fb_ops demo_ops = { .owner = THIS_MODULE, .fb_open = demo_open, .fb_ioctl = demo_ioctl };

static int demo_probe(struct platform_device *pdev)
{
	struct fb_info *info = framebuffer_alloc(0, &pdev->dev);

	if (!info)
		return -ENOMEM;
	info->fbops = &demo_ops;
	platform_set_drvdata(pdev, info);
	return register_framebuffer(info);
}

static int demo_remove(struct platform_device *pdev)
{
	unregister_framebuffer(platform_get_drvdata(pdev));
	users = 0; // RACE
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
