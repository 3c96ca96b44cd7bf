// irkiss: ; expect: race ; lazy: yes
//
// As parsed_before_safe.c, but an interrupt that comes meanwhile looks at it, too.
#include "part_linux.h"

static irqreturn_t demo_irq(int irq, void *data);
#define DEMO_IRQ demo_irq
#include "parse_regulators.h"

static irqreturn_t demo_irq(int irq, void *data)
{
	return limit ? IRQ_HANDLED : IRQ_NONE; // RACE
}
static int demo_enable(struct regulator_dev *rdev)
{
	return limit ? 0 : -EINVAL; // NORACE
}
static int demo_disable(struct regulator_dev *rdev)
{
	return 0;
}
static int demo_parse(struct device_node *node, const struct regulator_desc *desc, struct regulator_config *config)
{
	limit = 5; // RACE
	return 0;
}
