// irkiss: ; expect: unknown ; lazy: yes
//
// Another module registers the video device, and may give it a lock that the core holds around ioctls: nothing says whether it does.
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
extern int saa7146_register_device(struct video_device *device, void *dev, const char *name, int type);

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
    return saa7146_register_device(&video, NULL, "demo", 0);
}

module_init(demo_init)
