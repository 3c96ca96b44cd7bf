// irkiss: ; expect: race ; lazy: yes
//
// As phy_lock_taken_safe.c, but the driver gives the lock back too early.
#include "part_linux.h"

struct phy_device { struct device dev; void *priv; struct mutex lock; };
struct phy_driver { u32 phy_id; int (*probe)(struct phy_device *phy); int (*read_status)(struct phy_device *phy); };
extern int phy_drivers_register(struct phy_driver *drivers, int n, struct module *owner);

static struct phy_device *own;
int status;

static void demo_work(struct work_struct *work)
{
	mutex_lock(&own->lock);
	mutex_unlock(&own->lock);
	status = 0; // RACE
}
static struct work_struct work = { .func = demo_work };

static int demo_status(struct phy_device *phy)
{
	status++; // RACE
	return 0;
}

static int demo_attach(struct phy_device *phy)
{
	own = phy;
	schedule_work(&work);
	return 0;
}
static struct phy_driver demo_phys[] = { { .phy_id = 1, .probe = demo_attach, .read_status = demo_status } };

int init_module(void)
{
	return phy_drivers_register(demo_phys, 1, THIS_MODULE);
}
