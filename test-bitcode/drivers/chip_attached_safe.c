// irkiss: ; expect: unknown ; lazy: yes
//
// nand_scan_with_ids calls attach_chip before it returns, in probe, and nand_cleanup calls detach_chip, in remove, when the attribute is gone.
#include "part_linux.h"

struct nand_chip;
struct nand_controller_ops { int (*attach_chip)(struct nand_chip *chip); void (*detach_chip)(struct nand_chip *chip); };
struct nand_controller { struct mutex lock; const struct nand_controller_ops *ops; };
struct mtd_info { unsigned long long size; unsigned int erasesize, writesize, writebufsize, oobsize; };
struct nand_device { struct mtd_info mtd; };
struct nand_chip { struct nand_device base; struct nand_controller *controller; void *priv; };
extern int nand_scan_with_ids(struct nand_chip *chip, unsigned int max, void *ids);
extern void nand_cleanup(struct nand_chip *chip);
extern int device_create_file(struct device *dev, const struct device_attribute *attr);
extern void device_remove_file(struct device *dev, const struct device_attribute *attr);

struct flash { struct nand_chip chip; struct nand_controller controller; unsigned int spare, asked; };

static int flash_attach(struct nand_chip *chip)
{
	struct flash *flash = container_of(chip, struct flash, chip);

	if (chip->base.mtd.oobsize < 16)
		return -EINVAL;
	flash->spare = chip->base.mtd.oobsize - 16;
	return 0;
}

static void flash_detach(struct nand_chip *chip)
{
	struct flash *flash = container_of(chip, struct flash, chip);

	flash->asked = 0;
}

static const struct nand_controller_ops flash_ops = { .attach_chip = flash_attach, .detach_chip = flash_detach };

static ssize_t spare_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct flash *flash = dev_get_drvdata(dev);

	return flash->spare ? sysfs_emit(buf, "%u\n", flash->asked) : 0;
}

static struct device_attribute dev_attr_spare = { { "spare", 0444 }, spare_show, NULL };

static int flash_probe(struct platform_device *pdev)
{
	struct flash *flash = devm_kzalloc(&pdev->dev, sizeof(*flash), GFP_KERNEL);
	int error;

	if (!flash)
		return -ENOMEM;
	flash->controller.ops = &flash_ops;
	flash->chip.controller = &flash->controller;
	error = nand_scan_with_ids(&flash->chip, 1, NULL);
	if (error)
		return error;
	platform_set_drvdata(pdev, flash);
	error = device_create_file(&pdev->dev, &dev_attr_spare);
	if (error)
		nand_cleanup(&flash->chip);
	return error;
}

static int flash_remove(struct platform_device *pdev)
{
	struct flash *flash = platform_get_drvdata(pdev);

	device_remove_file(&pdev->dev, &dev_attr_spare);
	nand_cleanup(&flash->chip);
	return 0;
}

static struct platform_driver flash_driver = { .probe = flash_probe, .remove = flash_remove, .driver = { .name = "flash" } };

int init_module(void)
{
	return platform_driver_register(&flash_driver);
}

void cleanup_module(void)
{
	platform_driver_unregister(&flash_driver);
}
