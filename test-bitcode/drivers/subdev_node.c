// irkiss: ; expect: race ; lazy: yes
//
// A sub-device with a node of its own: any process sets its format while another one asks for it.
#include "kernel.h"

struct media_pad {
    unsigned int index;
};
struct media_entity {
    const char *name;
    unsigned short num_pads;
    struct media_pad *pads;
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
extern void v4l2_subdev_init(struct v4l2_subdev *sd, const struct v4l2_subdev_ops *ops);
extern int media_entity_pads_init(struct media_entity *entity, unsigned short count, struct media_pad *pads);
extern int v4l2_async_register_subdev(struct v4l2_subdev *sd);

static struct v4l2_subdev demo;
static unsigned int code;

static int demo_get(struct v4l2_subdev *sd, struct v4l2_subdev_state *state, struct v4l2_subdev_format *format)
{
    format->code = code; // RACE
    return 0;
}

static int demo_set(struct v4l2_subdev *sd, struct v4l2_subdev_state *state, struct v4l2_subdev_format *format)
{
    code = format->code; // RACE
    return 0;
}

static const struct v4l2_subdev_pad_ops demo_pad = { .get_fmt = demo_get, .set_fmt = demo_set };
static const struct v4l2_subdev_ops demo_ops = { .pad = &demo_pad };

static int demo_init(void)
{
    v4l2_subdev_init(&demo, &demo_ops);
    demo.flags |= 4; /* V4L2_SUBDEV_FL_HAS_DEVNODE */
    return v4l2_async_register_subdev(&demo);
}

module_init(demo_init)
