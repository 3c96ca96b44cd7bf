// irkiss: ; expect: race
//
// As pinconf_generic_safe.c, but the controller says that its settings are generic ones: debugfs reads them while devices set them.
#include "kernel.h"

struct pinctrl_dev;
struct pinconf_ops {
    _Bool is_generic;
    int (*pin_config_get)(struct pinctrl_dev *, unsigned int, unsigned long *);
    int (*pin_config_set)(struct pinctrl_dev *, unsigned int, unsigned long *, unsigned int);
    int (*pin_config_group_get)(struct pinctrl_dev *, unsigned int, unsigned long *);
    int (*pin_config_group_set)(struct pinctrl_dev *, unsigned int, unsigned long *, unsigned int);
};
struct pinctrl_desc {
    const char *name;
    const struct pinconf_ops *confops;
};
extern struct pinctrl_dev *pinctrl_register(const struct pinctrl_desc *desc, void *device, void *data);

static DEFINE_MUTEX(lock);
unsigned long group, pin;

static int demo_pin_get(struct pinctrl_dev *dev, unsigned int number, unsigned long *config)
{
    *config = pin; // RACE
    return 0;
}

static int demo_pin_set(struct pinctrl_dev *dev, unsigned int number, unsigned long *configs, unsigned int count)
{
    mutex_lock(&lock);
    pin = number; // RACE
    mutex_unlock(&lock);
    return 0;
}

static int demo_group_get(struct pinctrl_dev *dev, unsigned int number, unsigned long *config)
{
    *config = group; // RACE
    return 0;
}

static int demo_group_set(struct pinctrl_dev *dev, unsigned int number, unsigned long *configs, unsigned int count)
{
    mutex_lock(&lock);
    group = number; // RACE
    mutex_unlock(&lock);
    return 0;
}

static const struct pinconf_ops demo_ops = {
    .is_generic = 1,
    .pin_config_get = demo_pin_get,
    .pin_config_set = demo_pin_set,
    .pin_config_group_get = demo_group_get,
    .pin_config_group_set = demo_group_set,
};
static const struct pinctrl_desc demo_desc = { .name = "demo", .confops = &demo_ops };

static int demo_init(void)
{
    return pinctrl_register(&demo_desc, NULL, NULL) ? 0 : -ENOMEM;
}

module_init(demo_init)
