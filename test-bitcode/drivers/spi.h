// SPI controllers: the little of the kernel's interface that the drivers here use (layouts shortened).
#ifndef SPI_H
#define SPI_H

#include "platform.h"

struct spi_controller;
struct spi_device {
    struct device dev;
    struct spi_controller *controller;
};
struct spi_transfer {
    unsigned int len;
};
struct spi_controller {
    struct device dev;
    int (*setup)(struct spi_device *);
    _Bool auto_runtime_pm;
    int (*transfer_one)(struct spi_controller *, struct spi_device *, struct spi_transfer *);
};
extern struct spi_controller *__spi_alloc_controller(struct device *dev, unsigned int size, _Bool slave);
extern int devm_spi_register_controller(struct device *dev, struct spi_controller *controller);

#endif
