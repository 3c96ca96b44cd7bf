// irkiss: ; expect: race ; lazy: yes
//
// Handles that have been taken back are not counted: the first one is the only one, then and after a file has been opened and given back.
#include "streaming.h"

extern int v4l2_fh_open(struct file *file);
extern int v4l2_fh_release(struct file *file);
extern void v4l2_fh_add(struct v4l2_fh *fh);
extern void v4l2_fh_del(struct v4l2_fh *fh);
extern int v4l2_fh_is_singular(struct v4l2_fh *fh);

static struct video_device video;
static struct v4l2_fh first, second;
static struct file given_back;
static int alone, after;

static int camera_s_fmt(struct file *file, void *fh, struct v4l2_format *format)
{
	if (v4l2_fh_is_singular(&first))
		alone++; // RACE
	return 0;
}
static const struct v4l2_ioctl_ops camera_ioctl_ops = { .vidioc_s_fmt_vid_cap = camera_s_fmt };
static const struct v4l2_file_operations camera_fops = { .owner = THIS_MODULE };

static ssize_t camera_read(struct file *file, char __user *buffer, size_t bytes, loff_t *position)
{
	if (v4l2_fh_is_singular(given_back.private_data))
		after++; // RACE
	return 0;
}
static const struct file_operations read_fops = { .owner = THIS_MODULE, .read = camera_read };
static struct miscdevice read_misc = { .minor = 255, .name = "read", .fops = &read_fops };

static int camera_probe(struct platform_device *pdev)
{
	struct file opened = { 0 };

	v4l2_fh_init(&first, &video);
	v4l2_fh_init(&second, &video);
	v4l2_fh_add(&first);
	v4l2_fh_add(&second);
	v4l2_fh_del(&second);
	if (v4l2_fh_open(&opened) || v4l2_fh_open(&given_back))
		return -ENOMEM;
	v4l2_fh_release(&opened);
	video.fops = &camera_fops;
	video.ioctl_ops = &camera_ioctl_ops;
	if (misc_register(&read_misc))
		return -EIO;
	return __video_register_device(&video, 0, -1, 1, THIS_MODULE);
}

static struct platform_driver camera_driver = { .probe = camera_probe, .driver = { .name = "camera" } };

int init_module(void)
{
	return platform_driver_register(&camera_driver);
}
