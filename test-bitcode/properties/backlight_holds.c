// irkiss: --property removed ; expect: none
//
// As backlight_fails.c, but module exit takes the backlight back, with a wait.
#include "../drivers/kernel.h"

struct backlight_device;
struct backlight_ops {
    unsigned int options;
    int (*update_status)(struct backlight_device *);
};
extern struct backlight_device *backlight_device_register(const char *name, void *parent, void *data, const struct backlight_ops *ops, void *props);
extern void backlight_device_unregister(struct backlight_device *light);

int level;
static struct backlight_device *screen;

static int screen_update(struct backlight_device *light)
{
    WRITE_ONCE(level, 1);
    return 0;
}

static const struct backlight_ops screen_ops = { .update_status = screen_update };

static int screen_init(void)
{
    screen = backlight_device_register("screen", NULL, NULL, &screen_ops, NULL);
    if ((unsigned long)screen >= (unsigned long)-4095L)
        return -ENOMEM;
    return 0;
}

static void screen_exit(void)
{
    backlight_device_unregister(screen);
    WRITE_ONCE(level, 0);
}

module_init(screen_init)
module_exit(screen_exit)
