// irkiss: ; expect: none ; lazy: yes
//
// A map of registers holds its lock around the functions that it calls.
#include "platform.h"

struct regmap;
struct regmap_config {
    int reg_bits;
    int (*reg_read)(void *context, unsigned int reg, unsigned int *value);
    int (*reg_write)(void *context, unsigned int reg, unsigned int value);
    _Bool disable_locking;
};
extern struct regmap *__devm_regmap_init(struct device *dev, const void *bus, void *context, const struct regmap_config *config,
                                         void *key, const char *name);

int page;

static int demo_read(void *context, unsigned int reg, unsigned int *value)
{
    page = reg; // NORACE
    *value = 0;
    return 0;
}

static int demo_write(void *context, unsigned int reg, unsigned int value)
{
    page = reg; // NORACE
    return 0;
}
static const struct regmap_config demo_config = { .reg_read = demo_read, .reg_write = demo_write };

static int demo_probe(struct platform_device *dev)
{
    struct regmap *map = __devm_regmap_init(&dev->dev, NULL, &page, &demo_config, NULL, "demo");
    return (unsigned long)map >= -4095ul ? -ENOMEM : 0;
}

static struct platform_driver demo_driver = {
    .probe = demo_probe,
    .driver = { .name = "demo" },
};

PLATFORM_MODULE(demo_driver)
