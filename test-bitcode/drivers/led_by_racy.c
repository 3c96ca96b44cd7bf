// irkiss: ; expect: race ; lazy: yes
//
// What the kernel hands in may lead to a variable of the kernel (include/linux/hid.h: hid_is_usb): where it does, both count.
#include "work.h"

struct hid_ll_driver;
struct hid_device {
    const struct hid_ll_driver *ll_driver;
};
struct hid_report;
struct hid_device_id;
struct hid_driver {
    const char *name;
    int (*probe)(struct hid_device *, const struct hid_device_id *);
    int (*raw_event)(struct hid_device *, struct hid_report *, unsigned char *, int);
};
extern int __hid_register_driver(struct hid_driver *driver, struct module *owner, const char *name);
extern const struct hid_ll_driver usb_hid_driver, uhid_hid_driver;

static struct hid_device *found;
int reports;

static void demo_work(struct work_struct *work)
{
    if (found->ll_driver == &usb_hid_driver)
        reports = 0; // RACE
}
static struct work_struct item = { .func = demo_work };

static int demo_event(struct hid_device *hdev, struct hid_report *report, unsigned char *data, int size)
{
    if (hdev->ll_driver == &usb_hid_driver)
        reports++; // RACE
    return 0;
}

static int demo_probe(struct hid_device *hdev, const struct hid_device_id *id)
{
    found = hdev;
    queue_work_on(0, NULL, &item);
    return 0;
}
static struct hid_driver demo_driver = { .name = "demo", .probe = demo_probe, .raw_event = demo_event };

static int demo_init(void)
{
    return __hid_register_driver(&demo_driver, NULL, "demo");
}

module_init(demo_init)
