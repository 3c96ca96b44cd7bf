// irkiss: --property removed ; expect: none ; lazy: yes
//
// An ioctl is of an open file of the video device, which holds a reference of the module that its file operations name. The device has both
// operations, in its initialiser or by the function that sets it up.
#include "../drivers/part_linux.h"

struct v4l2_fh;
struct v4l2_ioctl_ops {
	int (*vidioc_s_input)(struct file *, struct v4l2_fh *, unsigned int);
	int (*vidioc_g_input)(struct file *, struct v4l2_fh *, unsigned int *);
};
struct v4l2_file_operations {
	struct module *owner;
	int (*open)(struct file *);
	long (*unlocked_ioctl)(struct file *, unsigned int, unsigned long);
};
struct video_device {
	const struct v4l2_file_operations *fops;
	const char *name;
	const struct v4l2_ioctl_ops *ioctl_ops;
};
extern int __video_register_device(struct video_device *device, int type, int nr, int warn, struct module *owner);
extern void video_unregister_device(struct video_device *device);
extern long video_ioctl2(struct file *, unsigned int, unsigned long);

static int input;

static int demo_s_input(struct file *file, struct v4l2_fh *handle, unsigned int number)
{
	__atomic_store_n(&input, number, __ATOMIC_RELAXED);
	return 0;
}

static int demo_g_input(struct file *file, struct v4l2_fh *handle, unsigned int *number)
{
	*number = __atomic_load_n(&input, __ATOMIC_RELAXED);
	return 0;
}

static int demo_open(struct file *file)
{
	__atomic_store_n(&input, 1, __ATOMIC_RELAXED);
	return 0;
}

static const struct v4l2_file_operations demo_fops = { .owner = THIS_MODULE, .open = demo_open, .unlocked_ioctl = video_ioctl2 };
static const struct v4l2_ioctl_ops first_ops = { .vidioc_s_input = demo_s_input };
static const struct v4l2_ioctl_ops second_ops = { .vidioc_g_input = demo_g_input };
static struct video_device first = { .fops = &demo_fops, .ioctl_ops = &first_ops };
static struct { int number; struct video_device device; } second;

int init_module(void)
{
	int error = __video_register_device(&first, 0, -1, 1, first.fops->owner);

	if (error)
		return error;
	second.device.fops = &demo_fops;
	second.device.ioctl_ops = &second_ops;
	error = __video_register_device(&second.device, 0, -1, 1, second.device.fops->owner);
	if (error)
		video_unregister_device(&first);
	return error;
}

void cleanup_module(void)
{
	video_unregister_device(&second.device);
	video_unregister_device(&first);
}
