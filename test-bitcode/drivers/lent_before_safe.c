// irkiss: ; expect: none ; lazy: yes
//
// As lent_before_racy.c, but the video device has a lock from the beginning.
#include "kernel.h"

struct v4l2_fh;
struct v4l2_ioctl_ops {
    int (*vidioc_s_input)(struct file *, struct v4l2_fh *, unsigned int);
    int (*vidioc_g_input)(struct file *, struct v4l2_fh *, unsigned int *);
};
struct video_device {
    const char *name;
    const struct v4l2_ioctl_ops *ioctl_ops;
    struct mutex *lock;
};
extern void shared_vdev_init(struct video_device *device, const char *name);
extern int __video_register_device(struct video_device *device, int type, int number, int warn, struct module *owner);

static int input;

static int demo_s_input(struct file *file, struct v4l2_fh *handle, unsigned int number)
{
    input = number; // NORACE
    return 0;
}
static int demo_g_input(struct file *file, struct v4l2_fh *handle, unsigned int *number)
{
    *number = input; // NORACE
    return 0;
}
static const struct v4l2_ioctl_ops video_ops = { .vidioc_s_input = demo_s_input, .vidioc_g_input = demo_g_input };
static DEFINE_MUTEX(lock);
static struct video_device video = { .ioctl_ops = &video_ops, .lock = &lock };

static int demo_init(void)
{
    int error = __video_register_device(&video, 0, -1, 1, THIS_MODULE);

    if (error)
        return error;
    shared_vdev_init(&video, "demo");
    return 0;
}

module_init(demo_init)
