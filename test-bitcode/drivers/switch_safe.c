// irkiss: ; expect: none ; lazy: yes
//
// As switch_racy.c, but the driver takes a lock of its own around its table.
#include "platform.h"

struct dsa_switch;
struct phy_device;
struct dsa_switch_ops {
    int (*port_enable)(struct dsa_switch *, int, struct phy_device *);
    void (*port_disable)(struct dsa_switch *, int);
    int (*port_fdb_add)(struct dsa_switch *, int, const unsigned char *, unsigned short);
};
struct dsa_switch {
    struct device *dev;
    void *priv;
    const struct dsa_switch_ops *ops;
};
extern int dsa_register_switch(struct dsa_switch *ds);

static struct dsa_switch demo_switch;
static DEFINE_MUTEX(lock);
int enabled, entries;

static int demo_enable(struct dsa_switch *ds, int port, struct phy_device *phy)
{
    enabled++; // NORACE
    return 0;
}

static void demo_disable(struct dsa_switch *ds, int port)
{
    enabled--; // NORACE
}

static int demo_add(struct dsa_switch *ds, int port, const unsigned char *address, unsigned short vid)
{
    mutex_lock(&lock);
    entries++; // NORACE
    mutex_unlock(&lock);
    return 0;
}
static const struct dsa_switch_ops demo_ops = { .port_enable = demo_enable, .port_disable = demo_disable, .port_fdb_add = demo_add };

static int demo_probe(struct platform_device *pdev)
{
    demo_switch.dev = &pdev->dev;
    demo_switch.ops = &demo_ops;
    return dsa_register_switch(&demo_switch);
}

static struct platform_driver demo_driver = { .probe = demo_probe, .driver = { .name = "demo" } };

PLATFORM_MODULE(demo_driver)
