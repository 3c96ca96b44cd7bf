// irkiss: ; expect: race ; lazy: yes
//
// A sub-device with a node of its own: any process sets its controls while the bridge chooses another input.
#include "kernel.h"

struct v4l2_subdev;
struct v4l2_subdev_video_ops {
    int (*s_routing)(struct v4l2_subdev *, unsigned int input, unsigned int output, unsigned int config);
};
struct v4l2_subdev_ops {
    const struct v4l2_subdev_video_ops *video;
};
struct v4l2_subdev {
    unsigned int flags;
    const struct v4l2_subdev_ops *ops;
};
struct v4l2_ctrl;
struct v4l2_ctrl_handler {
    void *buckets;
};
struct v4l2_ctrl_ops {
    int (*s_ctrl)(struct v4l2_ctrl *);
};
struct v4l2_ctrl {
    int val;
};
extern void v4l2_subdev_init(struct v4l2_subdev *sd, const struct v4l2_subdev_ops *ops);
extern struct v4l2_ctrl *v4l2_ctrl_new_std(struct v4l2_ctrl_handler *handler, const struct v4l2_ctrl_ops *ops, unsigned int id,
                                           long long min, long long max, unsigned long long step, long long def);
extern int v4l2_async_register_subdev(struct v4l2_subdev *sd);

static struct v4l2_subdev demo;
static struct v4l2_ctrl_handler handler;
static unsigned int channel;
unsigned int last;

static int demo_routing(struct v4l2_subdev *sd, unsigned int input, unsigned int output, unsigned int config)
{
    channel = input; // RACE
    return 0;
}

static int demo_set(struct v4l2_ctrl *control)
{
    last = channel; // RACE
    return 0;
}

static const struct v4l2_subdev_video_ops demo_video = { .s_routing = demo_routing };
static const struct v4l2_subdev_ops demo_ops = { .video = &demo_video };
static const struct v4l2_ctrl_ops demo_controls = { .s_ctrl = demo_set };

static int demo_init(void)
{
    v4l2_subdev_init(&demo, &demo_ops);
    demo.flags |= 4; /* V4L2_SUBDEV_FL_HAS_DEVNODE */
    if (!v4l2_ctrl_new_std(&handler, &demo_controls, 0x980900, 0, 255, 1, 0))
        return -ENOMEM;
    return v4l2_async_register_subdev(&demo);
}

module_init(demo_init)
