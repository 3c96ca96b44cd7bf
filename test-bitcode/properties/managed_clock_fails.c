// irkiss: --property uaf ; expect: uaf
//
// Devres takes the clock back, but only when remove has returned, which has freed what the clock lies in.
#include "../drivers/part_linux.h"

struct clk_hw;
struct clk_ops {
	int (*prepare)(struct clk_hw *hw);
	void (*unprepare)(struct clk_hw *hw);
};
struct clk_init_data { const char *name; const struct clk_ops *ops; };
struct clk_hw { void *core, *clk; const struct clk_init_data *init; };
extern int devm_clk_hw_register(struct device *dev, struct clk_hw *hw);
extern int devm_of_clk_add_hw_provider(struct device *dev, void *get, void *data);

struct beat { struct clk_hw hw; int on; };

static int beat_prepare(struct clk_hw *hw)
{
	struct beat *b = container_of(hw, struct beat, hw);

	b->on = 1; // FREED
	return 0;
}

static const struct clk_ops beat_ops = { .prepare = beat_prepare };
static const struct clk_init_data beat_init = { .name = "beat", .ops = &beat_ops };

static int beat_probe(struct platform_device *pdev)
{
	struct beat *b = kzalloc(sizeof(*b), GFP_KERNEL);
	int error;

	if (!b)
		return -ENOMEM;
	platform_set_drvdata(pdev, b);
	b->hw.init = &beat_init;
	error = devm_clk_hw_register(&pdev->dev, &b->hw);
	return error ? error : devm_of_clk_add_hw_provider(&pdev->dev, NULL, &b->hw);
}

static int beat_remove(struct platform_device *pdev)
{
	kfree(platform_get_drvdata(pdev));
	return 0;
}

static struct platform_driver beat_driver = { .probe = beat_probe, .remove = beat_remove, .driver = { .name = "beat" } };

int init_module(void)
{
	return platform_driver_register(&beat_driver);
}

void cleanup_module(void)
{
	platform_driver_unregister(&beat_driver);
}
