/* Objects that subsystems make for a driver, with a part that is the driver's own: cleared, of the size asked for, and what `…_priv` and
 * `…_get_drvdata` give back. The rest is the subsystem's: arbitrary, but for what is written here. Where the members lie depends on the
 * configuration: the debug info of the input says it. (Network devices: netdev.c; sound cards: sound.c.)
 */
#include "irkiss_linux.h"

#define OFFSET(structure, member) __irkiss_offsetof__##structure##__##member()
#define DECLARE(structure, member) u64 __irkiss_offsetof__##structure##__##member(void)

DECLARE(device, parent);
DECLARE(device, driver_data);

static void set(void *object, u64 at, const void *value)
{
    if (at != IRKISS_NO_OFFSET)
        *(const void **)((char *)object + at) = value;
}

static void set_number(void *object, u64 at, int number)
{
    if (at != IRKISS_NO_OFFSET)
        *(int *)((char *)object + at) = number;
}

/* Of a member that is itself a struct. */
static u64 within(u64 outer, u64 inner)
{
    return outer == IRKISS_NO_OFFSET || inner == IRKISS_NO_OFFSET ? IRKISS_NO_OFFSET : outer + inner;
}

/* An object whose part for the driver begins there: null, or one that nobody else knows. Farther away than any struct is large where
 * that is not known. */
#define FAR 0x10000
static char *object_with(u64 at, u64 part, const char *name)
{
    char *object;
    if (__irkiss_nondet_bool())
        return NULL;
    if (at == IRKISS_NO_OFFSET || at == 0)
        at = FAR;
    object = __irkiss_lazy(at + part, name);
    __builtin_memset(object + at, 0, part);
    return object;
}

/* An object that holds the address of that part; of none, a null pointer. */
static char *object_to(u64 member, u64 part, const char *name)
{
    char *object;
    if (__irkiss_nondet_bool())
        return NULL;
    object = __irkiss_lazy(0, name);
    set(object, member, part ? __irkiss_alloc(part, 1) : NULL);
    return object;
}

static void *or_error(void *object)
{
    return object ? object : irkiss_error_pointer(ENOMEM);
}

/* A container of the driver's own, cleared, with a struct of the subsystem in it. */
static char *container(u64 size, u64 offset, u64 inner)
{
    char *object;
    if (__irkiss_nondet_bool())
        return NULL;
    object = __irkiss_lazy(size, "container");
    if (inner && offset + inner <= size) {
        __builtin_memset(object, 0, offset);
        __builtin_memset(object + offset + inner, 0, size - offset - inner);
    }
    return object;
}

/* What is the driver's own altogether. */
static char *cleared(u64 size)
{
    return __irkiss_nondet_bool() ? NULL : __irkiss_alloc(size, 1);
}

/* ---- SPI and other buses: the device of the controller has the driver's part as its data (drivers/spi/spi.c, drivers/spmi/spmi.c,
 * drivers/tty/serdev/core.c). ---- */
static void *bus_controller(u64 device, u64 part, void *parent, const char *name)
{
    char *object = object_to(within(device, OFFSET(device, driver_data)), part, name);
    if (object)
        set(object, within(device, OFFSET(device, parent)), parent);
    return object;
}

DECLARE(spi_controller, dev);

void *__spi_alloc_controller(void *parent, unsigned int part, _Bool)
{
    return bus_controller(OFFSET(spi_controller, dev), part, parent, "spi_controller");
}

void *__devm_spi_alloc_controller(void *parent, unsigned int part, _Bool)
{
    return bus_controller(OFFSET(spi_controller, dev), part, parent, "spi_controller");
}

DECLARE(spmi_controller, dev);

void *spmi_controller_alloc(void *parent, usize part)
{
    return bus_controller(OFFSET(spmi_controller, dev), part, parent, "spmi_controller");
}

DECLARE(serdev_controller, dev);

void *serdev_controller_alloc(void *parent, usize part)
{
    return bus_controller(OFFSET(serdev_controller, dev), part, parent, "serdev_controller");
}

DECLARE(mii_bus, priv);

/* drivers/net/phy/mdio_bus.c, mdio_devres.c. */
void *mdiobus_alloc_size(usize part)
{
    return object_to(OFFSET(mii_bus, priv), part, "mii_bus");
}

void *devm_mdiobus_alloc_size(void *, int part)
{
    return object_to(OFFSET(mii_bus, priv), (u64)part, "mii_bus");
}

DECLARE(i2c_mux_core, priv);
DECLARE(i2c_mux_core, parent);
DECLARE(i2c_mux_core, dev);
DECLARE(i2c_mux_core, select);
DECLARE(i2c_mux_core, deselect);

/* drivers/i2c/i2c-mux.c. */
void *i2c_mux_alloc(void *parent, void *device, int, int part, u32, void *select, void *deselect)
{
    char *object = object_to(OFFSET(i2c_mux_core, priv), (u64)part, "i2c_mux_core");
    if (object) {
        set(object, OFFSET(i2c_mux_core, parent), parent);
        set(object, OFFSET(i2c_mux_core, dev), device);
        set(object, OFFSET(i2c_mux_core, select), select);
        set(object, OFFSET(i2c_mux_core, deselect), deselect);
    }
    return object;
}

DECLARE(pci_host_bridge, private);

/* drivers/pci/probe.c. */
void *pci_alloc_host_bridge(usize part)
{
    return object_with(OFFSET(pci_host_bridge, private), part, "pci_host_bridge");
}

void *devm_pci_alloc_host_bridge(void *, usize part)
{
    return object_with(OFFSET(pci_host_bridge, private), part, "pci_host_bridge");
}

/* ---- Hosts of cards (drivers/mmc/core/host.c; drivers/mmc/host/sdhci.c, sdhci-pltfm.c). ---- */
DECLARE(mmc_host, private);
DECLARE(mmc_host, parent);

void *mmc_alloc_host(int part, void *parent)
{
    char *host = object_with(OFFSET(mmc_host, private), (u64)part, "mmc_host");
    if (host)
        set(host, OFFSET(mmc_host, parent), parent);
    return host;
}

void *devm_mmc_alloc_host(void *parent, int part)
{
    return mmc_alloc_host(part, parent);
}

DECLARE(sdhci_host, private);
DECLARE(sdhci_host, mmc);

void *sdhci_alloc_host(void *parent, usize part)
{
    char *host = object_with(OFFSET(sdhci_host, private), part, "sdhci_host"), *mmc;
    if (!host)
        return irkiss_error_pointer(ENOMEM);
    mmc = __irkiss_lazy(0, "mmc_host");
    set(mmc, OFFSET(mmc_host, parent), parent);
    set(host, OFFSET(sdhci_host, mmc), mmc);
    return host;
}

u64 __irkiss_sizeof__sdhci_pltfm_host(void);
DECLARE(platform_device, dev);

void *sdhci_pltfm_init(void *device, const void *, usize part)
{
    u64 dev = OFFSET(platform_device, dev), size = __irkiss_sizeof__sdhci_pltfm_host();
    char *host = sdhci_alloc_host(dev == IRKISS_NO_OFFSET ? NULL : (char *)device + dev, part + (size ? size : FAR));
    if (irkiss_is_error(host))
        return host;
    set(device, within(dev, OFFSET(device, driver_data)), host);
    return host;
}

/* ---- IIO, counters (drivers/iio/industrialio-core.c, drivers/counter/counter-core.c). ---- */
DECLARE(iio_dev, priv);
DECLARE(iio_dev, dev);

void *iio_device_alloc(void *parent, int part)
{
    char *device = object_to(OFFSET(iio_dev, priv), (u64)part, "iio_dev");
    if (device)
        set(device, within(OFFSET(iio_dev, dev), OFFSET(device, parent)), parent);
    return device;
}

void *devm_iio_device_alloc(void *parent, int part)
{
    return iio_device_alloc(parent, part);
}

u64 __irkiss_sizeof__counter_device(void);

static u64 counter_part(void)
{
    u64 size = __irkiss_sizeof__counter_device();
    return size ? size : FAR;
}

void *counter_alloc(usize part)
{
    return object_with(counter_part(), part, "counter_device");
}

void *devm_counter_alloc(void *, usize part)
{
    return object_with(counter_part(), part, "counter_device");
}

void *counter_priv(const void *counter)
{
    return (char *)(uptr)counter + counter_part();
}

/* ---- Wireless and Bluetooth (net/mac80211/main.c, net/wireless/core.c, net/mac802154/main.c). ---- */
DECLARE(ieee80211_hw, priv);

void *ieee80211_alloc_hw_nm(usize part, const void *, const char *)
{
    return object_to(OFFSET(ieee80211_hw, priv), part, "ieee80211_hw");
}

DECLARE(wiphy, priv);

void *wiphy_new_nm(const void *, int part, const char *)
{
    return object_with(OFFSET(wiphy, priv), (u64)part, "wiphy");
}

DECLARE(ieee802154_hw, priv);

void *ieee802154_alloc_hw(usize part, const void *)
{
    return object_to(OFFSET(ieee802154_hw, priv), part, "ieee802154_hw");
}

u64 __irkiss_sizeof__hci_dev(void);

/* net/bluetooth/hci_core.c; include/net/bluetooth/hci_core.h: hci_get_priv. */
void *hci_alloc_dev_priv(int part)
{
    return object_with(__irkiss_sizeof__hci_dev(), (u64)part, "hci_dev");
}

/* ---- Displays (drivers/gpu/drm/drm_drv.c, drm_encoder.c, drm_crtc.c, drm_plane.c; drivers/video/fbdev/core/fbsysfs.c). ---- */
DECLARE(drm_device, dev);
u64 __irkiss_sizeof__drm_device(void);

void *__devm_drm_dev_alloc(void *parent, const void *, usize size, usize offset)
{
    char *object = container(size, offset, __irkiss_sizeof__drm_device());
    if (object)
        set(object, within(offset, OFFSET(drm_device, dev)), parent);
    return or_error(object);
}

/* What a device has: it leads to the device and to the driver's functions. */
static void *part_of_device(char *object, void *device, u64 at_device, u64 at_functions, const void *functions)
{
    if (object) {
        set(object, at_device, device);
        set(object, at_functions, functions);
    }
    return or_error(object);
}

DECLARE(drm_encoder, dev);
DECLARE(drm_encoder, funcs);
u64 __irkiss_sizeof__drm_encoder(void);

void *__drmm_encoder_alloc(void *device, usize size, usize offset, const void *functions, int, const char *, ...)
{
    char *object = container(size, offset, __irkiss_sizeof__drm_encoder());
    return part_of_device(object, device, within(offset, OFFSET(drm_encoder, dev)), within(offset, OFFSET(drm_encoder, funcs)), functions);
}

DECLARE(drm_crtc, dev);
DECLARE(drm_crtc, funcs);
u64 __irkiss_sizeof__drm_crtc(void);

void *__drmm_crtc_alloc_with_planes(void *device, usize size, usize offset, void *, void *, const void *functions, const char *, ...)
{
    char *object = container(size, offset, __irkiss_sizeof__drm_crtc());
    return part_of_device(object, device, within(offset, OFFSET(drm_crtc, dev)), within(offset, OFFSET(drm_crtc, funcs)), functions);
}

DECLARE(drm_plane, dev);
DECLARE(drm_plane, funcs);
u64 __irkiss_sizeof__drm_plane(void);

void *__drmm_universal_plane_alloc(void *device, usize size, usize offset, u32, const void *functions, const u32 *, unsigned int,
                                   const u64 *, int, const char *, ...)
{
    char *object = container(size, offset, __irkiss_sizeof__drm_plane());
    return part_of_device(object, device, within(offset, OFFSET(drm_plane, dev)), within(offset, OFFSET(drm_plane, funcs)), functions);
}

DECLARE(fb_info, par);
DECLARE(fb_info, device);

void *framebuffer_alloc(usize part, void *device)
{
    char *object = object_to(OFFSET(fb_info, par), part, "fb_info");
    if (object)
        set(object, OFFSET(fb_info, device), device);
    return object;
}

/* ---- Storage and RDMA (drivers/scsi/hosts.c, drivers/infiniband/core/device.c). ---- */
DECLARE(Scsi_Host, hostdata);
DECLARE(Scsi_Host, hostt);

void *scsi_host_alloc(const void *template, int part)
{
    char *host = object_with(OFFSET(Scsi_Host, hostdata), (u64)part, "Scsi_Host");
    if (host)
        set(host, OFFSET(Scsi_Host, hostt), template);
    return host;
}

u64 __irkiss_sizeof__ib_device(void);

void *_ib_alloc_device(usize size)
{
    return container(size, 0, __irkiss_sizeof__ib_device());
}

/* ---- USB host controllers (drivers/usb/core/hcd.c): the template says how large the driver's part is, and the device's data is the
 * controller. ---- */
DECLARE(hc_driver, hcd_priv_size);
DECLARE(usb_hcd, hcd_priv);
DECLARE(usb_hcd, driver);
DECLARE(usb_hcd, self);
DECLARE(usb_bus, controller);

static char *usb_controller(const void *driver, void *device)
{
    u64 at = OFFSET(hc_driver, hcd_priv_size);
    u64 part = at == IRKISS_NO_OFFSET ? FAR : *(const volatile usize *)((const char *)driver + at);
    char *hcd = object_with(OFFSET(usb_hcd, hcd_priv), part, "usb_hcd");
    if (!hcd)
        return NULL;
    set(hcd, OFFSET(usb_hcd, driver), driver);
    set(hcd, within(OFFSET(usb_hcd, self), OFFSET(usb_bus, controller)), device);
    return hcd;
}

void *usb_create_hcd(const void *driver, void *device, const char *)
{
    char *hcd = usb_controller(driver, device);
    if (hcd)
        set(device, OFFSET(device, driver_data), hcd);
    return hcd;
}

/* What a host controller's library puts into a driver: how large its part of each controller is, and what the driver adds to that
 * (drivers/usb/host/ehci-hcd.c: ehci_init_driver; ohci-hcd.c: ohci_init_driver; xhci.c: xhci_init_driver). Of the functions that it puts there
 * the input knows nothing. */
static void host_driver(void *driver, const void *overrides, u64 size, u64 extra)
{
    u64 at = OFFSET(hc_driver, hcd_priv_size);
    if (at == IRKISS_NO_OFFSET)
        return;
    if (size == 0)
        size = FAR;
    if (overrides && extra != IRKISS_NO_OFFSET)
        size += *(const volatile usize *)((const char *)overrides + extra);
    *(volatile usize *)((char *)driver + at) = (usize)size;
}

#define HOST_LIBRARY(name) \
    u64 __irkiss_sizeof__##name##_hcd(void); \
    DECLARE(name##_driver_overrides, extra_priv_size); \
    void name##_init_driver(void *driver, const void *overrides) \
    { \
        host_driver(driver, overrides, __irkiss_sizeof__##name##_hcd(), OFFSET(name##_driver_overrides, extra_priv_size)); \
    }
HOST_LIBRARY(ehci)
HOST_LIBRARY(ohci)
HOST_LIBRARY(xhci)

DECLARE(usb_hcd, shared_hcd);
DECLARE(usb_hcd, primary_hcd);

void *usb_create_shared_hcd(const void *driver, void *device, const char *name, void *primary)
{
    char *hcd;
    if (!primary)
        return usb_create_hcd(driver, device, name);
    hcd = usb_controller(driver, device);
    if (hcd) {
        set(hcd, OFFSET(usb_hcd, primary_hcd), primary);
        set(hcd, OFFSET(usb_hcd, shared_hcd), primary);
        set(primary, OFFSET(usb_hcd, primary_hcd), primary);
        set(primary, OFFSET(usb_hcd, shared_hcd), hcd);
    }
    return hcd;
}

/* ---- Remote processors, multiplexers (drivers/remoteproc/remoteproc_core.c, drivers/mux/core.c). ---- */
DECLARE(rproc, priv);
DECLARE(rproc, dev);

void *rproc_alloc(void *parent, const char *, const void *, const char *, int part)
{
    char *rproc = object_to(OFFSET(rproc, priv), (u64)part, "rproc");
    if (rproc) {
        set(rproc, within(OFFSET(rproc, dev), OFFSET(device, parent)), parent);
        set(rproc, within(OFFSET(rproc, dev), OFFSET(device, driver_data)), rproc);
    }
    return rproc;
}

void *devm_rproc_alloc(void *parent, const char *name, const void *functions, const char *firmware, int part)
{
    return rproc_alloc(parent, name, functions, firmware, part);
}

DECLARE(mux_chip, mux);
DECLARE(mux_chip, dev);
DECLARE(mux_chip, controllers);
DECLARE(mux_control, chip);
u64 __irkiss_sizeof__mux_control(void);

/* The driver's part is behind the controllers (include/linux/mux/driver.h: mux_chip_priv). */
void *mux_chip_alloc(void *parent, unsigned int controllers, usize part)
{
    u64 each = __irkiss_sizeof__mux_control();
    char *chip = object_to(OFFSET(mux_chip, mux), each * controllers + part, "mux_chip"), *first;
    unsigned int n;
    if (!chip)
        return irkiss_error_pointer(ENOMEM);
    set(chip, within(OFFSET(mux_chip, dev), OFFSET(device, parent)), parent);
    set(chip, within(OFFSET(mux_chip, dev), OFFSET(device, driver_data)), chip);
    set_number(chip, OFFSET(mux_chip, controllers), (int)controllers);
    if (OFFSET(mux_chip, mux) == IRKISS_NO_OFFSET)
        return chip;
    first = *(char **)(chip + OFFSET(mux_chip, mux));
    for (n = 0; n < controllers; n++)
        set(first + each * n, OFFSET(mux_control, chip), chip);
    return chip;
}

void *devm_mux_chip_alloc(void *parent, unsigned int controllers, usize part)
{
    return mux_chip_alloc(parent, controllers, part);
}

/* ---- Comedi (drivers/comedi/drivers.c): what the device and its subdevices lead to. ---- */
DECLARE(comedi_device, private);
DECLARE(comedi_device, subdevices);
DECLARE(comedi_device, n_subdevices);
DECLARE(comedi_subdevice, private);
DECLARE(comedi_subdevice, device);
DECLARE(comedi_subdevice, index);
DECLARE(comedi_subdevice, minor);
u64 __irkiss_sizeof__comedi_subdevice(void);

void *comedi_alloc_devpriv(void *device, usize part)
{
    char *own = cleared(part);
    set(device, OFFSET(comedi_device, private), own);
    return own;
}

void *comedi_alloc_spriv(void *subdevice, usize part)
{
    char *own = cleared(part);
    set(subdevice, OFFSET(comedi_subdevice, private), own);
    return own;
}

int comedi_alloc_subdevices(void *device, int count)
{
    u64 size = __irkiss_sizeof__comedi_subdevice();
    char *all;
    int n;
    if (count < 1)
        return -EINVAL;
    if (__irkiss_nondet_bool())
        return -ENOMEM;
    all = __irkiss_lazy(size * (u64)count, "comedi_subdevice");
    for (n = 0; n < count; n++) {
        set(all + size * (u64)n, OFFSET(comedi_subdevice, device), device);
        set_number(all + size * (u64)n, OFFSET(comedi_subdevice, index), n);
        set_number(all + size * (u64)n, OFFSET(comedi_subdevice, minor), -1);
    }
    set(device, OFFSET(comedi_device, subdevices), all);
    set_number(device, OFFSET(comedi_device, n_subdevices), count);
    return 0;
}

DECLARE(comedi_subdevice, readback);
DECLARE(comedi_subdevice, n_chan);

/* A number for each channel. */
int comedi_alloc_subdev_readback(void *subdevice)
{
    u64 at = OFFSET(comedi_subdevice, n_chan);
    u64 channels = at == IRKISS_NO_OFFSET ? 0 : *(const volatile u32 *)((char *)subdevice + at);
    char *all;
    if (!channels)
        return -EINVAL;
    all = cleared(channels * sizeof(u32));
    if (!all)
        return -ENOMEM;
    set(subdevice, OFFSET(comedi_subdevice, readback), all);
    return 0;
}
