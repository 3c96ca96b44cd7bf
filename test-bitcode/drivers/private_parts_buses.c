// irkiss: ; expect: race ; forms: nopass ; lazy: yes
//
// What subsystems make for a driver (controllers of buses):
// the part that is the driver's own is cleared, and is found again where the subsystem keeps it.
#include "platform.h"

struct ops;
struct i2c_adapter;
struct drm_device;
struct drm_plane;
#define PART(name) struct part_##name { long first, last; }
#define NETDEV_PART(dev) ((void *)((char *)(dev) + (sizeof(struct net_device) + 31) / 32 * 32))

PART(spi);
struct spi_controller {
    struct device dev;
    int bus;
};
extern struct spi_controller *__spi_alloc_controller(struct device *dev, unsigned int size, _Bool slave);
PART(devm_spi);
extern struct spi_controller *__devm_spi_alloc_controller(struct device *dev, unsigned int size, _Bool slave);
PART(spmi);
struct spmi_controller {
    struct device dev;
    int nr;
};
extern struct spmi_controller *spmi_controller_alloc(struct device *dev, size_t size);
PART(serdev);
struct serdev_controller {
    struct device dev;
    int nr;
};
extern struct serdev_controller *serdev_controller_alloc(struct device *dev, size_t size);
PART(mdio);
struct mii_bus {
    const char *name;
    void *priv;
};
extern struct mii_bus *mdiobus_alloc_size(size_t size);
PART(devm_mdio);
extern struct mii_bus *devm_mdiobus_alloc_size(struct device *dev, int size);
PART(mux);
struct i2c_mux_core {
    void *parent;
    struct device *dev;
    void *priv;
    int (*select)(struct i2c_mux_core *, unsigned int);
    int (*deselect)(struct i2c_mux_core *, unsigned int);
};
extern struct i2c_mux_core *i2c_mux_alloc(struct i2c_adapter *parent, struct device *dev, int max, int size, unsigned int flags, int (*select)(struct i2c_mux_core *, unsigned int), int (*deselect)(struct i2c_mux_core *, unsigned int));
PART(bridge);
struct pci_host_bridge {
    struct device dev;
    unsigned long private[];
};
extern struct pci_host_bridge *pci_alloc_host_bridge(size_t size);
PART(devm_bridge);
extern struct pci_host_bridge *devm_pci_alloc_host_bridge(struct device *dev, size_t size);
PART(rproc);
struct rproc {
    struct device dev;
    void *priv;
};
extern struct rproc *rproc_alloc(struct device *dev, const char *name, const struct ops *ops, const char *firmware, int size);
PART(devm_rproc);
extern struct rproc *devm_rproc_alloc(struct device *dev, const char *name, const struct ops *ops, const char *firmware, int size);
PART(mux_chip);
struct mux_control {
    struct mux_chip *chip;
};
struct mux_chip {
    unsigned int controllers;
    struct mux_control *mux;
    struct device dev;
};
extern struct mux_chip *mux_chip_alloc(struct device *dev, unsigned int controllers, size_t size);
PART(devm_mux_chip);
extern struct mux_chip *devm_mux_chip_alloc(struct device *dev, unsigned int controllers, size_t size);

static struct part_spi *make_spi(struct device *dev)
{
    struct spi_controller *o = __spi_alloc_controller(dev, sizeof(struct part_spi), 0);
    if (!o || !(o->dev.parent == dev))
        return NULL;
    return o->dev.driver_data;
}

static struct part_devm_spi *make_devm_spi(struct device *dev)
{
    struct spi_controller *o = __devm_spi_alloc_controller(dev, sizeof(struct part_devm_spi), 0);
    if (!o || !(o->dev.parent == dev))
        return NULL;
    return o->dev.driver_data;
}

static struct part_spmi *make_spmi(struct device *dev)
{
    struct spmi_controller *o = spmi_controller_alloc(dev, sizeof(struct part_spmi));
    if (!o || !(o->dev.parent == dev))
        return NULL;
    return o->dev.driver_data;
}

static struct part_serdev *make_serdev(struct device *dev)
{
    struct serdev_controller *o = serdev_controller_alloc(dev, sizeof(struct part_serdev));
    if (!o || !(o->dev.parent == dev))
        return NULL;
    return o->dev.driver_data;
}

static struct part_mdio *make_mdio(struct device *dev)
{
    struct mii_bus *o = mdiobus_alloc_size(sizeof(struct part_mdio));
    if (!o)
        return NULL;
    return o->priv;
}

static struct part_devm_mdio *make_devm_mdio(struct device *dev)
{
    struct mii_bus *o = devm_mdiobus_alloc_size(dev, sizeof(struct part_devm_mdio));
    if (!o)
        return NULL;
    return o->priv;
}

static struct part_mux *make_mux(struct device *dev)
{
    struct i2c_mux_core *o = i2c_mux_alloc(NULL, dev, 1, sizeof(struct part_mux), 0, NULL, NULL);
    if (!o || !(o->dev == dev && !o->select))
        return NULL;
    return o->priv;
}

static struct part_bridge *make_bridge(struct device *dev)
{
    struct pci_host_bridge *o = pci_alloc_host_bridge(sizeof(struct part_bridge));
    if (!o)
        return NULL;
    return (void *)o->private;
}

static struct part_devm_bridge *make_devm_bridge(struct device *dev)
{
    struct pci_host_bridge *o = devm_pci_alloc_host_bridge(dev, sizeof(struct part_devm_bridge));
    if (!o)
        return NULL;
    return (void *)o->private;
}

static struct part_rproc *make_rproc(struct device *dev)
{
    struct rproc *o = rproc_alloc(dev, NULL, NULL, NULL, sizeof(struct part_rproc));
    if (!o || !(o->dev.parent == dev && o->dev.driver_data == o))
        return NULL;
    return o->priv;
}

static struct part_devm_rproc *make_devm_rproc(struct device *dev)
{
    struct rproc *o = devm_rproc_alloc(dev, NULL, NULL, NULL, sizeof(struct part_devm_rproc));
    if (!o || !(o->dev.parent == dev))
        return NULL;
    return o->priv;
}

static struct part_mux_chip *make_mux_chip(struct device *dev)
{
    struct mux_chip *o = mux_chip_alloc(dev, 2, sizeof(struct part_mux_chip));
    if ((unsigned long)o > -4096UL)
        return NULL;
    if (!o || !(o->mux[1].chip == o && o->dev.parent == dev))
        return NULL;
    return (void *)&o->mux[o->controllers];
}

static struct part_devm_mux_chip *make_devm_mux_chip(struct device *dev)
{
    struct mux_chip *o = devm_mux_chip_alloc(dev, 2, sizeof(struct part_devm_mux_chip));
    if ((unsigned long)o > -4096UL)
        return NULL;
    if (!o || !(o->mux[1].chip == o))
        return NULL;
    return (void *)&o->mux[o->controllers];
}

static struct part_spi *part_spi;
static struct part_devm_spi *part_devm_spi;
static struct part_spmi *part_spmi;
static struct part_serdev *part_serdev;
static struct part_mdio *part_mdio;
static struct part_devm_mdio *part_devm_mdio;
static struct part_mux *part_mux;
static struct part_bridge *part_bridge;
static struct part_devm_bridge *part_devm_bridge;
static struct part_rproc *part_rproc;
static struct part_devm_rproc *part_devm_rproc;
static struct part_mux_chip *part_mux_chip;
static struct part_devm_mux_chip *part_devm_mux_chip;
static long dirty;

static ssize_t part_show(struct device *dev, struct device_attribute *attribute, char *text)
{
    if (part_spi && part_spi->last)
        dirty++; // NORACE
    else if (part_spi)
        part_spi->first++; // RACE
    if (part_devm_spi && part_devm_spi->last)
        dirty++; // NORACE
    else if (part_devm_spi)
        part_devm_spi->first++; // RACE
    if (part_spmi && part_spmi->last)
        dirty++; // NORACE
    else if (part_spmi)
        part_spmi->first++; // RACE
    if (part_serdev && part_serdev->last)
        dirty++; // NORACE
    else if (part_serdev)
        part_serdev->first++; // RACE
    if (part_mdio && part_mdio->last)
        dirty++; // NORACE
    else if (part_mdio)
        part_mdio->first++; // RACE
    if (part_devm_mdio && part_devm_mdio->last)
        dirty++; // NORACE
    else if (part_devm_mdio)
        part_devm_mdio->first++; // RACE
    if (part_mux && part_mux->last)
        dirty++; // NORACE
    else if (part_mux)
        part_mux->first++; // RACE
    if (part_bridge && part_bridge->last)
        dirty++; // NORACE
    else if (part_bridge)
        part_bridge->first++; // RACE
    if (part_devm_bridge && part_devm_bridge->last)
        dirty++; // NORACE
    else if (part_devm_bridge)
        part_devm_bridge->first++; // RACE
    if (part_rproc && part_rproc->last)
        dirty++; // NORACE
    else if (part_rproc)
        part_rproc->first++; // RACE
    if (part_devm_rproc && part_devm_rproc->last)
        dirty++; // NORACE
    else if (part_devm_rproc)
        part_devm_rproc->first++; // RACE
    if (part_mux_chip && part_mux_chip->last)
        dirty++; // NORACE
    else if (part_mux_chip)
        part_mux_chip->first++; // RACE
    if (part_devm_mux_chip && part_devm_mux_chip->last)
        dirty++; // NORACE
    else if (part_devm_mux_chip)
        part_devm_mux_chip->first++; // RACE
    return 0;
}
static struct device_attribute part_attribute = { { "part", 0444 }, part_show };

static int demo_probe(struct platform_device *dev)
{
    part_spi = make_spi(&dev->dev);
    part_devm_spi = make_devm_spi(&dev->dev);
    part_spmi = make_spmi(&dev->dev);
    part_serdev = make_serdev(&dev->dev);
    part_mdio = make_mdio(&dev->dev);
    part_devm_mdio = make_devm_mdio(&dev->dev);
    part_mux = make_mux(&dev->dev);
    part_bridge = make_bridge(&dev->dev);
    part_devm_bridge = make_devm_bridge(&dev->dev);
    part_rproc = make_rproc(&dev->dev);
    part_devm_rproc = make_devm_rproc(&dev->dev);
    part_mux_chip = make_mux_chip(&dev->dev);
    part_devm_mux_chip = make_devm_mux_chip(&dev->dev);
    return device_create_file(&dev->dev, &part_attribute);
}

static struct platform_driver demo_driver = {
    .probe = demo_probe,
    .driver = { .name = "demo" },
};

PLATFORM_MODULE(demo_driver)
