// irkiss: ; expect: none ; lazy: yes
//
// Another module registers the sub-device; it is the one that was set up, and that says which lock is taken.
#include "kernel.h"

struct media_entity {
    const char *name;
    unsigned short num_pads;
};
struct v4l2_subdev;
struct v4l2_subdev_state;
struct v4l2_subdev_format {
    unsigned int which;
    unsigned int pad;
    unsigned int code;
};
struct v4l2_subdev_pad_ops {
    int (*get_fmt)(struct v4l2_subdev *, struct v4l2_subdev_state *, struct v4l2_subdev_format *);
    int (*set_fmt)(struct v4l2_subdev *, struct v4l2_subdev_state *, struct v4l2_subdev_format *);
};
struct v4l2_subdev_ops {
    const struct v4l2_subdev_pad_ops *pad;
};
struct v4l2_subdev {
    struct media_entity entity;
    unsigned int flags;
    const struct v4l2_subdev_ops *ops;
};
#define V4L2_SUBDEV_FL_HAS_DEVNODE 4
extern void v4l2_subdev_init(struct v4l2_subdev *sd, const struct v4l2_subdev_ops *ops);
extern int bridge_register_sensor(void *sensor);

struct demo {
    struct v4l2_subdev sd;
    unsigned int code;
    int fixed;
    struct mutex lock, spare;
};
#define to_demo(sd) ((struct demo *)(sd))

static int demo_get(struct v4l2_subdev *sd, struct v4l2_subdev_state *state, struct v4l2_subdev_format *format)
{
    struct demo *demo = to_demo(sd);

    mutex_lock(&demo->lock);
    format->code = demo->code; // NORACE
    mutex_unlock(&demo->lock);
    return 0;
}

static int demo_set(struct v4l2_subdev *sd, struct v4l2_subdev_state *state, struct v4l2_subdev_format *format)
{
    struct demo *demo = to_demo(sd);
    struct mutex *lock = demo->fixed ? &demo->lock : &demo->spare;

    mutex_lock(lock);
    demo->code = format->code; // NORACE
    mutex_unlock(lock);
    return 0;
}

static const struct v4l2_subdev_pad_ops demo_pad = { .get_fmt = demo_get, .set_fmt = demo_set };
static const struct v4l2_subdev_ops demo_ops = { .pad = &demo_pad };

static int demo_init(void)
{
    struct demo *demo = __kmalloc(sizeof(*demo), GFP_KERNEL);

    if (!demo)
        return -ENOMEM;
    __mutex_init(&demo->lock, "demo", NULL);
    __mutex_init(&demo->spare, "demo", NULL);
    demo->code = 0;
    demo->fixed = 1;
    v4l2_subdev_init(&demo->sd, &demo_ops);
    demo->sd.flags = V4L2_SUBDEV_FL_HAS_DEVNODE;
    return bridge_register_sensor(demo);
}

module_init(demo_init)
