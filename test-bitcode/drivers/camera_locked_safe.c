// irkiss: ; expect: none ; lazy: yes
//
// Cameras are started and stopped under their lock, and packets come once they are started.
#include "work.h"

struct gspca_dev {
    int users;
    struct mutex usb_lock;
    int left;
};
struct sd_desc {
    const char *name;
    int (*start)(struct gspca_dev *);
    void (*stopN)(struct gspca_dev *);
    void (*pkt_scan)(struct gspca_dev *, unsigned char *, int);
};
extern int gspca_dev_probe(void *interface, const void *id, const struct sd_desc *desc, int size, struct module *module);

int streams, left;

static int demo_start(struct gspca_dev *camera)
{
    streams++; // NORACE
    left = 1; // NORACE
    return 0;
}

static void demo_stop(struct gspca_dev *camera)
{
    streams--; // NORACE
}

static void demo_scan(struct gspca_dev *camera, unsigned char *data, int length)
{
    left = length; // NORACE
}
static const struct sd_desc demo_desc = { .name = "demo", .start = demo_start, .stopN = demo_stop, .pkt_scan = demo_scan };

static int demo_init(void)
{
    return gspca_dev_probe(NULL, NULL, &demo_desc, sizeof(struct gspca_dev), THIS_MODULE);
}

module_init(demo_init)
