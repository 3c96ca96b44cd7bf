// What a driver of a frame buffer needs of include/linux/fb.h.
#include "part_linux.h"

struct fb_info;
struct fb_var_screeninfo { unsigned xres, yres, xoffset, yoffset, bits_per_pixel; };
struct fb_ops {
	struct module *owner;
	int (*fb_check_var)(struct fb_var_screeninfo *var, struct fb_info *info);
	int (*fb_setcolreg)(unsigned regno, unsigned red, unsigned green, unsigned blue, unsigned transp, struct fb_info *info);
	int (*fb_pan_display)(struct fb_var_screeninfo *var, struct fb_info *info);
	int (*fb_ioctl)(struct fb_info *info, unsigned int command, unsigned long argument);
};
struct fb_info {
	struct mutex lock, mm_lock;
	struct fb_var_screeninfo var;
	const struct fb_ops *fbops;
	void *par;
};
extern struct fb_info *framebuffer_alloc(size_t size, struct device *dev);
extern void framebuffer_release(struct fb_info *info);
extern int register_framebuffer(struct fb_info *info);
extern void unregister_framebuffer(struct fb_info *info);
extern int fb_find_mode(struct fb_var_screeninfo *var, struct fb_info *info, const char *option, const void *db, unsigned size,
			const void *mode, unsigned bpp);

unsigned palette[16], start;

// Initialisation and the end of a driver with those operations.
#define DEMO(ops) \
	static int demo_probe(struct platform_device *pdev) \
	{ \
		struct fb_info *info = framebuffer_alloc(0, &pdev->dev); \
		int error; \
		if (!info) \
			return -ENOMEM; \
		info->fbops = &ops; \
		platform_set_drvdata(pdev, info); \
		if (!fb_find_mode(&info->var, info, NULL, NULL, 0, NULL, 16)) \
			return -EINVAL; \
		error = register_framebuffer(info); \
		if (error) \
			framebuffer_release(info); \
		return error; \
	} \
	static int demo_remove(struct platform_device *pdev) \
	{ \
		unregister_framebuffer(platform_get_drvdata(pdev)); \
		return 0; \
	} \
	static struct platform_driver demo_driver = { .probe = demo_probe, .remove = demo_remove, .driver = { .name = "demo" } }; \
	int init_module(void) \
	{ \
		return platform_driver_register(&demo_driver); \
	} \
	void cleanup_module(void) \
	{ \
		platform_driver_unregister(&demo_driver); \
	}
