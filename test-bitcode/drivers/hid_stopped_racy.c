// irkiss: ; expect: race
//
// As hid_stopped_safe.c, but reports still come.
#include "work.h"

struct hid_device {
    int bus;
};
struct hid_report;
struct hid_driver {
    const char *name;
    int (*raw_event)(struct hid_device *, struct hid_report *, unsigned char *, int);
};
extern int __hid_register_driver(struct hid_driver *driver, struct module *owner, const char *name);
extern void hid_hw_stop(struct hid_device *hdev);

static struct hid_device *found;
int reports;

static int demo_event(struct hid_device *hdev, struct hid_report *report, unsigned char *data, int size)
{
    reports++; // RACE
    return 0;
}
static struct hid_driver demo_driver = { .name = "demo", .raw_event = demo_event };

static void demo_work(struct work_struct *work)
{
    reports = 0; // RACE
}
static struct work_struct item = { .func = demo_work };

static int demo_init(void)
{
    queue_work_on(0, NULL, &item);
    return __hid_register_driver(&demo_driver, NULL, "demo");
}

module_init(demo_init)
