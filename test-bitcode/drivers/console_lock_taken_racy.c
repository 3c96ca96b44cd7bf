// irkiss: ; expect: race ; lazy: yes
//
// As console_lock_taken_safe.c, but the driver gives the lock back too early.
#include "part_linux.h"

struct fb_info;
struct fb_ops { struct module *owner; int (*fb_blank)(int blank, struct fb_info *info); };
struct fb_info { int node; struct mutex lock; const struct fb_ops *fbops; void *par; };
extern struct fb_info *framebuffer_alloc(size_t size, struct device *dev);
extern int register_framebuffer(struct fb_info *info);
extern void console_lock(void), console_unlock(void);
int on;

static int demo_blank(int blank, struct fb_info *info)
{
	on = !blank; // RACE
	return 0;
}
static const struct fb_ops demo_ops = { .owner = THIS_MODULE, .fb_blank = demo_blank };

static void demo_work(struct work_struct *work)
{
	console_lock();
	console_unlock();
	on = 0; // RACE
}
static struct work_struct work = { .func = demo_work };

static int demo_probe(struct platform_device *pdev)
{
	struct fb_info *info = framebuffer_alloc(0, &pdev->dev);
	int error;

	if (!info)
		return -ENOMEM;
	info->fbops = &demo_ops;
	error = register_framebuffer(info);
	if (!error)
		schedule_work(&work);
	return error;
}

static struct platform_driver demo_driver = { .probe = demo_probe, .driver = { .name = "demo" } };

int init_module(void)
{
	return platform_driver_register(&demo_driver);
}
