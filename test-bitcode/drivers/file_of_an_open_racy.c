// irkiss: ; expect: race ; lazy: yes
//
// As file_of_an_open_safe.c, but it is a read that stores in the file: that of who asks for something at the same time.
#include "part_linux.h"

struct v4l2_ioctl_ops {
	int (*vidioc_streamon)(struct file *file, void *fh, int type);
};
struct v4l2_file_operations {
	struct module *owner;
	long (*read)(struct file *file, char *buffer, size_t size, long long *position);
};
struct video_device {
	const struct v4l2_file_operations *fops;
	struct device dev;
	const struct v4l2_ioctl_ops *ioctl_ops;
	struct mutex *lock;
};
extern int __video_register_device(struct video_device *vdev, int type, int nr, int warn, struct module *owner);

static DEFINE_MUTEX(own);
static struct video_device cam;
static int busy;

static int cam_on(struct file *file, void *fh, int type)
{
	busy = 1;
	file->private_data = NULL; // RACE
	return 0;
}

static long cam_read(struct file *file, char *buffer, size_t size, long long *position)
{
	file->private_data = &cam; // RACE
	mutex_lock(&own);
	if (busy) {
		mutex_unlock(&own);
		file->private_data = NULL; // RACE?
		return -EBUSY;
	}
	mutex_unlock(&own);
	return 0;
}

static const struct v4l2_ioctl_ops cam_ioctls = { .vidioc_streamon = cam_on };
static const struct v4l2_file_operations cam_fops = { .owner = THIS_MODULE, .read = cam_read };

static int cam_probe(struct platform_device *pdev)
{
	cam.fops = &cam_fops;
	cam.ioctl_ops = &cam_ioctls;
	cam.lock = &own;
	return __video_register_device(&cam, 0, -1, 1, THIS_MODULE);
}

static struct platform_driver cam_driver = { .probe = cam_probe, .driver = { .name = "cam" } };

int init_module(void)
{
	return platform_driver_register(&cam_driver);
}

void cleanup_module(void)
{
	platform_driver_unregister(&cam_driver);
}
