// irkiss: --pair camera_open,camera_s_fmt ; expect: race ; lazy: yes
//
// As first_open_safe.c, but whoever opens the device sets it up.
#include "streaming.h"

extern int v4l2_fh_open(struct file *file);
extern int v4l2_fh_release(struct file *file);
extern int v4l2_fh_is_singular(struct v4l2_fh *fh);

static struct { struct video_device video; u32 width; } camera;

static int camera_open(struct file *file)
{
	int error = v4l2_fh_open(file);

	if (error)
		return error;
	camera.width = 640; // RACE
	return 0;
}

static int camera_release(struct file *file)
{
	return v4l2_fh_release(file);
}

static int camera_s_fmt(struct file *file, void *fh, struct v4l2_format *format)
{
	camera.width = format->width; // RACE
	return 0;
}
static const struct v4l2_ioctl_ops camera_ioctl_ops = { .vidioc_s_fmt_vid_cap = camera_s_fmt };
static const struct v4l2_file_operations camera_fops = { .owner = THIS_MODULE, .open = camera_open, .release = camera_release };

static int camera_probe(struct platform_device *pdev)
{
	camera.video.fops = &camera_fops;
	camera.video.ioctl_ops = &camera_ioctl_ops;
	return __video_register_device(&camera.video, 0, -1, 1, THIS_MODULE);
}

static struct platform_driver camera_driver = { .probe = camera_probe, .driver = { .name = "camera" } };

int init_module(void)
{
	return platform_driver_register(&camera_driver);
}
