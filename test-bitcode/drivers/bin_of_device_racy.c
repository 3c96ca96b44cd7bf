// irkiss: ; expect: race ; lazy: yes
//
// A binary attribute in dev_groups gets the kobject of the device, its first member: the device that probe got. What the file keeps has no lock.
#define device_driver part_device_driver
#include "part_linux.h"
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

struct kobject;
struct bin_attribute {
	struct attribute attr;
	size_t size;
	void *private;
	ssize_t (*read)(struct file *, struct kobject *, struct bin_attribute *, char *, loff_t, size_t);
};
#define kobj_to_dev(k) ((struct device *)(k))

struct chip { struct mutex lock; loff_t cursor; };

static ssize_t rom_read(struct file *file, struct kobject *kobj, struct bin_attribute *attr, char *buffer, loff_t at, size_t bytes)
{
	struct chip *chip = dev_get_drvdata(kobj_to_dev(kobj));

	chip->cursor = at; // RACE
	return bytes;
}

static struct bin_attribute rom = { .attr = { "rom", 0400 }, .read = rom_read };
static struct bin_attribute *chip_files[] = { &rom, NULL };
static const struct attribute_group chip_group = { .bin_attrs = (void **)chip_files };
static const struct attribute_group *chip_groups[] = { &chip_group, NULL };

static int chip_probe(struct spi_device *spi)
{
	struct chip *chip = devm_kzalloc(&spi->dev, sizeof(*chip), GFP_KERNEL);

	if (!chip)
		return -ENOMEM;
	mutex_init(&chip->lock);
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
	driver_unregister(&chip_driver.driver);
}
