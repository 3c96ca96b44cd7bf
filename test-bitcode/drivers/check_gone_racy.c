// irkiss: ; expect: race ; lazy: yes
//
// As check_gone_safe.c, but the errors are forgotten first.
#include "part_linux.h"

struct mem_ctl_info {
	struct device *pdev;
	void (*edac_check)(struct mem_ctl_info *mci);
	void *pvt_info;
};
extern struct mem_ctl_info *edac_mc_alloc(unsigned int number, unsigned int layers, void *layer, unsigned int size);
extern int edac_mc_add_mc_with_groups(struct mem_ctl_info *mci, void *groups);
extern struct mem_ctl_info *edac_mc_del_mc(struct device *dev);

int errors;

static void demo_check(struct mem_ctl_info *mci)
{
	errors++; // RACE
}

static int demo_probe(struct platform_device *pdev)
{
	struct mem_ctl_info *mci = edac_mc_alloc(0, 1, NULL, 0);

	if (!mci)
		return -ENOMEM;
	mci->pdev = &pdev->dev;
	mci->edac_check = demo_check;
	return edac_mc_add_mc_with_groups(mci, NULL);
}

static int demo_remove(struct platform_device *pdev)
{
	errors = 0; // RACE
	edac_mc_del_mc(&pdev->dev);
	return 0;
}

static struct platform_driver demo_driver = { .probe = demo_probe, .remove = demo_remove, .driver = { .name = "demo" } };

int init_module(void)
{
	return platform_driver_register(&demo_driver);
}

void cleanup_module(void)
{
	platform_driver_unregister(&demo_driver);
}
