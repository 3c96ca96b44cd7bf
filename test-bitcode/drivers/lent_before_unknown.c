// irkiss: ; expect: unknown ; lazy: yes
//
// As lent_before_racy.c, but another module has set the video device up before it is registered, and may have given it a lock.
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
    input = number;
    return 0;
}
static int demo_g_input(struct file *file, struct v4l2_fh *handle, unsigned int *number)
{
    *number = input;
    return 0;
}
static const struct v4l2_ioctl_ops video_ops = { .vidioc_s_input = demo_s_input, .vidioc_g_input = demo_g_input };
static struct video_device video = { .ioctl_ops = &video_ops };

static int demo_init(void)
{
    shared_vdev_init(&video, "demo");
    return __video_register_device(&video, 0, -1, 1, THIS_MODULE);
}

module_init(demo_init)
