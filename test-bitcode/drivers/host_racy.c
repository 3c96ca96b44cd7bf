// irkiss: ; expect: race ; lazy: yes
//
// Requests are handed to a host controller without a lock of the core; its bus sleeps and wakes one at a time.
#include "platform.h"

struct urb;
struct usb_hcd;
struct hc_driver {
    const char *description;
    int (*urb_enqueue)(struct usb_hcd *, struct urb *, unsigned int);
    int (*bus_suspend)(struct usb_hcd *);
    int (*bus_resume)(struct usb_hcd *);
};
struct usb_hcd {
    const struct hc_driver *driver;
    int state;
};
extern struct usb_hcd *usb_create_hcd(const struct hc_driver *driver, struct device *dev, const char *name);
extern int usb_add_hcd(struct usb_hcd *hcd, unsigned int irq, unsigned long flags);

static DEFINE_MUTEX(lock);
int requests, asleep;

static int demo_enqueue(struct usb_hcd *hcd, struct urb *urb, unsigned int flags)
{
    requests++; // RACE
    return 0;
}

static int demo_suspend(struct usb_hcd *hcd)
{
    asleep = 1; // NORACE
    return 0;
}

static int demo_resume(struct usb_hcd *hcd)
{
    asleep = 0; // NORACE
    return 0;
}
static const struct hc_driver demo_host = { .description = "demo", .urb_enqueue = demo_enqueue, .bus_suspend = demo_suspend, .bus_resume = demo_resume };

static int demo_probe(struct platform_device *pdev)
{
    struct usb_hcd *hcd = usb_create_hcd(&demo_host, &pdev->dev, "demo");
    return hcd ? usb_add_hcd(hcd, 0, 0) : -ENOMEM;
}

static struct platform_driver demo_driver = { .probe = demo_probe, .driver = { .name = "demo" } };

PLATFORM_MODULE(demo_driver)
