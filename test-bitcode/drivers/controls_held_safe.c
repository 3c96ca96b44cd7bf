// irkiss: ; expect: none ; lazy: yes
//
// Controls are set by ioctls alone, under the mutex that the driver gives its node, once the driver has set them as it begins.
#include "part_linux.h"

struct v4l2_ctrl_handler { struct mutex _lock; struct mutex *lock; int error; };
struct v4l2_ctrl { struct v4l2_ctrl_handler *handler; int val; };
struct v4l2_ctrl_ops { int (*g_volatile_ctrl)(struct v4l2_ctrl *ctrl); int (*s_ctrl)(struct v4l2_ctrl *ctrl); };
extern int v4l2_ctrl_handler_init_class(struct v4l2_ctrl_handler *handler, unsigned int hint, struct lock_class_key *key, const char *name);
extern int v4l2_ctrl_handler_setup(struct v4l2_ctrl_handler *handler);
extern struct v4l2_ctrl *v4l2_ctrl_new_std(struct v4l2_ctrl_handler *handler, const struct v4l2_ctrl_ops *ops, u32 id, long min, long max, u64 step, long def);
struct video_device {
	struct device dev;
	struct v4l2_ctrl_handler *ctrl_handler;
	struct mutex *lock;
};
extern int __video_register_device(struct video_device *vdev, int type, int nr, int warn, struct module *owner);

static struct v4l2_ctrl_handler handler;
static DEFINE_MUTEX(own);
static struct video_device cam;
int gain;

static int demo_set(struct v4l2_ctrl *ctrl)
{
	gain = 1; // NORACE
	return 0;
}
static const struct v4l2_ctrl_ops demo_ops = { .s_ctrl = demo_set };

static void demo_work(struct work_struct *work)
{
	mutex_lock(&own);
	gain = 2; // NORACE
	mutex_unlock(&own);
}
static struct work_struct work = { .func = demo_work };

static int demo_probe(struct platform_device *pdev)
{
	v4l2_ctrl_handler_init_class(&handler, 1, NULL, NULL);
	if (!v4l2_ctrl_new_std(&handler, &demo_ops, 1, 0, 9, 1, 0))
		return -ENOMEM;
	if (v4l2_ctrl_handler_setup(&handler))
		return -EIO;
	cam.ctrl_handler = &handler;
	cam.lock = &own;
	schedule_work(&work);
	return __video_register_device(&cam, 0, -1, 1, NULL);
}

static struct platform_driver demo_driver = { .probe = demo_probe, .driver = { .name = "demo" } };

int init_module(void)
{
	return platform_driver_register(&demo_driver);
}
