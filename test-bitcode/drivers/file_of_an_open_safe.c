// irkiss: ; expect: unknown ; lazy: yes ; reason: one object
//
// Who opens a node has a file that nobody else has yet, and never will have if that fails.
#include "part_linux.h"

struct v4l2_ioctl_ops {
	int (*vidioc_streamon)(struct file *file, void *fh, int type);
};
struct v4l2_file_operations {
	struct module *owner;
	int (*open)(struct file *file);
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
	busy = 1; // NORACE
	file->private_data = NULL; // NORACE
	return 0;
}

static int cam_open(struct file *file)
{
	file->private_data = &cam; // NORACE
	mutex_lock(&own);
	if (busy) { // NORACE
		mutex_unlock(&own);
		file->private_data = NULL; // NORACE
		return -EBUSY;
	}
	mutex_unlock(&own);
	return 0;
}

static const struct v4l2_ioctl_ops cam_ioctls = { .vidioc_streamon = cam_on };
static const struct v4l2_file_operations cam_fops = { .owner = THIS_MODULE, .open = cam_open };

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
