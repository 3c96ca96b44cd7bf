// irkiss: --property uaf ; expect: uaf ; lazy: yes
//
// Module exit frees what the attributes of the SPI device use before it takes the driver back.
#define device_driver part_device_driver
#include "../drivers/part_linux.h"
#undef device_driver

struct device_driver { const char *name; struct module *owner; const struct attribute_group **dev_groups; };
struct spi_device { struct device dev; int mode; };
struct spi_driver {
	const void *id_table;
	int (*probe)(struct spi_device *);
	void (*remove)(struct spi_device *);
	struct device_driver driver;
};
extern int __spi_register_driver(struct module *owner, struct spi_driver *driver);
extern void driver_unregister(struct device_driver *driver);

struct chip { int level; };
static struct chip *the_chip;

static ssize_t level_store(struct device *dev, struct device_attribute *attr, const char *buf, size_t count)
{
	struct chip *chip = dev_get_drvdata(dev);

	chip->level = count; // FREED
	return count;
}

static struct device_attribute level = { { "level", 0200 }, NULL, level_store };
static struct attribute *chip_attrs[] = { &level.attr, NULL };
static const struct attribute_group chip_group = { .attrs = chip_attrs };
static const struct attribute_group *chip_groups[] = { &chip_group, NULL };

static int chip_probe(struct spi_device *spi)
{
	struct chip *chip = kzalloc(sizeof(*chip), GFP_KERNEL);

	if (!chip)
		return -ENOMEM;
	the_chip = chip;
	dev_set_drvdata(&spi->dev, chip);
	return 0;
}

static struct spi_driver chip_driver = { .probe = chip_probe, .driver = { .name = "chip", .dev_groups = chip_groups } };

int init_module(void)
{
	return __spi_register_driver(THIS_MODULE, &chip_driver);
}

void cleanup_module(void)
{
	kfree(the_chip);
	driver_unregister(&chip_driver.driver);
}
