// irkiss: ; expect: none ; lazy: yes
//
// What the firmware says of a regulator is read while it is registered: once, and before anybody enables it.
#include "parse_regulators.h"

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
	limit = 5; // NORACE
	return 0;
}
