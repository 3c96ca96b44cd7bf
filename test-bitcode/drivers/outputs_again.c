// irkiss: ; expect: race ; lazy: yes
//
// Whoever has an output uses it again once the call before is over: the second time it has been set.
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

static struct { struct pwm_chip chip; u64 period; bool set; } lamps;

static int lamps_apply(struct pwm_chip *chip, struct pwm_device *pwm, const struct pwm_state *state)
{
	if (pwm->hwpwm)
		return -EINVAL;
	if (lamps.set)
		lamps.period = state->period; // RACE
	lamps.set = true;
	return 0;
}
static const struct pwm_ops lamps_ops = { .apply = lamps_apply, .owner = THIS_MODULE };

static ssize_t lamps_read(struct file *file, char __user *buffer, size_t bytes, loff_t *position)
{
	return lamps.period; // RACE
}
static const struct file_operations lamps_fops = { .owner = THIS_MODULE, .read = lamps_read };
static struct miscdevice lamps_misc = { .minor = 255, .name = "lamps", .fops = &lamps_fops };

static int lamps_probe(struct platform_device *pdev)
{
	lamps.chip.ops = &lamps_ops;
	lamps.chip.dev = &pdev->dev;
	lamps.chip.npwm = 2;
	if (misc_register(&lamps_misc))
		return -EIO;
	return pwmchip_add(&lamps.chip);
}

static struct platform_driver lamps_driver = { .probe = lamps_probe, .driver = { .name = "lamps" } };

int init_module(void)
{
	return platform_driver_register(&lamps_driver);
}
