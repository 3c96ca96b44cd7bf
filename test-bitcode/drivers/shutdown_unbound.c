// irkiss: --property uaf ; expect: none ; lazy: yes ; forms: nopass
//
// Once the driver is unbound, and its memory is gone, nobody calls its shutdown any more: the device has no driver. (A lock that one of the
// driver's functions gives back for another keeps the device lock from proving that.)
#include "part_linux.h"

struct i2c_client { struct device dev; int irq; };
struct i2c_driver {
	int (*probe)(struct i2c_client *);
	void (*remove)(struct i2c_client *);
	void (*shutdown)(struct i2c_client *);
	struct device_driver driver;
};
extern int i2c_register_driver(struct module *owner, struct i2c_driver *driver);
extern void i2c_del_driver(struct i2c_driver *driver);

struct chip { struct mutex lock; int (*write)(struct chip *); int value, written; };

static int chip_write(struct chip *chip)
{
	chip->written = chip->value;
	return 0;
}

static int chip_probe(struct i2c_client *client)
{
	struct chip *chip = devm_kzalloc(&client->dev, sizeof(*chip), GFP_KERNEL);

	if (!chip)
		return -ENOMEM;
	mutex_init(&chip->lock);
	chip->write = chip_write;
	client->dev.driver_data = chip;
	return 0;
}

/* Gives back what its caller has taken. */
static __attribute__((noinline)) void chip_done(struct chip *chip)
{
	chip->value = 0;
	mutex_unlock(&chip->lock);
}

static void chip_remove(struct i2c_client *client)
{
	struct chip *chip = client->dev.driver_data;

	mutex_lock(&chip->lock);
	chip_done(chip);
}

static void chip_shutdown(struct i2c_client *client)
{
	struct chip *chip = client->dev.driver_data;

	chip->write(chip);
}

static struct i2c_driver chip_driver = {
	.probe = chip_probe, .remove = chip_remove, .shutdown = chip_shutdown, .driver = { .name = "chip" },
};

int init_module(void)
{
	return i2c_register_driver(THIS_MODULE, &chip_driver);
}

void cleanup_module(void)
{
	i2c_del_driver(&chip_driver);
}
