// irkiss: ; expect: race ; lazy: yes
//
// As last_file_safe.c, but the driver does it when the device goes: files may still be open.
#include "part_linux.h"

struct v4l2_ioctl_ops {
	int (*vidioc_streamon)(struct file *file, void *fh, int type);
};
struct v4l2_file_operations {
	struct module *owner;
	long (*read)(struct file *file, char *buffer, size_t size, long long *position);
};
struct v4l2_device {
	struct device *dev;
	void (*release)(struct v4l2_device *device);
};
struct video_device {
	const struct v4l2_file_operations *fops;
	struct device dev;
	void (*release)(struct video_device *vdev);
	const struct v4l2_ioctl_ops *ioctl_ops;
	struct mutex *lock;
	struct v4l2_device *v4l2_dev;
};
extern int v4l2_device_register(struct device *dev, struct v4l2_device *device);
extern int __video_register_device(struct video_device *vdev, int type, int nr, int warn, struct module *owner);
extern void video_unregister_device(struct video_device *vdev);

static DEFINE_MUTEX(own);
static struct v4l2_device all;
static struct video_device cam;
int users, reads;

static int cam_on(struct file *file, void *fh, int type)
{
	users++; // RACE
	return 0;
}

static long cam_read(struct file *file, char *buffer, size_t size, long long *position)
{
	mutex_lock(&own);
	reads++; // RACE
	mutex_unlock(&own);
	return 0;
}

static const struct v4l2_ioctl_ops cam_ioctls = { .vidioc_streamon = cam_on };
static const struct v4l2_file_operations cam_fops = { .owner = THIS_MODULE, .read = cam_read };

static int cam_probe(struct platform_device *pdev)
{
	int error;

	error = v4l2_device_register(&pdev->dev, &all);
	if (error)
		return error;
	cam.fops = &cam_fops;
	cam.ioctl_ops = &cam_ioctls;
	cam.lock = &own;
	cam.v4l2_dev = &all;
	return __video_register_device(&cam, 0, -1, 1, THIS_MODULE);
}

static int cam_remove(struct platform_device *pdev)
{
	video_unregister_device(&cam);
	users = 0; // RACE
	reads = 0; // RACE
	return 0;
}

static struct platform_driver cam_driver = { .probe = cam_probe, .remove = cam_remove, .driver = { .name = "cam" } };

int init_module(void)
{
	return platform_driver_register(&cam_driver);
}

void cleanup_module(void)
{
	platform_driver_unregister(&cam_driver);
}
