// irkiss: ; expect: race ; lazy: yes
//
// As slave_not_registered.c, but what is done is done for a slave that was registered.
#include "part_linux.h"

struct i2c_adapter;
struct i2c_client { unsigned short flags, addr; struct i2c_adapter *adapter; struct device dev; };
struct i2c_algorithm {
	int (*reg_slave)(struct i2c_client *client);
	int (*unreg_slave)(struct i2c_client *client);
};
struct i2c_adapter { struct module *owner; const struct i2c_algorithm *algo; struct device dev; };
extern int i2c_add_adapter(struct i2c_adapter *adapter);

static struct i2c_adapter bus;
int given_back;
static int registered;

static irqreturn_t bus_interrupt(int irq, void *data)
{
	given_back = 0; // RACE
	return IRQ_HANDLED;
}

static int bus_reg(struct i2c_client *client)
{
	registered = 1;
	return 0;
}

static int bus_unreg(struct i2c_client *client)
{
	if (registered)
		given_back = 1; // RACE
	registered = 0;
	return 0;
}

static const struct i2c_algorithm bus_algorithm = { .reg_slave = bus_reg, .unreg_slave = bus_unreg };

static int bus_probe(struct platform_device *pdev)
{
	int error = request_irq(7, bus_interrupt, 0, "bus", &bus);

	if (error)
		return error;
	bus.algo = &bus_algorithm;
	return i2c_add_adapter(&bus);
}

static struct platform_driver bus_driver = { .probe = bus_probe, .driver = { .name = "bus" } };

int init_module(void)
{
	return platform_driver_register(&bus_driver);
}
