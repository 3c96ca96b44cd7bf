// irkiss: ; expect: race ; lazy: yes
//
// As own_variable_safe.c, but the check of a mode changes the frame buffer's own as well, and a way to pan is given that of the frame
// buffer, too: it is read without the lock under which an ioctl writes.
#include "frame_buffer.h"

static int demo_check_var(struct fb_var_screeninfo *var, struct fb_info *info)
{
	var->bits_per_pixel = 16;
	info->var.bits_per_pixel = 16; // RACE
	return 0;
}

static int demo_setcolreg(unsigned regno, unsigned red, unsigned green, unsigned blue, unsigned transp, struct fb_info *info)
{
	palette[regno & 15] = info->var.bits_per_pixel == 16 ? red : green; // RACE
	return 0;
}

static int demo_pan(struct fb_var_screeninfo *var, struct fb_info *info)
{
	start = var->yoffset; // RACE
	return 0;
}

static int demo_ioctl(struct fb_info *info, unsigned int command, unsigned long argument)
{
	info->var.yoffset = 0; // RACE
	return 0;
}

static struct fb_ops demo_ops = {
	.owner = THIS_MODULE,
	.fb_check_var = demo_check_var,
	.fb_setcolreg = demo_setcolreg,
	.fb_pan_display = demo_pan,
	.fb_ioctl = demo_ioctl,
};
DEMO(demo_ops)
