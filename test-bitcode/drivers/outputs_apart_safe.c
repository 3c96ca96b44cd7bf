// irkiss: ; expect: none ; lazy: yes
//
// Two users of a chip have two outputs: what is kept for each output is one user's.
#include "part_linux.h"

struct pwm_state { u64 period, duty_cycle; };
struct pwm_device { const char *label; unsigned long flags; unsigned int hwpwm; };
struct pwm_chip;
struct pwm_ops {
	int (*apply)(struct pwm_chip *chip, struct pwm_device *pwm, const struct pwm_state *state);
	struct module *owner;
};
struct pwm_chip { struct device *dev; const struct pwm_ops *ops; int base; unsigned int npwm; };
extern int pwmchip_add(struct pwm_chip *chip);

static struct { struct pwm_chip chip; u64 periods[4]; } lamps;

static int lamps_apply(struct pwm_chip *chip, struct pwm_device *pwm, const struct pwm_state *state)
{
	if (pwm->hwpwm > 3)
		return -EINVAL;
	lamps.periods[pwm->hwpwm] = state->period; // NORACE
	return 0;
}
static const struct pwm_ops lamps_ops = { .apply = lamps_apply, .owner = THIS_MODULE };

static int lamps_probe(struct platform_device *pdev)
{
	lamps.chip.ops = &lamps_ops;
	lamps.chip.dev = &pdev->dev;
	lamps.chip.npwm = 4;
	return pwmchip_add(&lamps.chip);
}

static struct platform_driver lamps_driver = { .probe = lamps_probe, .driver = { .name = "lamps" } };

int init_module(void)
{
	return platform_driver_register(&lamps_driver);
}
