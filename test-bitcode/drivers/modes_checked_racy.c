// irkiss: ; expect: race ; lazy: yes
//
// As modes_checked_safe.c, but the bridge is switched on: a commit goes on when its caller has given the locks back.
#include "part_linux.h"

struct drm_bridge;
struct drm_connector;
struct drm_display_info;
struct drm_display_mode;
struct drm_bridge_funcs {
	int (*get_modes)(struct drm_bridge *bridge, struct drm_connector *connector);
	int (*mode_valid)(struct drm_bridge *bridge, const struct drm_display_info *info, const struct drm_display_mode *mode);
	void (*enable)(struct drm_bridge *bridge);
};
struct drm_bridge {
	const struct drm_bridge_funcs *funcs;
	void *driver_private;
};
extern void drm_bridge_add(struct drm_bridge *bridge);

static struct drm_bridge bridge;
int lanes;

static void demo_enable(struct drm_bridge *bridge)
{
	lanes = 4; // RACE
}

static int demo_valid(struct drm_bridge *bridge, const struct drm_display_info *info, const struct drm_display_mode *mode)
{
	return lanes++; // RACE
}

static const struct drm_bridge_funcs demo_funcs = { .enable = demo_enable, .mode_valid = demo_valid };

static int demo_probe(struct platform_device *pdev)
{
	bridge.funcs = &demo_funcs;
	drm_bridge_add(&bridge);
	return 0;
}

static struct platform_driver demo_driver = { .probe = demo_probe, .driver = { .name = "demo" } };

int init_module(void)
{
	return platform_driver_register(&demo_driver);
}
