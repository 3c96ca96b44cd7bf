// irkiss: ; expect: race ; lazy: yes
//
// As transfer_before_safe.c, but the interrupt looks without the lock: only an earlier transfer, of which there is one at a time, has set what it looks at.
#include "part_linux.h"

struct spi_device { struct device dev; };
struct spi_transfer { const void *tx_buf; void *rx_buf; unsigned int len; };
struct spi_controller {
	struct device dev;
	int (*transfer_one)(struct spi_controller *controller, struct spi_device *device, struct spi_transfer *transfer);
};
extern struct spi_controller *__devm_spi_alloc_controller(struct device *device, unsigned int size, bool slave);
extern int devm_spi_register_controller(struct device *device, struct spi_controller *controller);
extern void spi_finalize_current_transfer(struct spi_controller *controller);

struct bus { spinlock_t lock; bool busy; unsigned int left; struct spi_controller *controller; };

static int bus_transfer(struct spi_controller *controller, struct spi_device *device, struct spi_transfer *transfer)
{
	struct bus *bus = dev_get_drvdata(&controller->dev);
	unsigned long flags;

	spin_lock_irqsave(&bus->lock, flags);
	bus->left = 8; // RACE
	__atomic_store_n(&bus->busy, true, __ATOMIC_RELEASE);
	spin_unlock_irqrestore(&bus->lock, flags);
	return 1;
}

static irqreturn_t bus_irq(int irq, void *data)
{
	struct bus *bus = data;

	if (__atomic_load_n(&bus->busy, __ATOMIC_ACQUIRE) && !--bus->left) // RACE
		spi_finalize_current_transfer(bus->controller);
	return IRQ_HANDLED;
}

static int bus_probe(struct platform_device *device)
{
	struct spi_controller *controller = __devm_spi_alloc_controller(&device->dev, sizeof(struct bus), false);
	struct bus *bus;
	int irq, error;

	if (!controller)
		return -ENOMEM;
	bus = dev_get_drvdata(&controller->dev);
	bus->controller = controller;
	spin_lock_init(&bus->lock);
	irq = platform_get_irq(device, 0);
	if (irq < 0)
		return irq;
	controller->transfer_one = bus_transfer;
	error = devm_request_irq(&device->dev, irq, bus_irq, 0, "bus", bus);
	if (error)
		return error;
	return devm_spi_register_controller(&device->dev, controller);
}

static struct platform_driver bus_driver = { .probe = bus_probe, .driver = { .name = "bus" } };

int init_module(void)
{
	return platform_driver_register(&bus_driver);
}

void cleanup_module(void)
{
	platform_driver_unregister(&bus_driver);
}
