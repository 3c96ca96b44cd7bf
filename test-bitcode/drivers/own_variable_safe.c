// irkiss: ; expect: none ; lazy: yes
//
// The mode that is checked is a variable of who asks: the frame buffer's own is stored later, by the kernel. That initialisation has the
// frame buffer's own checked, within a call of its own, says nothing of the others.
#include "frame_buffer.h"

static int demo_check_var(struct fb_var_screeninfo *var, struct fb_info *info)
{
	var->bits_per_pixel = 16; // NORACE
	return 0;
}

static int demo_setcolreg(unsigned regno, unsigned red, unsigned green, unsigned blue, unsigned transp, struct fb_info *info)
{
	return info->var.bits_per_pixel == 16 ? 0 : -EINVAL; // NORACE
}

static struct fb_ops demo_ops = { .owner = THIS_MODULE, .fb_check_var = demo_check_var, .fb_setcolreg = demo_setcolreg };
DEMO(demo_ops)
