// irkiss: ; expect: race ; forms: nopass ; lazy: yes
//
// What subsystems make for a driver (hosts of cards, converters, boards):
// the part that is the driver's own is cleared, and is found again where the subsystem keeps it.
#include "platform.h"

struct ops;
struct i2c_adapter;
struct drm_device;
struct drm_plane;
#define PART(name) struct part_##name { long first, last; }
#define NETDEV_PART(dev) ((void *)((char *)(dev) + (sizeof(struct net_device) + 31) / 32 * 32))

PART(mmc);
struct mmc_host {
    struct device *parent;
    unsigned long private[];
};
extern struct mmc_host *mmc_alloc_host(int size, struct device *dev);
PART(devm_mmc);
extern struct mmc_host *devm_mmc_alloc_host(struct device *dev, int size);
PART(sdhci);
struct sdhci_host {
    struct mmc_host *mmc;
    unsigned long private[];
};
extern struct sdhci_host *sdhci_alloc_host(struct device *dev, size_t size);
PART(iio);
struct iio_dev {
    struct device dev;
    void *priv;
};
extern struct iio_dev *iio_device_alloc(struct device *dev, int size);
PART(devm_iio);
extern struct iio_dev *devm_iio_device_alloc(struct device *dev, int size);
PART(counter);
struct counter_device {
    const char *name;
};
extern void *counter_priv(const struct counter_device *counter);
extern struct counter_device *counter_alloc(size_t size);
PART(fb);
struct fb_info {
    int node;
    void *par;
    struct device *device;
};
extern struct fb_info *framebuffer_alloc(size_t size, struct device *dev);
PART(scsi);
struct Scsi_Host {
    const void *hostt;
    unsigned long hostdata[];
};
extern struct Scsi_Host *scsi_host_alloc(const struct ops *template, int size);
PART(ib);
struct ib_device {
    int node;
};
struct ib_part {
    struct ib_device ib;
    struct part_ib part;
};
extern struct ib_device *_ib_alloc_device(size_t size);
PART(hcd);
struct hc_driver {
    const char *name;
    size_t hcd_priv_size;
};
struct usb_bus {
    struct device *controller;
};
struct usb_hcd {
    struct usb_bus self;
    const struct hc_driver *driver;
    struct usb_hcd *shared_hcd, *primary_hcd;
    unsigned long hcd_priv[];
};
static const struct hc_driver hcd_driver = { "demo", sizeof(struct part_hcd) };
extern struct usb_hcd *usb_create_hcd(const struct hc_driver *driver, struct device *dev, const char *name);
PART(shared_hcd);
extern struct usb_hcd *usb_create_shared_hcd(const struct hc_driver *driver, struct device *dev, const char *name, struct usb_hcd *primary);
#define LIBRARY(name) \
    PART(name); \
    struct name##_hcd { long own[3]; }; \
    struct name##_driver_overrides { int (*reset)(struct usb_hcd *); unsigned long extra_priv_size; }; \
    extern void name##_init_driver(struct hc_driver *, const struct name##_driver_overrides *); \
    static struct hc_driver name##_driver; \
    static const struct name##_driver_overrides name##_overrides = { .extra_priv_size = sizeof(struct part_##name) }; \
    static struct part_##name *make_##name(struct device *dev) \
    { \
        struct usb_hcd *o; \
        name##_init_driver(&name##_driver, &name##_overrides); \
        o = usb_create_hcd(&name##_driver, dev, NULL); \
        return o ? (void *)((struct name##_hcd *)o->hcd_priv + 1) : NULL; \
    }
LIBRARY(ehci)
LIBRARY(ohci)
LIBRARY(xhci)
PART(comedi);
struct comedi_subdevice {
    struct comedi_device *device;
    int index;
    int minor;
    int n_chan;
    unsigned int *readback;
    void *private;
};
struct comedi_device {
    void *private;
    int n_subdevices;
    struct comedi_subdevice *subdevices;
};
static struct comedi_device board;
extern void *comedi_alloc_devpriv(struct comedi_device *dev, size_t size);
PART(subdevice);
extern int comedi_alloc_subdevices(struct comedi_device *dev, int count);
extern void *comedi_alloc_spriv(struct comedi_subdevice *s, size_t size);
extern int comedi_alloc_subdev_readback(struct comedi_subdevice *s);

static struct part_mmc *make_mmc(struct device *dev)
{
    struct mmc_host *o = mmc_alloc_host(sizeof(struct part_mmc), dev);
    if (!o || !(o->parent == dev))
        return NULL;
    return (void *)o->private;
}

static struct part_devm_mmc *make_devm_mmc(struct device *dev)
{
    struct mmc_host *o = devm_mmc_alloc_host(dev, sizeof(struct part_devm_mmc));
    if (!o || !(o->parent == dev))
        return NULL;
    return (void *)o->private;
}

static struct part_sdhci *make_sdhci(struct device *dev)
{
    struct sdhci_host *o = sdhci_alloc_host(dev, sizeof(struct part_sdhci));
    if ((unsigned long)o > -4096UL)
        return NULL;
    if (!o || !(o->mmc->parent == dev))
        return NULL;
    return (void *)o->private;
}

static struct part_iio *make_iio(struct device *dev)
{
    struct iio_dev *o = iio_device_alloc(dev, sizeof(struct part_iio));
    if (!o || !(o->dev.parent == dev))
        return NULL;
    return o->priv;
}

static struct part_devm_iio *make_devm_iio(struct device *dev)
{
    struct iio_dev *o = devm_iio_device_alloc(dev, sizeof(struct part_devm_iio));
    if (!o || !(o->dev.parent == dev))
        return NULL;
    return o->priv;
}

static struct part_counter *make_counter(struct device *dev)
{
    struct counter_device *o = counter_alloc(sizeof(struct part_counter));
    if (!o)
        return NULL;
    return counter_priv(o);
}

static struct part_fb *make_fb(struct device *dev)
{
    struct fb_info *o = framebuffer_alloc(sizeof(struct part_fb), dev);
    if (!o || !(o->device == dev))
        return NULL;
    return o->par;
}

static struct part_scsi *make_scsi(struct device *dev)
{
    struct Scsi_Host *o = scsi_host_alloc(NULL, sizeof(struct part_scsi));
    if (!o || !(!o->hostt))
        return NULL;
    return (void *)o->hostdata;
}

static struct part_ib *make_ib(struct device *dev)
{
    struct ib_part *o = (void *)_ib_alloc_device(sizeof(*o));
    if (!o)
        return NULL;
    return &o->part;
}

static struct part_hcd *make_hcd(struct device *dev)
{
    struct usb_hcd *o = usb_create_hcd(&hcd_driver, dev, NULL);
    if (!o || !(dev->driver_data == o && o->self.controller == dev && o->driver == &hcd_driver))
        return NULL;
    return (void *)o->hcd_priv;
}

static struct part_shared_hcd *make_shared_hcd(struct device *dev)
{
    struct usb_hcd *first = usb_create_hcd(&hcd_driver, dev, NULL), *o = first ? usb_create_shared_hcd(&hcd_driver, dev, NULL, first) : NULL;
    if (!o || !(dev->driver_data == first && o->primary_hcd == first && first->shared_hcd == o))
        return NULL;
    return (void *)o->hcd_priv;
}

static struct part_comedi *make_comedi(struct device *dev)
{
    struct comedi_device *o = comedi_alloc_devpriv(&board, sizeof(struct part_comedi)) ? &board : NULL;
    if (!o)
        return NULL;
    return o->private;
}

static struct part_subdevice *make_subdevice(struct device *dev)
{
    struct comedi_subdevice *o = comedi_alloc_subdevices(&board, 2) ? NULL : &board.subdevices[1];
    if (o && !comedi_alloc_spriv(o, sizeof(struct part_subdevice)))
        o = NULL;
    if (o)
        o->n_chan = 2;
    if (o && comedi_alloc_subdev_readback(o))
        o = NULL;
    if (!o || !(o->device == &board && o->index == 1 && o->minor == -1 && board.n_subdevices == 2 && !o->readback[1]))
        return NULL;
    return o->private;
}

static struct part_mmc *part_mmc;
static struct part_devm_mmc *part_devm_mmc;
static struct part_sdhci *part_sdhci;
static struct part_iio *part_iio;
static struct part_devm_iio *part_devm_iio;
static struct part_counter *part_counter;
static struct part_fb *part_fb;
static struct part_scsi *part_scsi;
static struct part_ib *part_ib;
static struct part_hcd *part_hcd;
static struct part_shared_hcd *part_shared_hcd;
static struct part_ehci *part_ehci;
static struct part_ohci *part_ohci;
static struct part_xhci *part_xhci;
static struct part_comedi *part_comedi;
static struct part_subdevice *part_subdevice;
static long dirty;

static ssize_t part_show(struct device *dev, struct device_attribute *attribute, char *text)
{
    if (part_mmc && part_mmc->last)
        dirty++; // NORACE
    else if (part_mmc)
        part_mmc->first++; // RACE
    if (part_devm_mmc && part_devm_mmc->last)
        dirty++; // NORACE
    else if (part_devm_mmc)
        part_devm_mmc->first++; // RACE
    if (part_sdhci && part_sdhci->last)
        dirty++; // NORACE
    else if (part_sdhci)
        part_sdhci->first++; // RACE
    if (part_iio && part_iio->last)
        dirty++; // NORACE
    else if (part_iio)
        part_iio->first++; // RACE
    if (part_devm_iio && part_devm_iio->last)
        dirty++; // NORACE
    else if (part_devm_iio)
        part_devm_iio->first++; // RACE
    if (part_counter && part_counter->last)
        dirty++; // NORACE
    else if (part_counter)
        part_counter->first++; // RACE
    if (part_fb && part_fb->last)
        dirty++; // NORACE
    else if (part_fb)
        part_fb->first++; // RACE
    if (part_scsi && part_scsi->last)
        dirty++; // NORACE
    else if (part_scsi)
        part_scsi->first++; // RACE
    if (part_ib && part_ib->last)
        dirty++; // NORACE
    else if (part_ib)
        part_ib->first++; // RACE
    if (part_hcd && part_hcd->last)
        dirty++; // NORACE
    else if (part_hcd)
        part_hcd->first++; // RACE
    if (part_shared_hcd && part_shared_hcd->last)
        dirty++; // NORACE
    else if (part_shared_hcd)
        part_shared_hcd->first++; // RACE
    if (part_ehci && part_ehci->last)
        dirty++; // NORACE
    else if (part_ehci)
        part_ehci->first++; // RACE
    if (part_ohci && part_ohci->last)
        dirty++; // NORACE
    else if (part_ohci)
        part_ohci->first++; // RACE
    if (part_xhci && part_xhci->last)
        dirty++; // NORACE
    else if (part_xhci)
        part_xhci->first++; // RACE
    if (part_comedi && part_comedi->last)
        dirty++; // NORACE
    else if (part_comedi)
        part_comedi->first++; // RACE
    if (part_subdevice && part_subdevice->last)
        dirty++; // NORACE
    else if (part_subdevice)
        part_subdevice->first++; // RACE
    return 0;
}
static struct device_attribute part_attribute = { { "part", 0444 }, part_show };

static int demo_probe(struct platform_device *dev)
{
    part_mmc = make_mmc(&dev->dev);
    part_devm_mmc = make_devm_mmc(&dev->dev);
    part_sdhci = make_sdhci(&dev->dev);
    part_iio = make_iio(&dev->dev);
    part_devm_iio = make_devm_iio(&dev->dev);
    part_counter = make_counter(&dev->dev);
    part_fb = make_fb(&dev->dev);
    part_scsi = make_scsi(&dev->dev);
    part_ib = make_ib(&dev->dev);
    part_hcd = make_hcd(&dev->dev);
    part_shared_hcd = make_shared_hcd(&dev->dev);
    part_ehci = make_ehci(&dev->dev);
    part_ohci = make_ohci(&dev->dev);
    part_xhci = make_xhci(&dev->dev);
    part_comedi = make_comedi(&dev->dev);
    part_subdevice = make_subdevice(&dev->dev);
    return device_create_file(&dev->dev, &part_attribute);
}

static struct platform_driver demo_driver = {
    .probe = demo_probe,
    .driver = { .name = "demo" },
};

PLATFORM_MODULE(demo_driver)
