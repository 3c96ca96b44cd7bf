// irkiss: --tier lockset,runs ; expect: none ; forms: nopass ; lazy: yes
//
// As list_leads_back_racy.c, under the lock.
#include "work.h"

struct entry {
    struct entry *next, *prev;
};
struct hid_device {
    struct entry list;
};
struct hid_report;
struct hid_device_id;
struct hid_driver {
    const char *name;
    int (*probe)(struct hid_device *, const struct hid_device_id *);
    int (*raw_event)(struct hid_device *, struct hid_report *, unsigned char *, int);
};
extern int __hid_register_driver(struct hid_driver *driver, struct module *owner, const char *name);

static struct hid_device *found;
static DEFINE_SPINLOCK(lock);
int last;

static void demo_work(struct work_struct *work)
{
    int entries = 0;

    for (struct entry *entry = found->list.next; entry != &found->list; entry = entry->next)
        entries++;
    spin_lock(&lock);
    last = entries; // NORACE
    spin_unlock(&lock);
}
static struct work_struct item = { .func = demo_work };

static int demo_event(struct hid_device *hdev, struct hid_report *report, unsigned char *data, int size)
{
    spin_lock(&lock);
    last = 0; // NORACE
    spin_unlock(&lock);
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
