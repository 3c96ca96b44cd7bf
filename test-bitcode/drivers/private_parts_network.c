// irkiss: ; expect: race ; forms: nopass ; lazy: yes
//
// What subsystems make for a driver (wireless and network devices, displays, and what would share memory with the others):
// the part that is the driver's own is cleared, and is found again where the subsystem keeps it.
#include "platform.h"

struct ops;
struct i2c_adapter;
struct drm_device;
struct drm_plane;
#define PART(name) struct part_##name { long first, last; }
#define NETDEV_PART(dev) ((void *)((char *)(dev) + (sizeof(struct net_device) + 31) / 32 * 32))

PART(hw);
struct ieee80211_hw {
    void *wiphy;
    void *priv;
};
extern struct ieee80211_hw *ieee80211_alloc_hw_nm(size_t size, const struct ops *ops, const char *name);
PART(wiphy);
struct wiphy {
    long flags;
    unsigned char priv[] __attribute__((aligned(32)));
};
extern struct wiphy *wiphy_new_nm(const struct ops *ops, int size, const char *name);
PART(hw154);
struct ieee802154_hw {
    int flags;
    void *priv;
};
extern struct ieee802154_hw *ieee802154_alloc_hw(size_t size, const struct ops *ops);
PART(hci);
struct hci_dev {
    struct device dev;
};
extern struct hci_dev *hci_alloc_dev_priv(int size);
PART(candev);
struct can_priv {
    struct net_device *dev;
    unsigned int echo_skb_max;
    void **echo_skb;
};
struct can_part {
    struct can_priv can;
    struct part_candev part;
};
extern struct net_device *alloc_candev_mqs(int size, unsigned int frames, unsigned int tx, unsigned int rx);
PART(fddi);
extern struct net_device *alloc_fddidev(int size);
PART(fc);
extern struct net_device *alloc_fcdev(int size);
PART(hippi);
extern struct net_device *alloc_hippi_dev(int size);
PART(drm);
struct drm_device {
    struct device *dev;
};
struct drm_part {
    struct drm_device drm;
    struct part_drm part;
};
extern void *__devm_drm_dev_alloc(struct device *dev, const struct ops *driver, size_t size, size_t offset);
PART(encoder);
struct drm_encoder {
    struct drm_device *dev;
    const void *funcs;
};
struct encoder_part {
    struct drm_encoder base;
    struct part_encoder part;
};
extern void *__drmm_encoder_alloc(struct drm_device *drm, size_t size, size_t offset, const struct ops *funcs, int type, const char *name, ...);
PART(crtc);
struct drm_crtc {
    struct drm_device *dev;
    const void *funcs;
};
struct crtc_part {
    struct drm_crtc base;
    struct part_crtc part;
};
extern void *__drmm_crtc_alloc_with_planes(struct drm_device *drm, size_t size, size_t offset, struct drm_plane *primary, struct drm_plane *cursor, const struct ops *funcs, const char *name, ...);
PART(plane);
struct drm_plane {
    struct drm_device *dev;
    const void *funcs;
};
struct plane_part {
    struct drm_plane base;
    struct part_plane part;
};
extern void *__drmm_universal_plane_alloc(struct drm_device *drm, size_t size, size_t offset, unsigned int crtcs, const struct ops *funcs, const unsigned int *formats, unsigned int n, const unsigned long *modifiers, int type, const char *name, ...);
PART(sdhci_pltfm);
struct sdhci_host {
    void *mmc;
    unsigned long private[];
};
struct sdhci_pltfm_host {
    void *clk;
    unsigned long private[];
};
extern struct sdhci_host *sdhci_pltfm_init(struct platform_device *dev, const struct ops *data, size_t size);
PART(devm_counter);
struct counter_device {
    const char *name;
};
extern void *counter_priv(const struct counter_device *counter);
extern struct counter_device *devm_counter_alloc(struct device *dev, size_t size);

static struct part_hw *make_hw(struct device *dev)
{
    struct ieee80211_hw *o = ieee80211_alloc_hw_nm(sizeof(struct part_hw), NULL, NULL);
    if (!o)
        return NULL;
    return o->priv;
}

static struct part_wiphy *make_wiphy(struct device *dev)
{
    struct wiphy *o = wiphy_new_nm(NULL, sizeof(struct part_wiphy), NULL);
    if (!o)
        return NULL;
    return (void *)o->priv;
}

static struct part_hw154 *make_hw154(struct device *dev)
{
    struct ieee802154_hw *o = ieee802154_alloc_hw(sizeof(struct part_hw154), NULL);
    if (!o)
        return NULL;
    return o->priv;
}

static struct part_hci *make_hci(struct device *dev)
{
    struct hci_dev *o = hci_alloc_dev_priv(sizeof(struct part_hci));
    if (!o)
        return NULL;
    return (void *)((char *)o + sizeof(*o));
}

static struct part_candev *make_candev(struct device *dev)
{
    struct net_device *o = alloc_candev_mqs(sizeof(struct can_part), 4, 1, 1);
    struct can_part *can = o ? NETDEV_PART(o) : NULL;
    if (!o || !(can->can.dev == o && can->can.echo_skb_max == 4 && !can->can.echo_skb[3]))
        return NULL;
    return &can->part;
}

static struct part_fddi *make_fddi(struct device *dev)
{
    struct net_device *o = alloc_fddidev(sizeof(struct part_fddi));
    if (!o)
        return NULL;
    return NETDEV_PART(o);
}

static struct part_fc *make_fc(struct device *dev)
{
    struct net_device *o = alloc_fcdev(sizeof(struct part_fc));
    if (!o)
        return NULL;
    return NETDEV_PART(o);
}

static struct part_hippi *make_hippi(struct device *dev)
{
    struct net_device *o = alloc_hippi_dev(sizeof(struct part_hippi));
    if (!o)
        return NULL;
    return NETDEV_PART(o);
}

static struct part_drm *make_drm(struct device *dev)
{
    struct drm_part *o = __devm_drm_dev_alloc(dev, NULL, sizeof(*o), 0);
    if ((unsigned long)o > -4096UL)
        return NULL;
    if (!o || !(o->drm.dev == dev))
        return NULL;
    return &o->part;
}

static struct part_encoder *make_encoder(struct device *dev)
{
    struct encoder_part *o = __drmm_encoder_alloc((void *)dev, sizeof(*o), 0, NULL, 0, NULL);
    if ((unsigned long)o > -4096UL)
        return NULL;
    if (!o || !((void *)o->base.dev == dev && !o->base.funcs))
        return NULL;
    return &o->part;
}

static struct part_crtc *make_crtc(struct device *dev)
{
    struct crtc_part *o = __drmm_crtc_alloc_with_planes((void *)dev, sizeof(*o), 0, NULL, NULL, NULL, NULL);
    if ((unsigned long)o > -4096UL)
        return NULL;
    if (!o || !((void *)o->base.dev == dev && !o->base.funcs))
        return NULL;
    return &o->part;
}

static struct part_plane *make_plane(struct device *dev)
{
    struct plane_part *o = __drmm_universal_plane_alloc((void *)dev, sizeof(*o), 0, 0, NULL, NULL, 0, NULL, 0, NULL);
    if ((unsigned long)o > -4096UL)
        return NULL;
    if (!o || !((void *)o->base.dev == dev && !o->base.funcs))
        return NULL;
    return &o->part;
}

static struct part_sdhci_pltfm *make_sdhci_pltfm(struct device *dev)
{
    struct sdhci_host *o = sdhci_pltfm_init((void *)((char *)dev - __builtin_offsetof(struct platform_device, dev)), NULL, sizeof(struct part_sdhci_pltfm));
    if ((unsigned long)o > -4096UL)
        return NULL;
    struct sdhci_pltfm_host *host = (void *)o->private;
    if (!o || !(dev->driver_data == o))
        return NULL;
    return (void *)host->private;
}

static struct part_devm_counter *make_devm_counter(struct device *dev)
{
    struct counter_device *o = devm_counter_alloc(dev, sizeof(struct part_devm_counter));
    if (!o)
        return NULL;
    return counter_priv(o);
}

static struct part_hw *part_hw;
static struct part_wiphy *part_wiphy;
static struct part_hw154 *part_hw154;
static struct part_hci *part_hci;
static struct part_candev *part_candev;
static struct part_fddi *part_fddi;
static struct part_fc *part_fc;
static struct part_hippi *part_hippi;
static struct part_drm *part_drm;
static struct part_encoder *part_encoder;
static struct part_crtc *part_crtc;
static struct part_plane *part_plane;
static struct part_sdhci_pltfm *part_sdhci_pltfm;
static struct part_devm_counter *part_devm_counter;
static long dirty;

static ssize_t part_show(struct device *dev, struct device_attribute *attribute, char *text)
{
    if (part_hw && part_hw->last)
        dirty++; // NORACE
    else if (part_hw)
        part_hw->first++; // RACE
    if (part_wiphy && part_wiphy->last)
        dirty++; // NORACE
    else if (part_wiphy)
        part_wiphy->first++; // RACE
    if (part_hw154 && part_hw154->last)
        dirty++; // NORACE
    else if (part_hw154)
        part_hw154->first++; // RACE
    if (part_hci && part_hci->last)
        dirty++; // NORACE
    else if (part_hci)
        part_hci->first++; // RACE
    if (part_candev && part_candev->last)
        dirty++; // NORACE
    else if (part_candev)
        part_candev->first++; // RACE
    if (part_fddi && part_fddi->last)
        dirty++; // NORACE
    else if (part_fddi)
        part_fddi->first++; // RACE
    if (part_fc && part_fc->last)
        dirty++; // NORACE
    else if (part_fc)
        part_fc->first++; // RACE
    if (part_hippi && part_hippi->last)
        dirty++; // NORACE
    else if (part_hippi)
        part_hippi->first++; // RACE
    if (part_drm && part_drm->last)
        dirty++; // NORACE
    else if (part_drm)
        part_drm->first++; // RACE
    if (part_encoder && part_encoder->last)
        dirty++; // NORACE
    else if (part_encoder)
        part_encoder->first++; // RACE
    if (part_crtc && part_crtc->last)
        dirty++; // NORACE
    else if (part_crtc)
        part_crtc->first++; // RACE
    if (part_plane && part_plane->last)
        dirty++; // NORACE
    else if (part_plane)
        part_plane->first++; // RACE
    if (part_sdhci_pltfm && part_sdhci_pltfm->last)
        dirty++; // NORACE
    else if (part_sdhci_pltfm)
        part_sdhci_pltfm->first++; // RACE
    if (part_devm_counter && part_devm_counter->last)
        dirty++; // NORACE
    else if (part_devm_counter)
        part_devm_counter->first++; // RACE
    return 0;
}
static struct device_attribute part_attribute = { { "part", 0444 }, part_show };

static int demo_probe(struct platform_device *dev)
{
    part_hw = make_hw(&dev->dev);
    part_wiphy = make_wiphy(&dev->dev);
    part_hw154 = make_hw154(&dev->dev);
    part_hci = make_hci(&dev->dev);
    part_candev = make_candev(&dev->dev);
    part_fddi = make_fddi(&dev->dev);
    part_fc = make_fc(&dev->dev);
    part_hippi = make_hippi(&dev->dev);
    part_drm = make_drm(&dev->dev);
    part_encoder = make_encoder(&dev->dev);
    part_crtc = make_crtc(&dev->dev);
    part_plane = make_plane(&dev->dev);
    part_sdhci_pltfm = make_sdhci_pltfm(&dev->dev);
    part_devm_counter = make_devm_counter(&dev->dev);
    return device_create_file(&dev->dev, &part_attribute);
}

static struct platform_driver demo_driver = {
    .probe = demo_probe,
    .driver = { .name = "demo" },
};

PLATFORM_MODULE(demo_driver)
