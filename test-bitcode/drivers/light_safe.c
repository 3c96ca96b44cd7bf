// irkiss: --pair demo_set,demo_work ; expect: none
//
// The light whose brightness is set is the one that the driver registered, a part of its own struct.
#include "work.h"

struct led_classdev {
    const char *name;
    void (*brightness_set)(struct led_classdev *, int);
};
extern int led_classdev_register_ext(void *parent, struct led_classdev *light, void *data);

struct demo {
    struct mutex lock;
    long level;
    struct led_classdev light;
};
static struct demo *saved;

static void demo_set(struct led_classdev *light, int brightness)
{
    struct demo *demo = (struct demo *)((char *)light - __builtin_offsetof(struct demo, light));
    mutex_lock(&demo->lock);
    demo->level = brightness; // NORACE
    mutex_unlock(&demo->lock);
}

static void demo_work(struct work_struct *work)
{
    mutex_lock(&saved->lock);
    saved->level++; // NORACE
    mutex_unlock(&saved->lock);
}
static struct work_struct item = { .func = demo_work };

static int demo_init(void)
{
    saved = __kmalloc(sizeof(*saved), GFP_KERNEL | 0x100u);
    if (!saved)
        return -ENOMEM;
    saved->light.brightness_set = demo_set;
    queue_work_on(0, NULL, &item);
    return led_classdev_register_ext(NULL, &saved->light, NULL);
}

module_init(demo_init)
