// irkiss: ; expect: race ; lazy: yes
//
// As one_output_safe.c, but with two outputs, each of which has a user.
#include "platform.h"

struct pwm_device;
struct pwm_state;
struct pwm_chip;
struct pwm_ops {
    int (*apply)(struct pwm_chip *, struct pwm_device *, const struct pwm_state *);
};
struct pwm_chip {
    struct device *dev;
    const struct pwm_ops *ops;
    int base;
    unsigned int npwm;
};
extern int pwmchip_add(struct pwm_chip *chip);

int level;

static int demo_apply(struct pwm_chip *chip, struct pwm_device *pwm, const struct pwm_state *state)
{
    level++; // RACE
    return 0;
}
static const struct pwm_ops demo_ops = { .apply = demo_apply };
static struct pwm_chip chip;

static int demo_probe(struct platform_device *dev)
{
    chip.dev = &dev->dev;
    chip.ops = &demo_ops;
    chip.npwm = 2;
    return pwmchip_add(&chip);
}

static struct platform_driver demo_driver = {
    .probe = demo_probe,
    .driver = { .name = "demo" },
};

PLATFORM_MODULE(demo_driver)
