// irkiss: ; expect: race ; lazy: yes
//
// As handler_lock_given_safe.c, but the driver gives the lock back too early.
#include "part_linux.h"

struct v4l2_ctrl_handler { struct mutex _lock; struct mutex *lock; int error; };
struct v4l2_ctrl { struct v4l2_ctrl_handler *handler; int val; };
struct v4l2_ctrl_ops { int (*g_volatile_ctrl)(struct v4l2_ctrl *ctrl); int (*s_ctrl)(struct v4l2_ctrl *ctrl); };
extern int v4l2_ctrl_handler_init_class(struct v4l2_ctrl_handler *handler, unsigned int hint, struct lock_class_key *key, const char *name);
extern struct v4l2_ctrl *v4l2_ctrl_new_std(struct v4l2_ctrl_handler *handler, const struct v4l2_ctrl_ops *ops, u32 id, long min, long max, u64 step, long def);

static struct v4l2_ctrl_handler handler;
static DEFINE_MUTEX(own);
int gain;

static int demo_set(struct v4l2_ctrl *ctrl)
{
	gain = 1; // RACE
	return 0;
}
static const struct v4l2_ctrl_ops demo_ops = { .s_ctrl = demo_set };

static void demo_work(struct work_struct *work)
{
	mutex_lock(&own);
	mutex_unlock(&own);
	gain = 2; // RACE
}
static struct work_struct work = { .func = demo_work };

static int demo_probe(struct platform_device *pdev)
{
	v4l2_ctrl_handler_init_class(&handler, 1, NULL, NULL);
	handler.lock = &own;
	if (!v4l2_ctrl_new_std(&handler, &demo_ops, 1, 0, 9, 1, 0))
		return -ENOMEM;
	schedule_work(&work);
	return 0;
}

static struct platform_driver demo_driver = { .probe = demo_probe, .driver = { .name = "demo" } };

int init_module(void)
{
	return platform_driver_register(&demo_driver);
}
