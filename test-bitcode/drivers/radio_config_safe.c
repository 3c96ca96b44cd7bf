// irkiss: ; expect: none ; lazy: yes
//
// The mutex of a wireless device is held around what configures it, and the driver takes it around what it does itself.
#include "part_linux.h"

struct wiphy { struct mutex mtx; int registered; };
struct cfg80211_ops {
	int (*scan)(struct wiphy *wiphy, void *request);
	int (*connect)(struct wiphy *wiphy, void *dev, void *sme);
};
extern struct wiphy *wiphy_new_nm(const struct cfg80211_ops *ops, int size, const char *name);
extern int wiphy_register(struct wiphy *wiphy);
extern void wiphy_unregister(struct wiphy *wiphy);
extern void mutex_lock(struct mutex *), mutex_unlock(struct mutex *);

static struct wiphy *radio;
int state;

static int demo_scan(struct wiphy *wiphy, void *request)
{
	state++; // NORACE
	return 0;
}

static int demo_connect(struct wiphy *wiphy, void *dev, void *sme)
{
	state++; // NORACE
	return 0;
}
static const struct cfg80211_ops demo_ops = { .scan = demo_scan, .connect = demo_connect };

static ssize_t state_show(struct device *dev, struct device_attribute *attribute, char *buffer)
{
	int now;

	mutex_lock(&radio->mtx);
	now = state; // NORACE
	mutex_unlock(&radio->mtx);
	return now;
}
static struct device_attribute dev_attr_state = { .show = state_show };
extern int device_create_file(struct device *device, const struct device_attribute *attribute);

static int demo_probe(struct platform_device *pdev)
{
	int error;

	radio = wiphy_new_nm(&demo_ops, 0, NULL);
	if (!radio)
		return -ENOMEM;
	error = wiphy_register(radio);
	if (error)
		return error;
	return device_create_file(&pdev->dev, &dev_attr_state);
}

static struct platform_driver demo_driver = { .probe = demo_probe, .driver = { .name = "demo" } };

int init_module(void)
{
	return platform_driver_register(&demo_driver);
}
