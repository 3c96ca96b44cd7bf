// irkiss: ; expect: race ; lazy: yes
//
// As queue_ioctl_safe.c, but the device has a queue, whose lock (another one) is held around what concerns it.
#include "part_linux.h"

struct v4l2_ioctl_ops {
	int (*vidioc_streamon)(struct file *file, void *fh, int type);
	int (*vidioc_streamoff)(struct file *file, void *fh, int type);
};
struct v4l2_file_operations {
	struct module *owner;
	int (*open)(struct file *file);
	int (*release)(struct file *file);
};
struct vb2_queue { unsigned int type; struct mutex *lock; };
struct video_device {
	const struct v4l2_file_operations *fops;
	struct device dev;
	struct vb2_queue *queue;
	const struct v4l2_ioctl_ops *ioctl_ops;
	struct mutex *lock;
};
extern int __video_register_device(struct video_device *vdev, int type, int nr, int warn, struct module *owner);

static DEFINE_MUTEX(own);
static DEFINE_MUTEX(others);
static struct vb2_queue queue;
int users;

static int cam_on(struct file *file, void *fh, int type)
{
	users++; // RACE
	return 0;
}

static int cam_off(struct file *file, void *fh, int type)
{
	users--; // RACE
	return 0;
}

static int cam_release(struct file *file)
{
	mutex_lock(&own);
	users = 0; // RACE
	mutex_unlock(&own);
	return 0;
}

static const struct v4l2_ioctl_ops cam_ioctls = { .vidioc_streamon = cam_on, .vidioc_streamoff = cam_off };
static const struct v4l2_file_operations cam_fops = { .owner = THIS_MODULE, .release = cam_release };
static struct video_device cam;

static int cam_probe(struct platform_device *pdev)
{
	cam.fops = &cam_fops;
	cam.ioctl_ops = &cam_ioctls;
	cam.lock = &own;
	queue.lock = &others;
	cam.queue = &queue;
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
