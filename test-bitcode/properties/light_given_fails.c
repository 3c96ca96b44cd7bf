// irkiss: --property removed ; expect: finds
//
// As light_given_holds.c, but initialisation has the light registered, and nobody takes it back.
#include "../drivers/kernel.h"

struct led_classdev {
    const char *name;
    void (*brightness_set)(struct led_classdev *, int);
};
extern int led_classdev_register_ext(void *parent, struct led_classdev *light, void *data);

int bright;

static void lamp_set(struct led_classdev *light, int brightness)
{
    WRITE_ONCE(bright, brightness); // FINDS:use-after-removal
}

static struct led_classdev light = { .name = "lamp", .brightness_set = lamp_set };

static int lamp_init(void)
{
    return led_classdev_register_ext(NULL, &light, NULL);
}

static void lamp_exit(void)
{
    WRITE_ONCE(bright, 0); // FINDS:use-after-removal
}

module_init(lamp_init)
module_exit(lamp_exit)
